"""What the sections of a report show, ready to be set: words and numbers, from the record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from primewood.apps.report.page.words import join_names
from primewood.apps.report.records import (
    CaseRecord,
    FeatureChanges,
    FewestFeaturesRecord,
    ModelSection,
    PropertyRecord,
    ReportRecord,
    RulesSection,
)
from primewood.logic.interval import number
from primewood.render import lanes
from primewood.render.html.card import card
from primewood.render.html.conditions import ConditionRow
from primewood.render.numbers import few, format_count, short
from primewood.render.records import (
    CounterfactualRecord,
    DiagramRecord,
    DistributionRecord,
    EntryRecord,
    ExplanationRecord,
    FeatureRecord,
    LiteralRecord,
)

VOTES = {
    "mean": "the mean of what its trees say",
    "majority": "the majority vote of its trees",
    "sum": "the sum of what its trees add",
}
MOST_VALUES = 12


def list_facts(record: ReportRecord) -> list[tuple[str, str]]:
    """The model in a list of names and words."""
    model = record["model"]
    tested = len(model["tested"])
    facts = [
        ("Model", f"{model['model']} ({model['kind']})"),
        ("Digest", model["digest"]),
        (
            "Trees",
            f"{model['trees']:,}, depth at most {model['depth']}, {model['leaves']:,} leaves in all",
        ),
        ("Decisions", join_names(model["classes"])),
        ("How it decides", _tell_rule(model)),
        ("Features", f"{tested} of {len(model['scales'])} are tested by some tree"),
        ("Kinds of rows", f"{_round_count(model['cells'])} that the model distinguishes"),
        ("Missing values", _tell_missing(model)),
        ("Order of summation", _tell_summation(model)),
        ("Tried against the model", _tell_fidelity(model)),
        ("As one diagram", _tell_diagram(model["diagram"])),
    ]
    if model["immutable"]:
        facts.append(("Features that cannot change", join_names(model["immutable"])))
    return facts


def _tell_rule(model: ModelSection) -> str:
    words = f"by {VOTES[model['vote']]}" if model["trees"] > 1 else "by its one tree"
    if model["threshold"] is not None:
        what = "prediction" if model["kind"] == "regressor" else f"probability of {model['classes'][-1]}"
        words += f"; {model['classes'][-1]} if the {what} is at least {number(model['threshold'])}"
    elif model["between"] is not None:
        low, high = (number(end) for end in model["between"])
        words += f"; by whether the prediction is below {low}, above {high}, or between"
    return words


def _round_count(cells: str) -> str:
    return f"{int(cells):,}" if len(cells) <= 9 else f"about 10^{len(cells) - 1}"


def _tell_missing(model: ModelSection) -> str:
    if not model["may_be_missing"]:
        return "taken not to occur"
    return f"may occur in {join_names(model['may_be_missing'])}"


def _tell_summation(model: ModelSection) -> str:
    if model["summation"] == "any":
        return "not fixed by the model; what is proved here holds for every order"
    return "fixed, and followed to the last digit"


def _tell_fidelity(model: ModelSection) -> str:
    if "fidelity" in model:
        return f"{model['fidelity']['rows']:,} rows; {model['fidelity']['differ']:,} differ"
    if "predict_agrees" in model:
        agrees = model["predict_agrees"]
        return f"model.predict agrees on {agrees['same']:,} of {agrees['rows']:,} rows"
    return "not tried: no library model was given"


def _tell_diagram(diagram: DiagramRecord) -> str:
    if diagram["compiles"]:
        return f"compiles to {diagram['nodes']:,} nodes"
    return "does not compile within the seconds that this report spends on it; nothing here depends on that"


def list_features(record: ReportRecord) -> list[tuple[str, str, str, str]]:
    """Per feature: its name, what it holds, how finely it is tested, and whether it may be missing."""
    may = set(record["model"]["may_be_missing"])
    return [
        (
            entry["feature"],
            _tell_scale(entry),
            format_count(entry["cells"], "value") if entry["tested"] else "not tested",
            "yes" if entry["feature"] in may else "no",
        )
        for entry in record["model"]["scales"]
    ]


def _tell_scale(entry: FeatureRecord) -> str:
    if entry["kind"] == "categories":
        shown = [str(value) for value in entry["values"]]
        return few(shown, MOST_VALUES)
    low, high = entry["low"], entry["high"]
    if low is None or high is None:
        return f"numbers {entry['unit']}".rstrip()
    return f"{short(low)} to {short(high)} {entry['unit']}".rstrip()


@dataclass(frozen=True, slots=True)
class ShownChange:
    """A way to change a decision.

    Attributes
    ----------
    name : str
    changes : list of (feature, old, new)
    outcome, proof : str
        The decision then, and what is proved about the way.
    safe : sequence of ConditionRow
        Conditions under which the other decision stays.
    """

    name: str
    changes: list[tuple[str, str, str]]
    outcome: str
    proof: str
    safe: Sequence[ConditionRow] = ()


@dataclass(frozen=True, slots=True)
class CaseView:
    """A row whose decision is explained.

    Attributes
    ----------
    place : int
        For the anchor.
    title, about : str
    problem : str or None
        Why it cannot be explained.
    card : str
        HTML.
    ways : list of ShownChange
    whole : list of (feature, value)
    """

    place: int
    title: str
    about: str
    problem: str | None
    card: str = ""
    ways: Sequence[ShownChange] = ()
    whole: Sequence[tuple[str, str]] = ()


def view_cases(record: ReportRecord) -> list[CaseView]:
    """The decisions that are explained one by one."""
    return [_view_case(item, record["model"]) for item in record["cases"]["items"]]


def _view_case(item: CaseRecord, model: ModelSection) -> CaseView:
    title, chosen = f"Row {item['label']}", item["chosen"]
    if item["problem"] is not None:
        return CaseView(item["row"], title, chosen, item["problem"])
    if chosen in ("least certain", "most certain"):
        chosen = f"{chosen} of those decided {item['why']['decision']}"
    return CaseView(
        item["row"],
        title,
        f"{chosen[:1].upper()}{chosen[1:]}; {item['score']['what']} {item['score']['value']:.6g}.",
        None,
        card(_fit_page(item["why"], model), level=4),
        [_view_fewest(item["fewest"]), _view_nearest(item["nearest"])],
        [(entry["feature"], entry["shown"]) for entry in item["why"]["instance"]],
    )


def _fit_page(why: ExplanationRecord, model: ModelSection) -> ExplanationRecord:
    """The record with the distributions of the features that it mentions, without what the page says once for all."""
    scales: dict[str, DistributionRecord] = {entry["feature"]: entry for entry in model["scales"]}
    mentioned = {literal["feature"] for literal in why["literals"]}
    instance: list[EntryRecord] = [
        {**entry, **scales[entry["feature"]]} if entry["feature"] in mentioned else entry
        for entry in why["instance"]
    ]
    assumed = [words for words in why["assumptions"] if words not in model["assumptions"]]
    return {**why, "instance": instance, "assumptions": assumed, "model": None, "vote": None}


def _view_fewest(found: FewestFeaturesRecord) -> ShownChange:
    name = "the fewest features that change it"
    if found["status"] == "impossible":
        return ShownChange(name, [], "nothing changes it", "proved")
    if not found["changes"]:
        return ShownChange(name, [], "no change was found within the time limit", "")
    proof = "proved: no fewer are enough" if found["fewest"] else "perhaps fewer are enough"
    return ShownChange(name, _list_moves(found["changes"]), str(found["other"]), proof)


def _view_nearest(found: CounterfactualRecord) -> ShownChange:
    name = "the nearest row with a different decision"
    if found["status"] == "impossible":
        return ShownChange(name, [], "there is none", "proved")
    if found["row"] is None:
        return ShownChange(name, [], "none was found within the time limit", "")
    proof = "proved: none is nearer" if found["status"] == "proved" else "perhaps another one is nearer"
    safe = [_view_condition(literal) for literal in found["box"] if literal["feature"] in found["changes"]]
    return ShownChange(name, _list_moves(found["changes"]), str(found["other"]), proof, safe)


def _view_condition(literal: LiteralRecord) -> ConditionRow:
    return ConditionRow.of(lanes.track(lanes.make_entry(literal), literal))


def _list_moves(changes: FeatureChanges) -> list[tuple[str, str, str]]:
    return [(feature, str(old), str(new)) for feature, (old, new) in changes.items()]


@dataclass(frozen=True, slots=True)
class RuleView:
    """A rule as it is shown.

    Attributes
    ----------
    decision : str
    conditions : list of ConditionRow
    covers, rows, new_rows : int
        How many rows of the report it covers, how many of those that rules were grown from, and how many of these
        no earlier rule covers.
    share : float
        Of the rows of the report.
    prime : bool
        Whether it is proved that it cannot be widened.
    """

    decision: str
    conditions: list[ConditionRow]
    covers: int
    rows: int
    new_rows: int
    share: float
    prime: bool


def view_rules(rules: RulesSection) -> list[RuleView]:
    """The rules as they are shown."""
    return [
        RuleView(
            str(rule["decision"]),
            [_view_condition(literal) for literal in rule["literals"]],
            rule["covers"],
            rule["rows"],
            rule["new_rows"],
            rule["covers"] / rules["counted"] if rules["counted"] else 0.0,
            rule["status"] == "proved",
        )
        for rule in rules["rules"]
    ]


@dataclass(frozen=True, slots=True)
class PropertyView:
    """A property with its outcome.

    Attributes
    ----------
    kind : str
        "stated", "independent", "increasing" or "decreasing".
    stated, outcome, words : str
        The property, its outcome, and what is known, as a sentence.
    told : list of str
        How much breaks it, and what it depends on.
    decisions : list of str
        On the rows that show it; of a property of the output, the outputs.
    cells : list of (feature, values, whether they differ)
        What these rows hold.
    """

    kind: str
    stated: str
    outcome: str
    words: str
    told: list[str]
    decisions: list[str]
    cells: list[tuple[str, list[str], bool]]

    @property
    def differing(self) -> list[tuple[str, list[str], bool]]:
        """What the rows differ in."""
        return [cell for cell in self.cells if cell[2]]

    @property
    def shared(self) -> list[tuple[str, str]]:
        """What the rows have in common."""
        return [(name, values[0]) for name, values, differs in self.cells if not differs]


def view_property(item: PropertyRecord) -> PropertyView:
    """A property as it is shown; of two rows that differ in a feature that goes up, the lower one first."""
    rows, decisions = item["shown"], item["decisions"]
    if item["kind"] == "decreasing":
        rows, decisions = rows[::-1], decisions[::-1]
    apart = set(item["differ_in"])
    return PropertyView(
        item["kind"],
        item["property"],
        item["outcome"],
        item["words"],
        _list_notes(item),
        [str(x) if not isinstance(x, float) else f"output {short(x)}" for x in decisions],
        [(name, [row[name] for row in rows], name in apart) for name in (rows[0] if rows else ())],
    )


def _list_notes(item: PropertyRecord) -> list[str]:
    """How many rows break a property, and how far its proof came."""
    if item["outcome"] == "holds":
        return []
    broken = item["breaking"] and item["breaking"]["text"]
    return [f"{line[:1].upper()}{line[1:]}." for line in (broken, item["note"]) if line]


def view_properties(items: Iterable[PropertyRecord]) -> list[PropertyView]:
    """The properties that were stated, in their order."""
    return [view_property(item) for item in items]


@dataclass(frozen=True, slots=True)
class FeatureView:
    """What was asked about one feature, by kind of question."""

    feature: str
    by_kind: dict[str, PropertyView]

    @property
    def shown(self) -> list[PropertyView]:
        """The questions with rows that show the outcome."""
        return [one for one in self.by_kind.values() if one.cells]


def group_by_feature(items: Iterable[PropertyRecord]) -> list[FeatureView]:
    """The questions that are asked by default, feature by feature, in the order in which they were asked."""
    found: dict[str, dict[str, PropertyView]] = {}
    for item in items:
        found.setdefault(item["features"][0], {})[item["kind"]] = view_property(item)
    return [FeatureView(name, by_kind) for name, by_kind in found.items()]
