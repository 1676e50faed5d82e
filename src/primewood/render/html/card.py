"""Cards of explanations and of other answers, for notebooks and pages.

A card is one HTML fragment with its own style: no script, no id, nothing to load. What is drawn is also said in words,
so that it reads the same without colours, without style, and aloud. All cards have one frame: a title with a badge,
what it rests on, and a small foot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from primewood.errors import InvalidInput
from primewood.logic.interval import number
from primewood.render import group as group_words
from primewood.render import importance as words
from primewood.render import lanes, text
from primewood.render.html.conditions import MOST_DRAWN, MOST_LISTED, ConditionRow, ConditionRows
from primewood.render.html.environment import render, style
from primewood.render.numbers import few, format_count, short
from primewood.render.records import (
    BatchRecord,
    CounterfactualRecord,
    CoverageRecord,
    EntryRecord,
    ExclusionRecord,
    ExplanationRecord,
    FeatureImportanceRecord,
    GroupRecord,
    GroupRuleRecord,
    ImportanceRecord,
    LiteralRecord,
    RuleListRecord,
    RuleRecord,
    SummaryRecord,
    VerificationRecord,
)
from primewood.visible import visible_record

BADGES = {
    "proved": "Proved",
    "interrupted": "Stopped early",
    "impossible": "Not possible",
    "failed": "Failed",
    "holds": "Holds",
    "fails": "Fails",
    "undecided": "Undecided",
}
NAMES = {"literal_language": "literals"}
"""The names of fields in the foot of a card, where they differ from the record."""
MOST_NAMES = 12
"""The most features that are named in a line, and drawn in a list; the others are folded."""
MOST_ROWS = 10
"""The most rows of a batch that are listed."""
MOST_RULES = 30
"""The most rules of a list that are shown."""
MOST_RANGES = 60
"""The most conditions of a list of rules that are drawn."""
MOST_CHANGES = 24
"""The most changes that are listed, each with an example."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The parts of every card.

    Attributes
    ----------
    label : str
        What the card is about, for screen readers.
    eyebrow, title, lead : str
        The line above the title, the title, and the text after it.
    status, badge : str
        The status, and the text of the badge.
    score, in_short : str
        What the decision is based on, and the decision in short; nothing for other cards.
    level : int
        Of the heading.
    notes, asides : sequences of str
    foot : sequence of pairs
        Names and values.
    """

    label: str
    eyebrow: str
    title: str
    lead: str
    status: str
    badge: str
    level: int
    notes: Sequence[str]
    asides: Sequence[str]
    foot: Sequence[tuple[str, object]]
    score: str = ""
    in_short: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """A name, a figure as text, and the share that is drawn under it, if it is a share."""

    name: str
    words: str
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A list of counts: its title, the shown entries, the folded entries, and how many are left out."""

    title: str
    entries: list[tuple[str, int]]
    more: list[tuple[str, int]]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Changes:
    """What would change a decision: pieces of conditions with their examples, and how much is left out, in words."""

    shown: Sequence[tuple[Sequence[text.Piece], ExclusionRecord]]
    left_out: str


