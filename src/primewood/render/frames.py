"""Records as frames of pandas or polars, whichever the user has."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args
from typing import Literal as Choice

from primewood.errors import MissingDependency
from primewood.fields import one_of, optional, takes
from primewood.render import text
from primewood.render.group import list_literals, write_group_rule
from primewood.render.records import EntryRecord, GroupRuleRecord, LiteralRecord, ScoreRecord
from primewood.render.text import Record

Backend = Choice["pandas", "polars"]
Columns = dict[str, list[Any]]


@takes(backend=optional(one_of(get_args(Backend))))
def frame(columns: Mapping[str, Sequence[Any]], backend: Backend | None = None, index: Any = None) -> Any:
    """A frame from its columns; by default of pandas, or of polars if only that is installed.

    Parameters
    ----------
    index
        The labels of the rows. Polars has no index: there they become the first column, "index".
    """
    for name in get_args(Backend) if backend is None else (backend,):
        try:
            library = importlib.import_module(name)
        except ImportError:
            continue
        if name == "pandas":
            return library.DataFrame(dict(columns), index=index)
        labelled = columns if index is None else {"index": list(index), **columns}
        return library.DataFrame(dict(labelled), strict=False)
    raise MissingDependency(f"frames need {backend or 'pandas or polars'}: pip install {backend or 'pandas'}")


def tabulate_explanations(
    records: Sequence[Record], features: Iterable[str], *, in_short: bool = False
) -> Columns:
    """Explanations as columns: facts about the whole, and for each feature its condition (None if it is free).

    With `in_short`, also the decision in short, in words, where a record has it.
    """
    columns: Columns = {
        "decision": [record["decision"] for record in records],
        **_tabulate_scores([record["score"] for record in records]),
        "status": [record["status"] for record in records],
        "literal_language": [record["literal_language"] for record in records],
        **({"in_short": [_write_short(record) for record in records]} if in_short else {}),
        "rule": [text.write_rule(record, full=True) for record in records],
        "size": [len(record["literals"]) for record in records],
        "coverage": [record["coverage"] for record in records],
        "volume": [record["volume"] for record in records],
    }
    return {**columns, **_tabulate_conditions([record["literals"] for record in records], features)}


def _write_short(record: Record) -> str | None:
    return text.write_in_short(record["in_short"]) if "in_short" in record else None


def tabulate_group(rules: Sequence[GroupRuleRecord], features: Iterable[str]) -> Columns:
    """The rules of a group as columns: what each covers, and for each feature its condition (None if it is free)."""
    proved, short = [rule["proved"] for rule in rules], [rule["in_short"] for rule in rules]
    literals = [list_literals(rule) for rule in rules]
    return {
        "rule": [write_group_rule(rule, full=True) for rule in rules],
        "size": [len(conditions) for conditions in literals],
        "rows": [rule["rows"] for rule in rules],
        "new_rows": [rule["new_rows"] for rule in rules],
        "status": [record and record["status"] for record in proved],
        "matching": [record and record["matching"] for record in short],
        "same": [record and record["same"] for record in short],
        **_tabulate_conditions(literals, features),
    }


def _tabulate_conditions(rules: Sequence[Sequence[LiteralRecord]], features: Iterable[str]) -> Columns:
    conditions = [{x["feature"]: x["text"] for x in literals} for literals in rules]
    return {f"if {name}": [condition.get(name) for condition in conditions] for name in features}


def _tabulate_scores(scores: Sequence[ScoreRecord | None]) -> Columns:
    """What decisions are based on: the number, the class that it refers to, and the cut-off."""
    return {
        "score": [score and score["value"] for score in scores],
        "score_of": [score and score["of"] for score in scores],
        "cutoff": [score and score["cutoff"] for score in scores],
    }


def tabulate_literals(literals: Sequence[LiteralRecord], instance: Sequence[EntryRecord]) -> Columns:
    """The literals of an explanation as columns: one row per interval, and one per set of values.

    Ends that do not exist are None; `closed` says which ends belong to an interval.
    """
    own = {entry["feature"]: entry["shown"] for entry in instance}
    rows = [row for literal in literals for row in _tabulate_pieces(literal, own.get(literal["feature"], ""))]
    names = ("feature", "unit", "instance", "low", "high", "closed", "values", "missing", "text")
    return {name: [row[name] for row in rows] for name in names}


def _tabulate_pieces(literal: LiteralRecord, own: str) -> list[dict[str, object]]:
    same = {
        "feature": literal["feature"],
        "unit": literal["unit"],
        "instance": own,
        "missing": literal["missing"],
        "text": literal["text"],
        "values": None,
    }
    if "values" in literal:
        values = [str(value) for value in literal["values"]]
        return [{**same, "values": values, "low": None, "high": None, "closed": None}]
    return [{**same, **part} for part in literal["intervals"]] or [
        {**same, "low": None, "high": None, "closed": None}
    ]
