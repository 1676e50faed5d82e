"""The options and arguments that several commands share, each written once.

Those that always come together are dataclasses, which `primewood.cli.shared_options.spread` takes apart for typer.
Nothing here imports modules that compute, so that help and completion are fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from primewood.cli.help import BATCHES, LIMITS, MODEL, OUTPUT, QUESTION, ROWS

if TYPE_CHECKING:
    from primewood.logic.language import Language


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


def question_option(*names: str, **more: Any) -> Any:
    """Declare an option of the question."""
    return typer.Option(*names, rich_help_panel=QUESTION, **more)


ModelFile = Annotated[
    Path, typer.Argument(help="A fitted model: .skops, .json, .ubj, .txt or .cbm.", metavar="MODEL")
]
OptionalModel = Annotated[
    Path | None,
    typer.Argument(
        help="A fitted model: .skops, .json, .ubj, .txt or .cbm.", metavar="MODEL", show_default=False
    ),
]
_ROWS = "Rows with the model's columns by name: CSV, JSON (.json, .jsonl), Parquet, .xlsx, or - for stdin."
RowsFile = Annotated[Path, typer.Argument(help=_ROWS, metavar="ROWS")]
OptionalRows = Annotated[Path | None, typer.Argument(help=_ROWS, metavar="ROWS", show_default=False)]
TrainingFile = Annotated[
    Path | None,
    typer.Argument(
        help="Training rows: CSV, JSON, Parquet, .xlsx, or - for stdin.",
        metavar="ROWS",
        show_default=False,
    ),
]
Train = Annotated[
    Path | None,
    typer.Option(
        "--train",
        help="Training rows, for coverage and for short bounds. By default the rows themselves, if their "
        "file has more than one.",
        metavar="FILE",
        rich_help_panel=ROWS,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON document per line.", rich_help_panel=OUTPUT)]
Languages = Annotated[
    LanguageChoice | None,
    question_option(
        "--literals",
        help="What a condition may be: any set of values, one interval, or the row's own value. By default intervals "
        "for models, sets for expressions.",
    ),
]


def get_language(literals: LanguageChoice | None) -> Language | None:
    """Get the literal language of a call, if it names one."""
    return None if literals is None else literals.value


Every = Annotated[bool, question_option("--all", help="All of them, not only one.")]
Limit = Annotated[int | None, question_option("--limit", min=1, help="Print at most this many.", metavar="N")]
Count = Annotated[bool, question_option("--count", help="Only print how many there are.")]
CertificateTarget = Annotated[
    Path | None,
    typer.Option(
        "--certificate",
        help="Write a certificate of the answer, which `primewood confirm` checks. An existing file is replaced.",
        metavar="FILE",
        rich_help_panel=OUTPUT,
    ),
]
Target = Annotated[
    str | None,
    question_option(
        "--target", help="The decision that is wanted; any other if not given.", metavar="DECISION"
    ),
]
Immutable = Annotated[
    list[str] | None,
    question_option("--immutable", help="A feature that cannot change. Repeatable.", metavar="FEATURE"),
]
Var = Annotated[
    list[str] | None,
    question_option(
        "--var", help="Declare a variable: A=1,2,3 or X<2<6 or X<=2<=6. Repeatable.", metavar="DECLARATION"
    ),
]
MaxNodes = Annotated[
    int | None,
    typer.Option(
        "--max-nodes", help="The largest number of nodes of a diagram.", metavar="N", rich_help_panel=LIMITS
    ),
]
Seconds = Annotated[
    float, typer.Option("--time-limit", help="For one answer.", metavar="SECONDS", rich_help_panel=LIMITS)
]


@dataclass(frozen=True)
class AboutRows:
    """The rows of a question, and their file."""

    train: Train = None
    row: Annotated[
        list[int] | None,
        typer.Option(
            "--row",
            help="Which row, from 0; the first if not given. Repeatable: one answer each.",
            metavar="N",
            rich_help_panel=ROWS,
        ),
    ] = None
    identity: Annotated[
        list[str] | None,
        typer.Option(
            "--id",
            help="Which row, by a column of the file, e.g. customer=1042. Repeatable. With -o FILE, the name of "
            "a column to copy.",
            metavar="COLUMN=VALUE",
            rich_help_panel=ROWS,
        ),
    ] = None
    every_row: Annotated[
        bool, typer.Option("--every-row", help="One answer for each row of the file.", rich_help_panel=ROWS)
    ] = False
    within: Annotated[
        float | None,
        typer.Option(
            "--within",
            help="For a regressor: ask whether its prediction stays within this distance of what it is.",
            metavar="NUMBER",
            rich_help_panel=MODEL,
        ),
    ] = None


@dataclass(frozen=True)
class ReadingOptions:
    """How a model is read: its decision, and what is known about rows."""

    settings: Annotated[
        Path | None,
        typer.Option(
            "--settings",
            help="A TOML file of settings: names of classes and columns, units, domains, ... The call wins over it.",
            metavar="FILE",
            rich_help_panel=MODEL,
        ),
    ] = None
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="One setting, as in that file; plain text needs no quotation marks: units.income=EUR. Repeatable. "
            "The names are listed below.",
            metavar="NAME=VALUE",
            rich_help_panel=MODEL,
        ),
    ] = None
    positive: Annotated[
        str | None,
        typer.Option(
            "--positive",
            help="The class whose probability is shown and compared with the cut-off.",
            metavar="LABEL",
            rich_help_panel=MODEL,
        ),
    ] = None
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold",
            help="Decide at this probability of --positive, or this prediction, instead of the model's own cut-off.",
            metavar="NUMBER",
            rich_help_panel=MODEL,
        ),
    ] = None
    trust_pickle: Annotated[
        bool,
        typer.Option(
            "--trust-pickle", help="Load a pickle. This runs the code in it.", rich_help_panel=MODEL
        ),
    ] = False


@dataclass(frozen=True)
class ToFiles:
    """Whether all rows are explained into a file or a folder, and how."""

    to: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            help="Explain all rows of a file into one .csv, .xlsx, .parquet or .jsonl file, or into a new folder, in "
            "parts.",
            metavar="FILE|FOLDER",
            rich_help_panel=BATCHES,
        ),
    ] = None
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Continue a run that was stopped, in the same folder.", rich_help_panel=BATCHES
        ),
    ] = False
    reuse: Annotated[
        bool,
        typer.Option(
            "--reuse",
            help="A row that another row's explanation covers gets that explanation.",
            rich_help_panel=BATCHES,
        ),
    ] = False
    certificates: Annotated[
        bool,
        typer.Option(
            "--certificates",
            help="Into a folder: also write certificates, which `primewood confirm` checks.",
            rich_help_panel=BATCHES,
        ),
    ] = False
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            help="How many rows at a time; -1 for one per core. 1 if not given.",
            metavar="N",
            rich_help_panel=BATCHES,
        ),
    ] = None
