"""The command that summarises a folder of explanations."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from primewood.cli import output
from primewood.cli.options import Json


def summarise(
    folder: Annotated[
        Path, typer.Argument(help="Where `primewood explain -o` has written.", metavar="FOLDER")
    ],
    as_json: Json = False,
) -> None:
    """Summarise the explanations of all rows of a file.

    Prints how many rows have which status and decision, which features are used and how often, how many an
    explanation has, how much it covers, and how long rows took. Of an unfinished run, what is there is counted.

    Examples
    --------
    primewood summarise explained
    primewood summarise explained --json
    """
    from primewood.batch.overview import overview

    output.write_answer(overview(folder), as_json=as_json)
