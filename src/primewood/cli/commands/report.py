"""The command that writes an audit report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from primewood.cli import output
from primewood.cli.commands.verify import Properties, read_properties
from primewood.cli.help import LIMITS, OUTPUT, ROWS
from primewood.cli.options import (
    Json,
    Languages,
    ModelFile,
    OptionalRows,
    ReadingOptions,
    Train,
    get_language,
    question_option,
)
from primewood.cli.progress import CommandProgress
from primewood.errors import InvalidInput


def report(
    model: ModelFile,
    rows: OptionalRows = None,
    *,
    train: Train = None,
    row: Annotated[
        list[int] | None,
        typer.Option(
            "--row", help="Explain this row, from 0. Repeatable.", metavar="N", rich_help_panel=ROWS
        ),
    ] = None,
    reading: ReadingOptions,
    choose: Annotated[
        int,
        question_option(
            "--rows",
            min=0,
            help="How many rows to choose and explain, without --row.",
            metavar="N",
        ),
    ] = 8,
    sample: Annotated[
        int,
        question_option("--sample", min=1, help="How many rows to draw for counts over rows.", metavar="N"),
    ] = 100,
    answers: Annotated[
        Path | None,
        question_option(
            "--answers",
            help="Count feature use over the explanations in this folder of `explain -o`, not over a sample.",
            metavar="FOLDER",
        ),
    ] = None,
    seed: Annotated[int, question_option("--seed", min=0, help="Of all draws.", metavar="N")] = 0,
    literals: Languages = None,
    properties: Properties,
    time_limit: Annotated[
        float, typer.Option("--time-limit", help="For all of it.", metavar="SECONDS", rich_help_panel=LIMITS)
    ] = 60.0,
    title: Annotated[
        str | None, typer.Option("--title", help="Its title.", metavar="TEXT", rich_help_panel=OUTPUT)
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write it here: an .html page that opens offline, or a .json record. An existing file is replaced.",
            metavar="FILE",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    certificates: Annotated[
        Path | None,
        typer.Option(
            "--certificates",
            help="Write certificates of what is proved into this folder; the report lists them.",
            metavar="FOLDER",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a report about a model that opens offline.

    The page describes the model, explained decisions, proved and refuted properties, the robustness of decisions,
    feature use, and rules. Prints a summary, or with --json all of it.

    Exit codes
    ----------
    0  written, and all stated properties hold
    1  written, and a stated property fails
    3  written, and a stated property is undecided at the time limit

    Examples
    --------
    primewood report forest.skops rows.csv -o audit.html --time-limit 10
    primewood report forest.skops rows.csv -o audit.html --rule 'never denied'
    primewood report new.skops rows.csv -o audit.html --answers explained
    primewood report forest.skops rows.csv -o audit.html --certificates proofs
    """
    from primewood.cli.call_settings import collect_settings
    from primewood.cli.inputs import load_explainer, load_with_rows

    properties.check()
    if to is None and not as_json:
        raise InvalidInput("pass where the report goes: -o audit.html, or --json for stdout")
    output.check_target(to, ".html", ".htm", ".json")
    settings = collect_settings(reading, "report")
    if rows is None:
        explainer, X = load_explainer(model, train, settings), None
    else:
        explainer, X = load_with_rows(model, rows, train, settings)
    with CommandProgress("reporting") as progress:
        made = explainer.report(
            X,
            rows=row,
            explain=choose,
            sample=sample,
            answers=answers,
            properties=read_properties(explainer, properties),
            literals=get_language(literals),
            title=title,
            certificates=certificates is not None,
            time_limit=time_limit,
            seed=seed,
            watcher=lambda section, done, total: progress.say(f"{section}: {done} of {total}"),
        )
    if to is not None:
        made.save(to)
        output.talk(f"written to {to}")
    if certificates is not None:
        made.save_certificates(certificates)
        output.talk(f"{len(made.certificates)} certificates written to {certificates}")
    output.write_answer(made, as_json=as_json)
    found = made.to_dict()["properties"]
    words = {"holds": True, "fails": False, "undecided": None}
    output.finish(*(words[item["outcome"]] for item in found["items"] if found["stated"]))
