"""The command `adverse-action`: the principal reasons for an unfavourable decision, and a letter that states them."""

from __future__ import annotations

import json
import textwrap
import tomllib
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from primewood.cli import output
from primewood.cli.help import OUTPUT
from primewood.cli.options import (
    AboutRows,
    CertificateTarget,
    Json,
    ModelFile,
    ReadingOptions,
    RowsFile,
    Seconds,
    question_option,
)
from primewood.cli.progress import CommandProgress
from primewood.errors import InvalidInput, UnknownName, format_list, suggest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from primewood.apps.adverse_action import AdverseAction
    from primewood.explainer import Explainer

PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{title}</title>
<style>body {{ font-family: serif; max-width: 40em; margin: 3em auto; line-height: 1.4 }}</style></head>
<body>
<p>{letter}</p>
</body>
</html>
"""


def adverse_action(
    model: ModelFile,
    rows: RowsFile,
    *,
    about: AboutRows,
    reading: ReadingOptions,
    favourable: Annotated[
        str,
        question_option(
            "--favourable", help="The decision that would have been favourable.", metavar="DECISION"
        ),
    ],
    codes: Annotated[
        Path | None,
        question_option(
            "--codes", help="Reason codes: a .toml or .json file with a text per feature.", metavar="FILE"
        ),
    ] = None,
    protected: Annotated[
        list[str] | None,
        question_option(
            "--protected",
            help="A feature that is never named and keeps its value; recorded. Repeatable.",
            metavar="FEATURE",
        ),
    ] = None,
    undisclosable: Annotated[
        list[str] | None,
        question_option(
            "--undisclosable",
            help="A feature that is never named and keeps its value. Repeatable.",
            metavar="FEATURE",
        ),
    ] = None,
    most: Annotated[int, question_option("--most", min=1, help="The most reasons.", metavar="N")] = 4,
    in_short: Annotated[
        bool,
        question_option(
            "--in-short", help="Also say how often cases like this one got the same decision; needs --train."
        ),
    ] = False,
    time_limit: Seconds = 10.0,
    letter: Annotated[
        Path | None,
        typer.Option(
            "--letter",
            help="Write the letter here: a .txt or .html file. An existing file is replaced.",
            metavar="FILE",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    certificate: CertificateTarget = None,
    as_json: Json = False,
) -> None:
    r"""State the principal reasons for an unfavourable decision.

    Prints the reasons, the most important first, each with ranges that are proved to lead to the favourable decision;
    with --letter also a paragraph for the applicant. With --certificate, the letter names a certificate that these
    ranges lead to the favourable decision.

    Exit codes
    ----------
    0  reasons are stated; the answer says if their order is not proved
    1  proved: no feature that may be named leads to the favourable decision
    3  no reason was found before the time limit, or there is no certificate

    Examples
    --------
    primewood adverse-action forest.skops rows.csv --row 3 --favourable approved
    primewood adverse-action forest.skops rows.csv --row 3 \
      --favourable approved --codes codes.toml --protected age --letter letter.txt
    primewood adverse-action forest.skops rows.csv --row 3 \
      --favourable approved --letter letter.txt --certificate letter.pwcert
    """
    from primewood.cli.call_settings import collect_settings
    from primewood.cli.inputs import check_features, find_decision, read_questions

    output.check_target(letter, ".txt", ".html", ".htm")
    output.check_target(certificate)
    table = None if codes is None else read_codes(codes)
    found = read_questions(model, rows, about, collect_settings(reading, "adverse-action"))
    if letter is not None and len(found) != 1:
        raise InvalidInput("--letter is about one row; pass one --row or --id")
    if certificate is not None and len(found) != 1:
        raise InvalidInput("--certificate is about one row; pass one --row or --id")
    wanted = find_decision(found.explainer, favourable)
    left_out = check_features(found.explainer, "--protected", protected)
    unnamed = check_features(found.explainer, "--undisclosable", undisclosable)
    by_feature = None if table is None else name_codes(found.explainer, table, str(codes))
    answers = output.Answers(as_json, found.several)
    outcomes: list[bool | None] = []
    for question in found:
        with CommandProgress("searching"):
            told = question.explainer.adverse_action(
                question.x,
                wanted,
                codes=by_feature,
                protected=left_out,
                undisclosable=unnamed,
                most=most,
                in_short=in_short,
                certificate=certificate is not None,
                time_limit=time_limit,
            )
        answers.answer(question.index, told)
        outcomes.append(_judge(told))
        if letter is not None:
            _write_letter(letter, told)
    output.finish(*outcomes, *output.save_certificate(told, certificate))


def _judge(told: AdverseAction) -> bool | None:
    from primewood.questions.status import Status

    if told.reasons:
        return True
    return False if told.status is Status.IMPOSSIBLE else None


def _write_letter(path: Path, told: AdverseAction) -> None:
    from primewood.files import write_whole

    text = textwrap.fill(told.letter, 80) + "\n"
    if path.suffix.lower() != ".txt":
        title = f"The decision is: {told.decision}"
        text = PAGE.format(title=escape(title), letter=escape(told.letter))
    write_whole(path, lambda file: file.write(text.encode()))
    output.talk(f"written to {path}")


def read_codes(path: Path) -> dict[str, Any]:
    """Read the table of reason codes of a file, as it is written there."""
    if path.suffix.lower() not in (".toml", ".json"):
        raise InvalidInput(
            f"{path.name}: unrecognised file extension {path.suffix!r}; expected .toml or .json"
        )
    if not path.is_file():
        raise InvalidInput(f"there is no file {path}")
    try:
        text = path.read_text(encoding="utf-8-sig")
        found = tomllib.loads(text) if path.suffix.lower() == ".toml" else json.loads(text)
    except ValueError as problem:
        raise InvalidInput(f"{path.name} cannot be read: {problem}") from None
    if not isinstance(found, dict):
        raise InvalidInput(f"{path.name} has no table of reason codes; it needs one entry per feature")
    return found


def name_codes(explainer: Explainer, table: dict[str, Any], name: str) -> dict[str | tuple[str, ...], Any]:
    """Map features to codes; a key may name several features, separated by commas."""
    return {_find_features(key, explainer.feature_names, name): told for key, told in table.items()}


def _find_features(key: str, known: Sequence[str], name: str) -> str | tuple[str, ...]:
    if key in known:
        return key
    parts = tuple(part.strip() for part in key.split(","))
    unknown = [part for part in parts if part not in known]
    if unknown:
        raise UnknownName(
            f"{name} names {format_list(unknown)}{suggest(unknown, known)}; the features are {format_list(known)}"
        )
    return parts
