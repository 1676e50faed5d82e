"""The options and arguments that several commands share, each written once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class LanguageChoice(StrEnum):
    """The literal languages."""

    sets = "sets"
    intervals = "intervals"
    values = "values"


class EngineChoice(StrEnum):
    """The engines."""

    auto = "auto"
    search = "search"
    diagram = "diagram"
    bdd = "bdd"
    sat = "sat"


class VoteChoice(StrEnum):
    """The votes."""

    model = "model"
    majority = "majority"


ModelFile = Annotated[Path, typer.Argument(help="A fitted model: .skops, .json, .ubj, .txt or .cbm.")]
Data = Annotated[Path, typer.Option("--data", help="Rows as CSV, with the model's columns.")]
TrainingData = Annotated[Path | None, typer.Option("--data", help="Training rows as CSV.")]
Train = Annotated[
    Path | None, typer.Option("--train", help="Training rows as CSV; the rows of --data if not given.")
]
RowNumber = Annotated[int, typer.Option("--row", help="Which row of --data it is about, from 0.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON document per line.")]
Languages = Annotated[LanguageChoice, typer.Option("--literals", help="What a literal may say.")]
EngineOption = Annotated[EngineChoice, typer.Option("--engine", help="Which engine answers.")]
MaxNodes = Annotated[int | None, typer.Option("--max-nodes", help="The cap on a diagram's nodes.")]
VoteOption = Annotated[VoteChoice, typer.Option("--vote", help="The model's own vote, or the paper's.")]
Every = Annotated[bool, typer.Option("--all", help="All of them, not only one.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Print at most this many.")]
Count = Annotated[bool, typer.Option("--count", help="Only say how many there are.")]
Seconds = Annotated[float, typer.Option("--time-limit", help="Seconds for one answer.")]
Trust = Annotated[bool, typer.Option("--trust-pickle", help="Load a pickle, which runs code in it.")]
Target = Annotated[
    str | None, typer.Option("--target", help="The decision that is wanted; any other if not given.")
]
Immutable = Annotated[
    list[str] | None, typer.Option("--immutable", help="A feature that cannot change. Repeatable.")
]
Weights = Annotated[
    list[str] | None,
    typer.Option("--weight", help="How much a feature counts, e.g. age=5; 1 if not given. Repeatable."),
]
Within = Annotated[
    float | None,
    typer.Option("--within", help="For a regressor: about its prediction staying within this of what it is."),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        "--threshold", help="Decide at this probability or prediction instead of the model's own cut-off."
    ),
]
Between = Annotated[
    tuple[float, float] | None,
    typer.Option("--between", help="For a regressor: is its prediction between these two?"),
]
Groups = Annotated[
    list[str] | None,
    typer.Option(
        "--group", help="One-hot columns that are one feature: name=column,column,... or auto. Repeatable."
    ),
]
Constraints = Annotated[
    list[str] | None,
    typer.Option("--constraint", help="What no row violates, e.g. 'housing=free -> rent=0'. Repeatable."),
]
