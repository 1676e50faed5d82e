"""The options and arguments that several commands share, each written once.

Those that always come together are dataclasses, which `primewood.cli.sharing.spread` takes apart for typer. Nothing
here computes or imports what does: help and completion come at once.
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


class FormatChoice(StrEnum):
    """What the parts of a batch are written as."""

    parquet = "parquet"
    jsonl = "jsonl"


class DecimalChoice(StrEnum):
    """The decimal marks."""

    point = "."
    comma = ","


class DtypeChoice(StrEnum):
    """The types of thresholds."""

    float64 = "float64"
    float32 = "float32"


class VoteChoice(StrEnum):
    """The votes."""

    model = "model"
    majority = "majority"


def asked(*names: str, **more: Any) -> Any:
    """An option that says what is asked."""
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
RowsFile = Annotated[
    Path | None,
    typer.Argument(
        help="Rows with the model's columns by name: CSV, JSON (.json, .jsonl), Parquet, .xlsx, or - for stdin.",
        metavar="ROWS",
        show_default=False,
    ),
]
TrainingFile = Annotated[
    Path | None,
    typer.Argument(
        help="Training rows: CSV, JSON, Parquet, .xlsx, or - for stdin.",
        metavar="ROWS",
        show_default=False,
    ),
]
Data = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help="The rows, if they are not an argument.",
        metavar="FILE",
        rich_help_panel=ROWS,
    ),
]
TrainingData = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help="Training rows: CSV, JSON, Parquet, .xlsx, or - for stdin.",
        metavar="FILE",
        rich_help_panel=ROWS,
    ),
]
Train = Annotated[
    Path | None,
    typer.Option(
        "--train",
        help="Training rows, for coverage and for short bounds. By default the rows themselves, if they are a file "
        "of more than one.",
        metavar="FILE",
        rich_help_panel=ROWS,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON document per line.", rich_help_panel=OUTPUT)]
Plain = Annotated[
    bool,
    typer.Option("--plain", help="Print plain text on a terminal too.", rich_help_panel=OUTPUT),
]
Languages = Annotated[
    LanguageChoice | None,
    asked(
        "--literals",
        help="What a condition is: any set of values, one interval, or the row's own value. By default intervals for "
        "models, sets for expressions.",
    ),
]


def language(literals: LanguageChoice | None) -> Language | None:
    """The literal language that a call asks for, if it does."""
    return None if literals is None else literals.value


Every = Annotated[bool, asked("--all", help="Print all of them, not only one.")]
Limit = Annotated[int | None, asked("--limit", min=1, help="Print at most this many.", metavar="N")]
Count = Annotated[bool, asked("--count", help="Print only how many there are.")]
Target = Annotated[
    str | None,
    asked("--target", help="The wanted decision; any other if not given.", metavar="DECISION"),
]
Immutable = Annotated[
    list[str] | None,
    asked("--immutable", help="A feature that cannot change. Repeatable.", metavar="FEATURE"),
]
WeightsOption = Annotated[
    list[str] | None,
    asked(
        "--weight",
        help="How much a feature counts, e.g. age=5; 1 if not given. Repeatable.",
        metavar="NAME=N",
    ),
]
Var = Annotated[
    list[str] | None,
    asked(
        "--var", help="Declare a variable: A=1,2,3 or X<2<6 or X<=2<=6. Repeatable.", metavar="DECLARATION"
    ),
]
Seconds = Annotated[
    float, typer.Option("--time-limit", help="For one answer.", metavar="SECONDS", rich_help_panel=LIMITS)
]


@dataclass(frozen=True)
class AboutRows:
    """Which rows of which file a question is about."""

    data: Data = None
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
            help="Which row, by a column of the file, e.g. customer=1042. Repeatable. With -o FILE, only the name of a "
            "column, which the file then has.",
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
            help="For a regressor: explain why the prediction stays within this distance.",
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
            help="A .toml file with any of these, named as Explainer's parameters. The command line overrides it.",
            metavar="FILE",
            rich_help_panel=MODEL,
        ),
    ] = None
    positive: Annotated[
        str | None,
        typer.Option(
            "--positive",
            help="The class that the cut-off and the probabilities are about.",
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
    threshold_dtype: Annotated[
        DtypeChoice | None,
        typer.Option(
            "--threshold-dtype",
            help="What the threshold is rounded to before it is compared; float64 if not given.",
            rich_help_panel=MODEL,
        ),
    ] = None
    between: Annotated[
        tuple[float, float] | None,
        typer.Option(
            "--between",
            help="For a regressor: is its prediction between these two?",
            metavar="LOW HIGH",
            rich_help_panel=MODEL,
        ),
    ] = None
    class_names: Annotated[
        list[str] | None,
        typer.Option(
            "--class-names",
            help="Names of the classes: 0=declined, repeatable, or names in the order of the labels.",
            metavar="LABEL=NAME",
            rich_help_panel=MODEL,
        ),
    ] = None
    feature_names: Annotated[
        list[str] | None,
        typer.Option(
            "--feature-names",
            help="Names of the model's columns, in order, separated by commas.",
            metavar="NAMES",
            rich_help_panel=MODEL,
        ),
    ] = None
    units: Annotated[
        list[str] | None,
        typer.Option(
            "--units",
            help="The unit of a feature, e.g. income=EUR. Repeatable.",
            metavar="FEATURE=UNIT",
            rich_help_panel=MODEL,
        ),
    ] = None
    domain: Annotated[
        list[str] | None,
        typer.Option(
            "--domain",
            help="What a feature holds: numeric, whole, boolean, numbers (1,2,3), or numbers with names "
            "(0:own,1:rented). Repeatable.",
            metavar="FEATURE=KIND",
            rich_help_panel=MODEL,
        ),
    ] = None
    vote: Annotated[
        VoteChoice | None,
        typer.Option(
            "--vote", help="The model's own vote, or the paper's; model if not given.", rich_help_panel=MODEL
        ),
    ] = None
    group: Annotated[
        list[str] | None,
        typer.Option(
            "--group",
            help="One-hot columns that are one feature: name=column,column,... or auto. Repeatable.",
            metavar="GROUP",
            rich_help_panel=MODEL,
        ),
    ] = None
    constraint: Annotated[
        list[str] | None,
        typer.Option(
            "--constraint",
            help="What no row violates, e.g. 'housing=free -> rent=0'. Repeatable.",
            metavar="TEXT",
            rich_help_panel=MODEL,
        ),
    ] = None
    sheet: Annotated[
        str | None,
        typer.Option(
            "--sheet",
            help="Which sheet of an .xlsx file; the first if not given.",
            metavar="NAME",
            rich_help_panel=ROWS,
        ),
    ] = None
    decimal: Annotated[
        DecimalChoice | None,
        typer.Option(
            "--decimal",
            help="The decimal mark of a CSV file with semicolons or tabs; detected if not given.",
            rich_help_panel=ROWS,
        ),
    ] = None
    trust_pickle: Annotated[
        bool,
        typer.Option(
            "--trust-pickle", help="Load a pickle; this runs the code in it.", rich_help_panel=MODEL
        ),
    ] = False


@dataclass(frozen=True)
class Answering:
    """Which engine answers, and how large its diagrams may become."""

    engine: Annotated[
        EngineChoice | None,
        typer.Option("--engine", help="Which engine answers; auto if not given.", rich_help_panel=LIMITS),
    ] = None
    max_nodes: Annotated[
        int | None,
        typer.Option(
            "--max-nodes", help="The cap on a diagram's nodes.", metavar="N", rich_help_panel=LIMITS
        ),
    ] = None

    def options(self) -> dict[str, Any]:
        """The parameters of an explainer that a call gives."""
        return {"engine": None if self.engine is None else self.engine.value, "max_nodes": self.max_nodes}


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
    format: Annotated[
        FormatChoice | None,
        typer.Option("--format", help="What the parts are; parquet if not given.", rich_help_panel=BATCHES),
    ] = None
    part_rows: Annotated[
        int | None,
        typer.Option(
            "--part-rows",
            min=1,
            help="How many rows a part has; 1000 if not given. Many cores need more: some dozens each.",
            metavar="N",
            rich_help_panel=BATCHES,
        ),
    ] = None
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Continue a run that was stopped.", rich_help_panel=BATCHES),
    ] = False
    reuse: Annotated[
        bool,
        typer.Option(
            "--reuse",
            help="A row that another row's explanation covers takes that explanation.",
            rich_help_panel=BATCHES,
        ),
    ] = False
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            help="N rows at a time; -1 for one per core. 1 if not given.",
            metavar="N",
            rich_help_panel=BATCHES,
        ),
    ] = None
    dask: Annotated[
        str | None,
        typer.Option(
            "--dask",
            help="Share the rows out on the Dask cluster with this scheduler, e.g. tcp://host:8786.",
            metavar="ADDRESS",
            rich_help_panel=BATCHES,
        ),
    ] = None
    batch_limit: Annotated[
        float | None,
        typer.Option(
            "--batch-limit",
            min=0.001,
            help="For all rows; rows after it are explained, but perhaps not proved prime.",
            metavar="SECONDS",
            rich_help_panel=BATCHES,
        ),
    ] = None
