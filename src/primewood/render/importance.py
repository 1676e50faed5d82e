"""Which features matter over some rows, in words."""

from __future__ import annotations

from collections.abc import Sequence

from primewood.render.numbers import format_count
from primewood.render.records import FeatureImportanceRecord, ImportanceRecord
from primewood.render.text import write_share
from primewood.visible import join_lines

MOST_FEATURES = 12
"""The most features that are listed, and named in a line."""

IN_EXPLANATIONS = (
    "In explanations: on how many rows the proved explanation that `explain` gives mentions the feature; a row can "
    "have several."
)
FLIPS_ALONE = (
    "Flips alone: on how many rows another value of this feature, everything else unchanged, gets a different "
    "decision."
)
CAVEAT = (
    "These are exact counts over these rows, not effect sizes. A feature that is in no explanation here may still "
    "matter for other rows."
)


def importance(record: ImportanceRecord) -> str:
    """A short table, the meaning of its columns, and their limits.

    >>> print(importance({"rows": 2, "explained": 2, "tested": 2, "undecided": 0, "assumptions": [], "importance": [
    ...     {"feature": "income", "in_explanations": 2, "flips_alone": 1},
    ...     {"feature": "age", "in_explanations": 0, "flips_alone": 0}]}).splitlines()[2])
      income   2  (100.0%)      1  (50.0%)
    """
    used = [entry for entry in record["importance"] if entry["in_explanations"] or entry["flips_alone"]]
    lines = [title(record), *_table(used[:MOST_FEATURES], record), *left_out(record)]
    lines += [IN_EXPLANATIONS, FLIPS_ALONE, CAVEAT, *describe_undecided(record)]
    if record["assumptions"]:
        lines.append(f"Assumes: {'; '.join(record['assumptions'])}")
    return join_lines(lines)


def title(record: ImportanceRecord) -> str:
    """The title of the table."""
    return f"Which features matter, over {format_count(record['rows'], 'row')}"


def cells(entry: FeatureImportanceRecord, record: ImportanceRecord) -> tuple[str, str]:
    """Both counts of a feature, with their shares of the decided rows."""
    pairs = (entry["in_explanations"], record["explained"]), (entry["flips_alone"], record["tested"])
    first, second = (f"{count:,}  ({write_share(count / whole)})" if whole else "-" for count, whole in pairs)
    return first, second


def _table(entries: Sequence[FeatureImportanceRecord], record: ImportanceRecord) -> list[str]:
    head = ("feature", "in explanations", "flips alone")
    rows = [head, *((entry["feature"], *cells(entry, record)) for entry in entries)]
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def left_out(record: ImportanceRecord) -> list[str]:
    """Which features are not in the table, in words."""
    counts = [
        (entry["feature"], entry["in_explanations"] or entry["flips_alone"]) for entry in record["importance"]
    ]
    used = [name for name, count in counts if count]
    unused = [name for name, count in counts if not count]
    lines = []
    if len(used) > MOST_FEATURES:
        lines.append(f"{MOST_FEATURES} of {len(used)} features that occur; all of them with to_frame()")
    if unused:
        more = f" and {len(unused) - MOST_FEATURES} others" if len(unused) > MOST_FEATURES + 1 else ""
        named = unused[:MOST_FEATURES] if more else unused
        lines.append(f"{format_count(len(unused), 'feature')} in no explanation: {', '.join(named)}{more}")
    return lines


def describe_undecided(record: ImportanceRecord) -> list[str]:
    """How many rows are not in the counts, in words."""
    lacking = {
        "have no proved explanation (not in the first count)": record["rows"] - record["explained"],
        "have flips that are not decided (not in the second count)": record["rows"] - record["tested"],
    }
    parts = [f"{count:,} {words}" for words, count in lacking.items() if count]
    if not parts:
        return []
    return [
        f"{format_count(record['undecided'], 'row')} undecided in time: {', '.join(parts)}. "
        "A longer time_limit may decide them."
    ]
