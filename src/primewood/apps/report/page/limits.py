"""What a report does not say: proofs that the time limit cut off, questions that were not asked, rows left out."""

from __future__ import annotations

from collections.abc import Sequence

from primewood.apps.report.page.words import WHO, find_features, join_names, name_rows
from primewood.apps.report.records import (
    CasesSection,
    FeaturesSection,
    ModelSection,
    PropertiesSection,
    ReportRecord,
    RobustnessSection,
    RowsSection,
    RulesSection,
)
from primewood.render.numbers import format_count

SCOPE = (
    "The report says what the model decides and why. It does not say whether the decisions are right, fair or lawful.",
    "What is proved holds for every row that the model accepts, under the assumptions listed. Counts are "
    "only about the rows that were counted.",
)


def list_alarms(record: ReportRecord) -> list[str]:
    """Evidence that contradicts the model itself, which must never happen."""
    found = record["confirmation"]
    wrong, by = found["rows"] - found["agree"], found["by"]
    if by is None or not wrong:
        return []
    return [
        f"Evidence rows that got a different decision from {WHO[by]}: {wrong:,} of {found['rows']:,}. Do not rely on "
        "this report before that is understood."
    ]


def list_limits(record: ReportRecord) -> list[str]:
    """What is not proved, not asked or left out in this report, in sentences."""
    return [
        *_list_reading_limits(record["model"]),
        *_list_rows_limits(record["rows"]),
        *_list_cases_limits(record["cases"]),
        *_list_properties_limits(record["properties"], record["model"]["classes"]),
        *_list_rules_limits(record["rules"]),
        *_list_robustness_limits(record["robustness"]),
        *_list_features_limits(record["features"]),
    ]


def _list_reading_limits(model: ModelSection) -> list[str]:
    if "fidelity" in model:
        return []
    if "predict_agrees" in model:
        agrees = model["predict_agrees"]
        return [
            "The report is about the majority vote of the trees, which is not the vote of the model itself: "
            f"model.predict agrees on {agrees['same']:,} of {agrees['rows']:,} training rows."
        ]
    return ["The trees were not compared with the library's predictions, because no library model was given."]


def _list_rows_limits(rows: RowsSection) -> list[str]:
    if rows["source"] == "none":
        return ["There were no rows: nothing is counted, and no single decision is explained."]
    found = []
    if rows["decided"] < rows["rows"]:
        found.append(
            f"Only the first {rows['decided']:,} of {rows['rows']:,} rows were processed within the time limit."
        )
    if rows["outside"]:
        found.append(
            f"{format_count(rows['outside'], 'row is', 'rows are')} not possible under the assumptions, and left out."
        )
    return found


def _list_cases_limits(cases: CasesSection) -> list[str]:
    found = []
    early, none = cases["statuses"].get("interrupted", 0), cases["statuses"].get("impossible", 0)
    refused = sum(item["problem"] is not None for item in cases["items"])
    if early:
        found.append(
            f"{format_count(early, 'explanation was', 'explanations were')} stopped early: what they say holds, but "
            "perhaps a condition can be weakened."
        )
    if none:
        found.append(
            f"{format_count(none, 'decision has', 'decisions have')} no explanation; the notes say why."
        )
    if refused:
        found.append(
            f"Rows that were asked for and cannot be explained: {refused:,}. The reason is beside each of them."
        )
    explained = [item for item in cases["items"] if item["problem"] is None]
    fewest, nearest = ([item["fewest"] for item in explained], [item["nearest"] for item in explained])
    for ways, doubt in (
        (fewest, "fewer features may be enough to change it"),
        (nearest, "a nearer row may exist"),
    ):
        early = sum(way["status"] == "interrupted" for way in ways)
        if early:
            found.append(f"For {format_count(early, 'decision')}, {doubt}.")
    return found


def _name_directions(classes: Sequence[object]) -> list[tuple[str, str]]:
    """What breaks each direction that is asked about, in words."""
    if len(classes) == 2:
        low, high = classes
        return [("increasing", f"turn {high} into {low}"), ("decreasing", f"turn {low} into {high}")]
    return [("increasing", "move a decision down"), ("decreasing", "move a decision up")]


def _list_properties_limits(properties: PropertiesSection, classes: Sequence[object]) -> list[str]:
    items = properties["items"]
    undecided = [item for item in items if item["outcome"] == "undecided"]
    if properties["stated"]:
        told = join_names(f"“{item['property']}”" for item in undecided)
        return [f"Neither proved nor broken within the time limit: {told}."] if undecided else []
    found = [
        "No properties were stated. By default the report asks whether each feature alone can change a decision."
    ]
    if not properties["ordered"]:
        found.append(
            "Whether decisions only go up or down with a feature was not asked: the decisions have no order."
        )
    if open_ := find_features(items, "independent", "undecided"):
        found.append(
            f"Undecided within the time limit: whether a decision can depend on {join_names(open_)} alone."
        )
    for kind, way in _name_directions(classes):
        if open_ := find_features(items, kind, "undecided"):
            found.append(f"Undecided within the time limit: whether raising {join_names(open_)} can {way}.")
    return found


def _list_rules_limits(rules: RulesSection) -> list[str]:
    if rules["absent"] is not None:
        return [rules["absent"]]
    found = []
    left = rules["counted"] - rules["covered"]
    if left:
        found.append(f"Rows that match no rule: {left:,} of {rules['counted']:,}.")
    if rules["status"] != "proved":
        found.append("The search for rules reached the time limit: there may be more or wider rules.")
    grown = rules["grown_from"]
    if grown["rows"] < grown["of"]:
        found.append(
            f"Rules were grown from {grown['rows']:,} of {grown['of']:,} {name_rows(grown['source'])}."
        )
    return found


def _list_robustness_limits(found: RobustnessSection) -> list[str]:
    if found["absent"] is not None:
        return [found["absent"]]
    words = []
    if found["measured"] < found["sampled"]:
        words.append(
            f"Robustness was measured for {found['measured']} of {found['sampled']} rows within the time limit."
        )
    loose = found["measured"] - found["exact"]
    if loose:
        words.append(f"For {format_count(loose, 'row')}, the true radius may be larger than the proved one.")
    return words


def _list_features_limits(features: FeaturesSection) -> list[str]:
    words = []
    if features["source"] == "batch":
        words.append(
            "Feature use was counted over explanations that were made before. The report does not compare their rows, "
            "their settings and their assumptions about rows with its own."
        )
        words += _list_batch_limits(features)
    elif not features["finished"]:
        words.append(
            f"Feature use was counted over {features['explained']} of {features['rows']} explanations within the time "
            "limit."
        )
    if features["proved"] < features["explained"]:
        early = features["explained"] - features["proved"]
        words.append(f"{early:,} of the counted explanations may mention more features than needed.")
    return words


def _list_batch_limits(features: FeaturesSection) -> list[str]:
    """What is not in the explanations of a batch."""
    words = []
    if not features["finished"]:
        words.append(
            f"The batch is not finished: feature use was counted over the {features['rows']:,} rows so far."
        )
    if features["failed"]:
        left_out = f"{features['failed']:,} of {features['rows']:,} rows of the batch"
        words.append(f"Feature use leaves out {left_out}, which could not be explained.")
    return words
