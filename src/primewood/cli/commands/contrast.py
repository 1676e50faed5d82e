"""The commands about what would change a decision: `contrast` and `flip`."""

from __future__ import annotations

import itertools
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

from primewood.cli import output
from primewood.cli.options import (
    AboutRows,
    CertificateTarget,
    Every,
    Immutable,
    Json,
    LanguageChoice,
    Languages,
    Limit,
    ModelFile,
    ReadingOptions,
    RowsFile,
    Seconds,
    Target,
    get_language,
    question_option,
)
from primewood.cli.progress import CommandProgress
from primewood.errors import InvalidInput

if TYPE_CHECKING:
    from primewood.cli.inputs import RowQuestion


class NormChoice(StrEnum):
    """The measures of distance."""

    l0 = "l0"
    l1 = "l1"
    linf = "linf"


def contrast(
    model: ModelFile,
    rows: RowsFile,
    *,
    about: AboutRows,
    reading: ReadingOptions,
    target: Target = None,
    literals: Languages = None,
    immutable: Immutable = None,
    every: Every = False,
    limit: Limit = None,
    time_limit: Seconds = 10.0,
    as_json: Json = False,
) -> None:
    """Show the fewest features that can change the decision.

    Prints the features that must change for a different decision, with a row that shows it.

    Exit codes
    ----------
    0  found
    1  proved: nothing changes the decision
    3  nothing was found before the time limit

    Examples
    --------
    primewood contrast forest.skops rows.csv --row 3 --target approved
    primewood contrast forest.skops rows.csv --row 3 --immutable age --all
    """
    from primewood.cli.call_settings import collect_settings
    from primewood.cli.inputs import find_decision, read_questions
    from primewood.questions.status import Status

    settings = collect_settings(reading, "contrast")
    found = read_questions(model, rows, about, settings, immutable=immutable)
    wanted = None if target is None else find_decision(found.explainer, target)
    answers = output.Answers(as_json, found.several)
    if every:
        for question in found:
            _write_all(question, wanted, answers, literals, limit)
        return
    outcomes: list[bool | None] = []
    for question in found:
        with CommandProgress("searching"):
            fewest = question.explainer.contrast(
                question.x, wanted, literals=get_language(literals), time_limit=time_limit
            )
        answers.answer(question.index, fewest)
        if not fewest.features:
            outcomes.append(False if fewest.status is Status.IMPOSSIBLE else None)
        elif not fewest.fewest:
            output.talk("time ran out before it was proved that no other has fewer features")
    output.finish(*outcomes)


def _write_all(
    question: RowQuestion,
    target: object,
    answers: output.Answers,
    literals: LanguageChoice | None,
    limit: int | None,
) -> None:
    with CommandProgress("compiling"):
        every = iter(question.explainer.contrasts(question.x, target, literals=get_language(literals)))
    output.write_all(
        itertools.islice(every, limit), "contrasts", lambda one: answers.answer(question.index, one)
    )


def flip(
    model: ModelFile,
    rows: RowsFile,
    *,
    about: AboutRows,
    reading: ReadingOptions,
    target: Target = None,
    norm: Annotated[
        NormChoice | None,
        question_option(
            "--norm",
            help="What to minimise: the sum of moves (l1), the largest move (linf), the number of features (l0). "
            "By default l1; with --robustness linf.",
        ),
    ] = None,
    relative: Annotated[
        bool | None,
        question_option(
            "--relative/--absolute",
            help="Moves as shares of the training range, or in the units of the columns. "
            "By default shares; with --robustness units.",
        ),
    ] = None,
    immutable: Immutable = None,
    increase: Annotated[
        list[str] | None,
        question_option("--increase", help="A feature that can only go up. Repeatable.", metavar="FEATURE"),
    ] = None,
    decrease: Annotated[
        list[str] | None,
        question_option("--decrease", help="A feature that can only go down. Repeatable.", metavar="FEATURE"),
    ] = None,
    count: Annotated[
        int | None,
        question_option(
            "--count", min=1, help="How many different ways to show; 1 if not given.", metavar="N"
        ),
    ] = None,
    robustness: Annotated[
        bool,
        question_option("--robustness", help="Instead, how far the row can move without another decision."),
    ] = False,
    time_limit: Seconds = 10.0,
    certificate: CertificateTarget = None,
    as_json: Json = False,
) -> None:
    """Show the nearest row with another decision, or a radius.

    Prints what changes, how far that is, and the ranges in which the new decision is safe. With --robustness, the
    distance within which no move changes the decision.

    Exit codes
    ----------
    0  found; with --robustness also if the radius is unlimited
    1  proved: no allowed change leads to another decision
    3  none was found before the time limit, or there is no certificate

    Examples
    --------
    primewood flip forest.skops rows.csv --row 3 --target approved --immutable age
    primewood flip forest.skops rows.csv --row 3 --increase income --count 3
    primewood flip forest.skops rows.csv --row 3 --robustness
    primewood flip forest.skops rows.csv --row 3 --certificate nearest-3.pwcert
    """
    from primewood.cli.call_settings import collect_settings
    from primewood.cli.inputs import check_features, find_decision, read_questions
    from primewood.questions.status import Status

    settings = collect_settings(reading, "flip")
    if robustness and (
        target or immutable or increase or decrease or count or settings.assigned & {"weights"}
    ):
        raise InvalidInput(
            "--robustness takes --norm and --relative; --target, --immutable, --increase, --decrease, --count and "
            "--set weights are for counterfactuals"
        )
    output.check_target(certificate)
    found = read_questions(model, rows, about, settings)
    if certificate is not None and len(found) != 1:
        raise InvalidInput("--certificate is about one row; pass one --row")
    answers = output.Answers(as_json, found.several)
    options: dict[str, Any] = {"time_limit": time_limit}
    if norm is not None:
        options["norm"] = norm.value
    if relative is not None:
        options["relative"] = relative
    if robustness:
        for question in found:
            with CommandProgress("searching"):
                radius = question.explainer.robustness(question.x, **options)
            answers.answer(question.index, radius)
        output.finish(*output.save_certificate(radius, certificate))
        return
    named = {"immutable": immutable, "increase": increase, "decrease": decrease}
    options |= {name: check_features(found.explainer, f"--{name}", given) for name, given in named.items()}
    weights = settings.get("weights")
    check_features(found.explainer, "weights", weights)
    wanted = None if target is None else find_decision(found.explainer, target)
    outcomes: list[bool | None] = []
    for question in found:
        with CommandProgress("searching"):
            ways = question.explainer.counterfactuals(
                question.x, wanted, count=count or 1, weights=weights, **options
            )
        for one in ways:
            answers.answer(question.index, one)
        if ways[0].row is None:
            outcomes.append(False if ways[0].status is Status.IMPOSSIBLE else None)
    output.finish(*outcomes, *output.save_certificate(ways[0], certificate))