@dataclass(frozen=True, slots=True)
class CountedFeature:
    """A feature with its counts, each in words and as a share."""

    feature: str
    counts: Sequence[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class ExplainedRow:
    """A row of a batch: its label, and its explanation or failure, in words."""

    label: object
    decision: object
    conditions: ConditionRows
    failed: str


@dataclass(frozen=True, slots=True)
class ListedRule:
    """A rule of a list: its conditions, those that are drawn, and how much it covers as a share and in words."""

    decision: object
    conditions: ConditionRows
    ranges: Sequence[ConditionRow]
    share: float
    covered: str


def card(record: ExplanationRecord, *, level: int = 2) -> str:
    """The card of an explanation.

    Parameters
    ----------
    record
        What `Explanation.to_dict` returns; if it has witnesses and a distribution, these are shown too.
    level
        Of the heading, from 1 to 5.
    """
    shown = lanes.tracks(record["literals"], record["instance"], record.get("near"))
    frame = Frame(
        label=f"Why {record['decision']}",
        eyebrow="Decision",
        title=str(record["decision"]),
        lead=_lead(len(shown.conditions), near="near" in record),
        score=_reason(record),
        in_short=text.write_in_short(record["in_short"]) if "in_short" in record else "",
        status=record["status"],
        badge=BADGES[record["status"]],
        level=check_heading(level),
        notes=record["notes"],
        asides=[
            *text.list_proved(record),
            *([text.describe_near(record["near"])] if "near" in record else []),
            *assume(record["assumptions"]),
            *_describe_kept(shown.kept),
            *_describe_untested(shown.untested),
        ],
        foot=_foot(record, "model", "vote", "literal_language"),
    )
    return style() + render(
        "card.html.j2",
        frame=frame,
        middle=_middle(record),
        about_a_row=any(track.value for track in shown.conditions),
        conditions=ConditionRows.of(shown.conditions),
        free=ConditionRows.of(shown.free),
        changes=_changes(record, shown),
        facts=[*_list_coverage(record), *_best(record)],
    )


def batch(record: BatchRecord | SummaryRecord, *, level: int = 2) -> str:
    """The card of the explanations of many rows: `Batch.to_dict`, or its summary alone."""
    summary = record["summary"] if "summary" in record else record  # noqa: SIM401
    index, whys = (record["index"], record["explanations"]) if "summary" in record else ([], [])
    statuses: Mapping[str, int] = summary["statuses"]
    status = next((name for name in ("failed", "impossible", "interrupted") if statuses.get(name)), "proved")
    told = [f"{count} {BADGES[name].lower()}" for name, count in statuses.items()]
    frame = Frame(
        label="Explanations of many rows",
        eyebrow="Explanations",
        title=format_count(summary["rows"], "row"),
        lead="",
        status=status,
        badge=", ".join(told) if len(told) > 1 else "All proved" if status == "proved" else told[0],
        level=check_heading(level),
        notes=(),
        asides=(),
        foot=_foot(whys[0], "model", "vote", "literal_language") if whys else (),
    )
    sizes = {f"{format_count(int(size), 'condition')}": count for size, count in summary["sizes"].items()}
    return style() + render(
        "batch.html.j2",
        frame=frame,
        summary=summary,
        sections=[
            _section("Decisions", summary["decisions"]),
            _section("Conditions per row", sizes),
            _section("Features used", summary["features"]),
        ],
        facts=_spread(summary["coverage"]),
        caption=f"The first {MOST_ROWS} rows" if len(whys) > MOST_ROWS else "The rows",
        rows=_first(index, whys),
    )


def verification(record: VerificationRecord, *, level: int = 2) -> str:
    """The card of a property: `Verification.to_dict`."""
    frame = Frame(
        label=f"{BADGES[record['outcome']]}: {record['property']}",
        eyebrow="Property",
        title=record["property"],
        lead=record["words"],
        status=record["outcome"],
        badge=BADGES[record["outcome"]],
        level=check_heading(level),
        notes=[_sentence(record["note"])] if record["outcome"] == "undecided" and record["note"] else [],
        asides=[*_broken(record), *_scores(record), *assume(record["assumptions"])],
        foot=_foot(record, "model"),
    )
    rows = record.get("shown", [])
    differ = set(record["differ_in"])
    return style() + render(
        "table.html.j2",
        frame=frame,
        caption="Two rows that show it" if len(rows) > 1 else "A row that shows it",
        head=["Feature", *map(str, record["decisions"]), *(["Differs"] if differ else [])],
        rows=[
            [name, *(row[name] for row in rows), *(["yes" if name in differ else ""] if differ else [])]
            for name in (rows[0] if rows else ())
        ],
        facts=_broken_share(record),
    )


def counterfactual(record: CounterfactualRecord, *, level: int = 2) -> str:
    """The card of a counterfactual: `Counterfactual.to_dict`."""
    found = record["row"] is not None
    nearest = {"proved": "Nearest, proved"}.get(record["status"], BADGES[record["status"]])
    frame = Frame(
        label=f"What makes it {record['other']}" if found else "Nothing found that changes the decision",
        eyebrow=f"Instead of {record['decision']}",
        title=str(record["other"]) if found else "nothing else",
        lead=_describe_changes(record, found),
        score=_describe_row(record),
        status=record["status"],
        badge=nearest,
        level=check_heading(level),
        notes=(),
        asides=[f"Safe as long as {record['advice']}, everything else unchanged."]
        if record["advice"]
        else (),
        foot=_foot(record, "model"),
    )
    return style() + render(
        "table.html.j2",
        frame=frame,
        caption="What changes",
        head=["Feature", "Now", "Then"],
        rows=[[name, show_value(old), show_value(new)] for name, (old, new) in record["changes"].items()],
        facts=_distance(record),
    )


def rule_list(record: RuleListRecord, *, level: int = 2) -> str:
    """The card of a rule list: `RuleList.to_dict`."""
    total = sum(entry["rows"] for entry in record["decisions"])
    covered = sum(entry["covered"] for entry in record["decisions"])
    share = f" ({text.write_share(covered / total)})" if total else ""
    stopped = "More rules may cover more, and a rule may not be prime: the search stopped early."
    frame = Frame(
        label="Rules of the model",
        eyebrow="Rules of the model",
        title=format_count(len(record["rules"]), "rule"),
        lead=f"each right on every row that it covers; "
        f"together {covered} of {format_count(total, 'training row')}{share}",
        status=record["status"],
        badge=BADGES[record["status"]],
        level=check_heading(level),
        notes=[] if record["status"] == "proved" else [stopped],
        asides=assume(record["assumptions"]),
        foot=_foot(record, "model", "vote", "literal_language"),
    )
    return style() + render(
        "rules.html.j2",
        frame=frame,
        middle="Allowed, over the training range",
        rules=_limit_ranges([_rule(rule, total) for rule in record["rules"][:MOST_RULES]]),
        left_out=max(0, len(record["rules"]) - MOST_RULES),
        caption="Training rows",
        head=["Decision", "Rows", "Covered", "In no rule"],
        lines=[[x["decision"], x["rows"], x["covered"], x["uncovered"]] for x in record["decisions"]],
    )


def group_rules(record: GroupRecord, *, level: int = 2) -> str:
    """The card of the rules of a group of rows: `GroupExplanation.to_dict`."""
    frame = Frame(
        label="Rules of a group",
        eyebrow="Rules of a group",
        title=str(record["decision"]),
        lead=group_words.sum_up(record),
        status=record["status"] or "",
        badge="In short" if record["status"] is None else BADGES[record["status"]],
        level=check_heading(level),
        notes=group_words.note_group(record),
        asides=assume(record["assumptions"]),
        foot=_foot(record, "model", "vote", *(["literal_language"] if record["literal_language"] else [])),
    )
    shown = record["rules"][:MOST_RULES]
    reasons = Counter(row["reason"] for row in record["uncovered"])
    return style() + render(
        "rules.html.j2",
        frame=frame,
        middle="Allowed, over the training range",
        rules=_limit_ranges([_group_rule(rule, record["decision"], record["rows"]) for rule in shown]),
        left_out=max(0, len(record["rules"]) - MOST_RULES),
        caption="Rows of the group",
        head=["Rows", "Covered", *reasons],
        lines=[[record["rows"], record["covered"], *reasons.values()]],
    )


def importance(record: ImportanceRecord, *, level: int = 2) -> str:
    """The card that shows which features matter, made from `Importance.to_dict`."""
    done = record["undecided"] == 0
    frame = Frame(
        label="Which features matter",
        eyebrow="Importance",
        title="Which features matter",
        lead=f"over {format_count(record['rows'], 'row')}: how often each is in the explanation, and how often it "
        "flips the decision alone",
        status="proved" if done else "interrupted",
        badge="Exact counts" if done else f"{format_count(record['undecided'], 'row')} undecided",
        level=check_heading(level),
        notes=words.describe_undecided(record),
        asides=[f"{line}." for line in words.left_out(record)]
        + [f"{words.IN_EXPLANATIONS} {words.FLIPS_ALONE}", words.CAVEAT, *assume(record["assumptions"])],
        foot=[*_foot(record, "model"), ("literals", record["literal_language"])],
    )
    used = [x for x in record["importance"] if x["in_explanations"] or x["flips_alone"]]
    return style() + render(
        "importance.html.j2",
        frame=frame,
        rows=[_importance(entry, record) for entry in used[: words.MOST_FEATURES]],
    )


def _importance(entry: FeatureImportanceRecord, record: ImportanceRecord) -> CountedFeature:
    pairs = (entry["in_explanations"], record["explained"]), (entry["flips_alone"], record["tested"])
    shares = [count / whole if whole else 0.0 for count, whole in pairs]
    first, second = words.cells(entry, record)
    return CountedFeature(entry["feature"], [(first, shares[0]), (second, shares[1])])


def _changes(record: ExplanationRecord, shown: lanes.Tracks) -> Changes:
    """The values that the first conditions exclude, each with an example, and how many are left out."""
    drawn = {track.feature for track in shown.conditions[:MOST_DRAWN]}
    items = [x for x in visible_record(record.get("excludes", [])) if x["literal"]["feature"] in drawn]
    kept = [
        ([piece.typeset() for piece in text.split_at_name(x["literal"])], x) for x in items[:MOST_CHANGES]
    ]
    return Changes(kept, text.note_left_out(record, len(kept)))


def check_heading(level: int) -> int:
    """The level of a heading; raises for an invalid level."""
    if level not in range(1, 6):
        raise InvalidInput(f"the level of a heading must be a number from 1 to 5, not {level!r}")
    return level


def _lead(conditions: int, *, near: bool = False) -> str:
    if not conditions:
        return "for every row near this one" if near else "always, for every row"
    words = {1: "whenever this holds", 2: "whenever both of these hold"}
    told = words.get(conditions, f"whenever all {conditions} of these hold")
    return f"near this row, {told}" if near else told


def _middle(record: ExplanationRecord) -> str:
    known = any(entry.get("low") is not None for entry in record["instance"])
    return "Allowed, over the training range" if known else "Allowed"


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def assume(assumptions: Sequence[str]) -> list[str]:
    """The assumptions of an answer, as a sentence; only the first if there are many."""
    return [f"Assumes: {few(assumptions, MOST_NAMES, '; ')}."] if assumptions else []


def _describe_row(record: CounterfactualRecord) -> str:
    """What the decision on the row is based on."""
    score = record.get("score")
    return f"Now {score['text']}" if score else ""


def _reason(record: ExplanationRecord) -> str:
    """What the decision is based on, without its name, which is the title."""
    score = record.get("score")
    return score["reason"] if score else ""


def _describe_kept(names: tuple[str, ...]) -> list[str]:
    if not names:
        return []
    told = format_count(len(names), "feature stays as it is", "features stay as they are")
    return [f"{told}: {few(names, MOST_NAMES)}."]


def _describe_untested(names: tuple[str, ...]) -> list[str]:
    if not names:
        return []
    verb = "is" if len(names) == 1 else "are"
    return [f"{format_count(len(names), 'feature')} {verb} in no tree: {few(names, MOST_NAMES)}."]


def _foot(record: Mapping[str, object], *keys: str) -> list[tuple[str, object]]:
    return [(NAMES.get(key, key), record[key]) for key in keys if record.get(key) is not None]


def _list_coverage(record: ExplanationRecord) -> list[Fact]:
    if record["coverage"] is None or record["volume"] is None:
        return []
    facts = [Fact("Training rows covered", text.write_share(record["coverage"]), record["coverage"])]
    if text.has_volume(record):
        facts.append(Fact("Feature space covered", text.write_share(record["volume"]), record["volume"]))
    return facts


def _best(record: ExplanationRecord) -> list[Fact]:
    """The proved bounds on the best explanation, for a shortest or a widest one."""
    if record["bounds"] is None:
        return []
    low, high = (None if x is None else short(x) for x in record["bounds"])
    words = f"{low} to {high}" if low != high else str(low)
    if low is None or high is None:
        words = f"at least {low}" if high is None else f"at most {high}"
    return [Fact(f"The {record['goal']} possible, proved", words)]


def _spread(coverage: CoverageRecord | None) -> list[Fact]:
    if coverage is None:
        return []
    return [
        Fact(f"{name.capitalize()} coverage of the training rows", text.write_share(share), share)
        for name, share in text.name_coverage(coverage)
    ]


def _section(title: str, counts: Mapping[str, int]) -> Section:
    entries = [(str(name), count) for name, count in counts.items()]
    used = sum(count > 0 for _, count in entries)
    shown = min(MOST_NAMES, max(used, 1))
    shown += len(entries) == shown + 1
    listed = entries[shown : shown + MOST_LISTED]
    return Section(title, entries[:shown], listed, len(entries) - shown - len(listed))


def _first(index: Sequence[object], whys: Sequence[ExplanationRecord]) -> list[ExplainedRow]:
    return [
        ExplainedRow(
            label,
            why["decision"],
            _conditions(why["literals"], why["instance"]),
            text.write_rule(why) if why["status"] == "failed" else "",
        )
        for label, why in list(zip(index, whys, strict=True))[:MOST_ROWS]
    ]


def _conditions(literals: Sequence[LiteralRecord], instance: Sequence[EntryRecord]) -> ConditionRows:
    return ConditionRows.of(lanes.tracks(literals, instance).conditions)


def _broken(record: VerificationRecord) -> list[str]:
    """How many training rows break a property, and which."""
    return [_sentence(record["breaking"]["text"])] if record["breaking"] else []


def _scores(record: VerificationRecord) -> list[str]:
    """What the decisions on the witnesses are based on."""
    texts = [score["text"] for score in record.get("scores", ()) if score is not None]
    return [_sentence("; ".join(texts))] if texts else []


def _broken_share(record: VerificationRecord) -> list[Fact]:
    found = record["breaking"]
    if not found or not found["count"]:
        return []
    words = f"{'' if found['complete'] else 'at least '}{found['count']:,} of {found['rows']:,}"
    return [Fact("Training rows that break it", words, found["count"] / found["rows"])]


def _describe_changes(record: CounterfactualRecord, found: bool) -> str:
    if found:
        return f"when {format_count(len(record['changes']), 'feature changes', 'features change')}"
    if record["status"] == "impossible":
        return "no row that may be moved to gets a different decision"
    return "no other decision was found in time"


def _distance(record: CounterfactualRecord) -> list[Fact]:
    facts = [] if record["cost"] is None else [Fact(f"Distance ({record['norm']})", short(record["cost"]))]
    if record["lower"] is not None and record["status"] != "proved":
        facts.append(Fact("None is nearer than", short(record["lower"])))
    return facts


def show_value(value: object) -> str:
    """A value of a row in words."""
    if value is None:
        return "missing"
    return number(value) if isinstance(value, float) else str(value)


def _limit_ranges(rules: Sequence[ListedRule]) -> list[ListedRule]:
    """The rules; the first ones also have their conditions drawn, up to a limit."""
    found, room = [], MOST_RANGES
    for rule in rules:
        room -= len(rule.ranges)
        found.append(rule if room >= 0 else replace(rule, ranges=()))
    return found


def _rule(rule: RuleRecord, total: int) -> ListedRule:
    """A rule of a list, without the row that it was grown from."""
    more = f", {rule['new_rows']} of them new" if rule["new_rows"] < rule["rows"] else ""
    conditions = _conditions(rule["literals"], _hide_row(rule["instance"]))
    share = rule["rows"] / total if total else 0.0
    covered = f"{format_count(rule['rows'], 'training row')}{more}"
    return ListedRule(rule["decision"], conditions, conditions.drawn, share, covered)


def _group_rule(rule: GroupRuleRecord, decision: object, total: int) -> ListedRule:
    """A rule of a group, without the row that it was grown from."""
    instance = [] if rule["proved"] is None else _hide_row(rule["proved"]["instance"])
    conditions = _conditions(group_words.list_literals(rule), instance)
    covered = group_words.count_covered(rule)
    return ListedRule(decision, conditions, conditions.drawn, rule["rows"] / total, covered)


def _hide_row(instance: Sequence[EntryRecord]) -> list[EntryRecord]:
    """What is known about features, without the values of a row."""
    return [{**x, "value": None, "shown": ""} for x in instance]
