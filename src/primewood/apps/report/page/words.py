"""What a report found, in the few sentences that an auditor needs.

Sentences are made from the record alone: a number in them is a number of the record.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from primewood.apps.report.records import (
    CasesSection,
    ConfirmationRecord,
    FeaturesSection,
    PropertiesSection,
    PropertyRecord,
    ReportRecord,
    RobustnessSection,
    RulesSection,
)
from primewood.render import text
from primewood.render.numbers import few, format_count

MOST_NAMES = 8
"""The most things that a sentence lists."""
WHO = {
    "predict": "the model's own predict",
    "scores": "the model's own scores",
    "reading": "the trees as they were read",
}
"""Who decided the evidence once more."""


def summarise(record: ReportRecord) -> list[str]:
    """What was found, in sentences."""
    return [
        *_introduce(record),
        *_count_cases(record["cases"]),
        *_confirm(record["confirmation"]),
        *_sum_up_properties(record["properties"]),
        *_sum_up_rules(record["rules"]),
        *_sum_up_robustness(record["robustness"]),
    ]


def join_names(things: Iterable[object]) -> str:
    """Things in a sentence.

    >>> join_names(["a"]), join_names(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    words = [str(thing) for thing in things]
    if len(words) > MOST_NAMES + 1:
        return few(words, MOST_NAMES)
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def count_explanations(count: int) -> str:
    """A number of explanations.

    >>> count_explanations(1), count_explanations(12345)
    ('1 explanation', '12,345 explanations')
    """
    return f"{count:,} explanation{'' if count == 1 else 's'}"


def format_percent(part: float) -> str:
    """A share in percent, in three digits, never more than it is.

    >>> format_percent(0.005839), format_percent(0.0), format_percent(0.25), format_percent(1.7)
    ('0.583%', '0%', '25%', '170%')
    """
    if part <= 0:
        return "0%"
    digits = 2 - math.floor(math.log10(100 * part))
    scaled = math.floor(100 * part * 10.0**digits)
    shown = f"{scaled / 10.0**digits:.{max(digits, 0)}f}"
    return f"{shown.rstrip('0').rstrip('.') if '.' in shown else shown}%"


def name_rows(source: str) -> str:
    """What the rows of a report are called."""
    return {"given": "rows given", "training": "training rows"}[source]


def _introduce(record: ReportRecord) -> list[str]:
    model, rows = record["model"], record["rows"]
    trees = format_count(model["trees"], "tree")
    words = [
        f"The model is a {model['model']} of {trees}. It decides between {join_names(model['classes'])}."
    ]
    if rows["source"] != "none":
        shares = [f"{one['rows']:,} {one['decision']}" for one in rows["decisions"] if one["rows"]]
        which = name_rows(rows["source"])
        words.append(f"Of {rows['decided']:,} {which}, it decides {join_names(shares)}.")
    if "fidelity" in model:
        tried, differ = model["fidelity"]["rows"], model["fidelity"]["differ"]
        outcome = "every score and every decision was the same" if not differ else f"{differ:,} differed"
        words.append(
            f"The reading of the model was tried against the model itself on {tried:,} rows: {outcome}."
        )
    return words


def _count_cases(cases: CasesSection) -> list[str]:
    statuses = cases["statuses"]
    explained = statuses.get("proved", 0) + statuses.get("interrupted", 0)
    if not explained:
        return []
    proved = statuses.get("proved", 0)
    which = "all of them" if proved == explained else f"{proved} of them"
    return [
        f"{format_count(explained, 'decision is', 'decisions are')} explained one by one. Each is proved not to change "
        f"while the conditions shown hold; for {which} it is also proved that no condition can be weakened."
    ]


def _confirm(confirmation: ConfirmationRecord) -> list[str]:
    rows, agree, by = confirmation["rows"], confirmation["agree"], confirmation["by"]
    if by is None or agree < rows:
        return []
    return [
        f"Every row that serves as evidence here was decided once more by {WHO[by]}, and decided as shown "
        f"({format_count(rows, 'row')})."
    ]


def _sum_up_properties(properties: PropertiesSection) -> list[str]:
    items = properties["items"]
    if properties["stated"]:
        outcomes = [item["outcome"] for item in items]
        words = {
            "holds": ("holds", "hold"),
            "fails": ("fails", "fail"),
            "undecided": ("is undecided", "are undecided"),
        }
        told = [format_count(outcomes.count(one), *words[one]) for one in words if one in outcomes]
        return [
            f"Of {format_count(len(items), 'property', 'properties')} that were stated, {join_names(told)}."
        ]
    found = []
    fails, holds = (find_features(items, "independent", one) for one in ("fails", "holds"))
    asked = sum(item["kind"] == "independent" for item in items)
    if fails:
        which = (
            f"each of the {asked} features that it tests" if len(fails) == asked > 1 else join_names(fails)
        )
        found.append(
            f"{which[:1].upper()}{which[1:]} can change a decision alone; rows that show it are below."
        )
    if holds:
        found.append(f"Proved for every row: no decision depends on {join_names(holds)}.")
    for kind in ("increasing", "decreasing"):
        one_way = [name for name in find_features(items, kind, "holds") if name not in holds]
        if one_way:
            found.append(f"Proved for every row: {_join_claims(items, kind, join_names(one_way))}")
    return found


def _join_claims(items: Sequence[PropertyRecord], kind: str, features: str) -> str:
    """What is proved of features in which decisions go one way only."""
    example = next(item for item in items if item["kind"] == kind)
    claim: str = example["claim"]
    return claim.replace(f"raising {example['features'][0]} ", f"raising {features} ", 1) + "."


def find_features(items: Sequence[PropertyRecord], kind: str, outcome: str) -> list[str]:
    """The features for which a question of this kind has this outcome."""
    return [item["features"][0] for item in items if item["kind"] == kind and item["outcome"] == outcome]


def _sum_up_rules(rules: RulesSection) -> list[str]:
    if rules["absent"] is not None or not rules["counted"]:
        return []
    count, share = len(rules["rules"]), text.write_share(rules["covered"] / rules["counted"])
    which = "The rule below, proved for every row, decides"
    if count > 1:
        which = f"The {count} rules below, each proved for every row, decide"
    return [f"{which} {rules['covered']:,} of {rules['counted']:,} rows ({share})."] if count else []


def _sum_up_robustness(found: RobustnessSection) -> list[str]:
    if found["absent"] is not None:
        return []
    drawn = f"Of {format_count(found['measured'], 'row')} drawn at random, "
    if found["least"] is None:
        return [f"{drawn}none can be moved to another decision."]
    if found["median"] is None:
        return [f"{drawn}more than half cannot be moved to another decision."]
    return [
        f"{drawn}half keep their decision, proved, while no number moves by more than "
        f"{format_percent(found['median'])} of its range; the least robust of them while none moves by more than "
        f"{format_percent(found['least'])}."
    ]


def describe_feature_use(found: FeaturesSection) -> list[str]:
    """Over what feature use is counted, and over what the changes that features make alone."""
    if found["source"] == "batch":
        return [*_describe_batch(found), _describe_sample(found)]
    early = "" if found["finished"] else f" ({found['explained']} rows were explained within the time limit)"
    return [
        f"Two counts over a sample of {format_count(found['sampled'], 'row')}, drawn at random.",
        f"The first says in how many explanations a feature is mentioned{early}.",
        "The second says on how many rows the feature alone can change the decision, with everything else as it is: "
        f"{_tell_values(found)}",
    ]


def _describe_batch(found: FeaturesSection) -> list[str]:
    """What is said of explanations that were made before the report."""
    many = "Two counts. The first" if found["sampled"] else "This count"
    over = count_explanations(found["explained"])
    words = [f"{many}, over the {over} in the batch, says how many of them mention a feature."]
    if not found["finished"]:
        words.append("The batch is not finished: these are the explanations so far.")
    if found["failed"]:
        words.append(
            f"{found['failed']:,} of its {found['rows']:,} rows could not be explained, and are left out."
        )
    if found["taken_over"]:
        words.append(
            f"{found['taken_over']:,} of its rows took over the explanation of another row that covers them too; "
            "it counts for each."
        )
    return words


def _describe_sample(found: FeaturesSection) -> str:
    if not found["sampled"]:
        return "There are no rows to try on what a feature can change alone."
    return (
        f"The second, over a sample of {format_count(found['sampled'], 'row')} of the report, drawn at random, says "
        "on how many of these the feature alone can change the decision, with everything else as it is: "
        f"{_tell_values(found)}"
    )


def _tell_values(found: FeaturesSection) -> str:
    early = (
        f" (on {found['alone_rows']} rows, within the time limit)"
        if found["alone_rows"] < found["sampled"]
        else ""
    )
    return f"every value that the model distinguishes was tried{early}."
