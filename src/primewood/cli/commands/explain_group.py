"""The command about a group of rows: `explain-group`."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from primewood.cli import output
from primewood.cli.help import OUTPUT
from primewood.cli.options import (
    Json,
    Languages,
    ModelFile,
    ReadingOptions,
    RowsFile,
    Seconds,
    Train,
    get_language,
    question_option,
)
from primewood.cli.progress import CommandProgress

if TYPE_CHECKING:
    from primewood.properties.group_explanation import GroupExplanation


class KindChoice(StrEnum):
    """The kinds of rules of a group."""

    proved = "proved"
    in_short = "in-short"


def explain_group(
    model: ModelFile,
    rows: RowsFile,
    *,
    train: Train = None,
    reading: ReadingOptions,
    decision: Annotated[
        str | None,
        question_option(
            "--decision",
            help="Take only the rows with this decision. Not needed where all rows have the same one.",
            metavar="DECISION",
        ),
    ] = None,
    kind: Annotated[
        KindChoice,
        question_option(
            "--kind", help="Rules that are proved, or short ones that are counted on the training rows."
        ),
    ] = KindChoice.proved,
    literals: Languages = None,
    precision: Annotated[
        float | None,
        question_option(
            "--precision",
            help="Of short rules: the share of matching rows that get the decision; 0.95 if not given.",
            metavar="SHARE",
        ),
    ] = None,
    most: Annotated[int | None, question_option("--most", min=1, help="The most rules.", metavar="N")] = None,
    time_limit: Seconds = 60.0,
    to: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the rules into a .csv file with a line per rule, or into a .json file with everything. An "
            "existing file is replaced.",
            metavar="FILE",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Explain a group of rows with one decision by few rules.

    Prints few rules that together cover all rows of a file, such as all declined applications, the rows that no rule
    covers, and how many rules are needed at least. With --decision, only the rows with that decision are taken.

    Exit codes
    ----------
    0  every row was tried; rows that no rule covers are listed
    3  rows were not reached before the time limit

    Examples
    --------
    primewood explain-group forest.skops rows.csv --decision denied
    primewood explain-group forest.skops rows.csv --decision denied -o rules.csv
    primewood explain-group booster.json rows.csv --decision 1 --kind in-short
    """
    from primewood.cli.call_settings import collect_settings
    from primewood.cli.inputs import find_decision, load_with_rows
    from primewood.properties.group_explanation import NOT_REACHED

    output.check_target(to, ".csv", ".json")
    explainer, group = load_with_rows(model, rows, train, collect_settings(reading, "explain-group"))
    with CommandProgress("growing rules"):
        found = explainer.explain_group(
            group,
            decision=None if decision is None else find_decision(explainer, decision),
            kind="proved" if kind is KindChoice.proved else "in_short",
            literals=get_language(literals),
            precision=precision,
            most=most,
            time_limit=time_limit,
        )
    if to is not None:
        _write_file(found, to)
    output.write_answer(found, as_json=as_json)
    output.finish(None if any(row.reason == NOT_REACHED for row in found.uncovered) else True)


def _write_file(found: GroupExplanation, path: Path) -> None:
    """Write the rules as a table, or everything as a document."""
    from primewood.files import write_whole

    if path.suffix.lower() == ".csv":
        written = found.to_frame("pandas").to_csv(index=False)
    else:
        written = json.dumps(found.to_dict(), ensure_ascii=False, allow_nan=False)
    write_whole(path, lambda file: file.write(written.encode()))
    output.talk(f"written to {path}")
