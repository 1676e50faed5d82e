"""The commands about reasons: `explain`, and `check` for a claim."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from primewood.cli import batches, output
from primewood.cli.help import LIMITS, OUTPUT
from primewood.cli.options import (
    AboutRows,
    CertificateTarget,
    Count,
    Every,
    Json,
    LanguageChoice,
    Languages,
    Limit,
    ModelFile,
    ReadingOptions,
    RowsFile,
    Seconds,
    ToFiles,
    get_language,
    question_option,
)
from primewood.cli.progress import CommandProgress
from primewood.cli.setting_names import BATCHES
from primewood.errors import InvalidInput

if TYPE_CHECKING:
    from primewood.cli.call_settings import CallSettings
    from primewood.cli.inputs import Questions, RowQuestion
    from primewood.explainer import Explainer
    from primewood.logic.language import Language
    from primewood.questions.explanation import Explanation


class GoalChoice(StrEnum):
    """The goals of an explanation."""

    readable = "readable"
    prime = "prime"
    shortest = "shortest"
    wide = "wide"
    widest = "widest"


def explain(
    model: ModelFile,
    rows: RowsFile,
    *,
    about: AboutRows,
    reading: ReadingOptions,
    literals: Languages = None,
    goal: Annotated[
        GoalChoice | None,
        question_option(
            "--goal",
            help="One with few conditions (the default), the one of the usual order, one with the fewest features, one "
            "that covers many training rows, or one that covers the most.",
        ),
    ] = None,
    fix: Annotated[
        list[str] | None,
        question_option("--fix", help="A feature that keeps the row's value. Repeatable.", metavar="FEATURE"),
    ] = None,
    avoid: Annotated[
        list[str] | None,
        question_option("--avoid", help="A feature not to mention. Repeatable.", metavar="FEATURE"),
    ] = None,
    only: Annotated[
        list[str] | None,
        question_option("--only", help="Mention this feature and no others. Repeatable.", metavar="FEATURE"),
    ] = None,
    every: Every = False,
    limit: Limit = None,
    count: Count = False,
    witnesses: Annotated[
        bool,
        question_option(
            "--witnesses", help="Also print what would change the decision, each with an example row."
        ),
    ] = False,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            help="For one answer; 10 if not given, none with --set work_limit.",
            metavar="SECONDS",
            rich_help_panel=LIMITS,
        ),
    ] = None,
    files: ToFiles,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            help="Write a page about the explanation, which opens offline. An existing file is replaced.",
            metavar="FILE",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    certificate: CertificateTarget = None,
    as_json: Json = False,
) -> None:
    """Explain why a model made its decision about a row.

    Prints conditions that guarantee the decision: every row that meets them gets it, and none of them can be
    relaxed. The assumptions about rows are printed with them.

    With -o, all rows of a file are explained. A name that ends with .csv, .xlsx, .parquet or .jsonl is one file with a
    line per row. Any other name is a folder of parts, for many rows: finished parts stay if the run is stopped,
    and --resume continues it. `primewood summarise` reads the folder.

    Exit codes
    ----------
    0  explained; the answer says if time ran out before the proof was complete
    1  no explanation satisfies --avoid or --only; the row that is shown proves it
    3  the model is too large for the engine that you chose, or no certificate

    Examples
    --------
    primewood explain forest.skops rows.csv --row 3
    primewood explain forest.skops rows.csv --row 3 --row 5 --literals intervals
    primewood explain forest.skops rows.csv --row 3 --goal shortest --avoid age
    primewood explain forest.skops rows.csv --row 3 --set near_features=1
    primewood explain forest.skops rows.csv --row 3 --all --limit 10
    primewood explain forest.skops rows.csv --row 3 --set units.income=EUR
    primewood explain booster.json rows.csv --every-row --threshold 0.37 --json
    primewood explain forest.skops rows.csv --row 3 --html why.html
    primewood explain forest.skops rows.csv --row 3 --certificate case-3.pwcert
    primewood explain forest.skops rows.csv -o reasons.csv --train train.csv
    primewood explain forest.skops rows.csv -o out --train train.csv --jobs 2
    primewood explain forest.skops rows.csv -o proved --certificates
    head -2 rows.csv | primewood explain forest.skops - --train train.csv
    """
    from primewood.cli.call_settings import collect_settings
    from primewood.cli.inputs import read_questions, tell_coverage

    settings = collect_settings(reading, "explain")
    if every or count:
        one = {"fix": fix, "avoid": avoid, "only": only, "goal": goal is not None}
        chosen = _list_chosen({**one, "witnesses": witnesses, "html": html, "certificate": certificate})
        _refuse_together(
            chosen + settings.find_assigned(("weights", "measure", "near", "near_features", "exact"))
        )
    options = _collect_options(settings, get_language(literals), goal, time_limit)
    named = {"fix": fix, "avoid": avoid, "only": only}
    if files != ToFiles() or settings.find_assigned(BATCHES):
        single = {"row": about.row, "all": every, "count": count, "limit": limit, "witnesses": witnesses}
        batches.check(
            files, about, settings, _list_chosen({**single, "html": html, "certificate": certificate})
        )
        batch = batches.read_batch(model, rows, about, settings, str(files.to))
        options |= _check_features(batch.explainer, options["weights"], **named)
        batches.explain_all(batch, files, options, as_json=as_json)
        return
    output.check_target(html)
    output.check_target(certificate)
    found = read_questions(model, rows, about, settings)
    if certificate is not None and len(found) != 1:
        raise InvalidInput("--certificate is about one row; pass one --row")
    if html is not None and len(found) != 1:
        raise InvalidInput("--html is a page about one row; pass one --row, or make a `primewood report`")
    answers = output.Answers(as_json, found.several, bool(settings.get("plain")))
    if count:
        _write_counts(found, answers, literals)
        return
    if every:
        for question in found:
            _write_all(question, answers, literals, limit)
        return
    options |= _check_features(found.explainer, options["weights"], **named)
    parts = ShownParts(witnesses, bool(settings.get("exact")), html, certificate)
    outcomes = _write_reasons(found, answers, options, parts)
    tell_coverage(found.explainer, rows, about.train)
    output.finish(*outcomes)


@dataclass(frozen=True)
class ShownParts:
    """The parts of an explanation that are shown besides its conditions.

    Attributes
    ----------
    witnesses : bool
        What would change it.
    exact : bool
        All digits of all bounds.
    page : Path or None
        The file for a page about it.
    certificate : Path or None
        The file for a proof of it.
    """

    witnesses: bool
    exact: bool
    page: Path | None
    certificate: Path | None


def _collect_options(
    settings: CallSettings, literals: Language | None, goal: GoalChoice | None, time_limit: float | None
) -> dict[str, Any]:
    """Collect the options of `Explainer.explain`. Without any limit, an answer has 10 seconds."""
    work_limit = settings.get("work_limit")
    has_measure = goal is GoalChoice.widest or "measure" in settings.assigned
    return {
        "literals": literals,
        "goal": None if goal is None else goal.value,
        "measure": settings.get("measure") if has_measure else None,
        "weights": settings.get("weights"),
        "near": settings.get("near"),
        "near_features": settings.get("near_features"),
        "time_limit": 10.0 if time_limit is None and work_limit is None else time_limit,
        "work_limit": work_limit,
    }


def _write_reasons(
    found: Questions, answers: output.Answers, options: dict[str, Any], parts: ShownParts
) -> list[bool | None]:
    """Explain one row after the other, and write each at once; returns whether each has what was asked for."""
    from primewood.questions.status import Status

    outcomes = []
    with CommandProgress("searching") as progress:
        for place, question in enumerate(found, start=1):
            progress.say(f"row {place} of {len(found)}" if found.several else "searching")
            why = question.explainer.explain(question.x, **options)
            outcomes.append(why.status is not Status.IMPOSSIBLE)
            record = _build_record(why, answers, witnesses=parts.witnesses)
            shown = [] if answers.as_json else _show(why, parts)
            with progress.aside():
                answers.write(question.index, record, *shown)
    if parts.page is not None:
        why.to_html(parts.page)
        output.talk(f"written to {parts.page}")
    return [*outcomes, *output.save_certificate(why, parts.certificate)]


def _list_chosen(options: Mapping[str, object]) -> list[str]:
    """List the options that are given, as a user writes them."""
    return [f"--{name}" for name, given in options.items() if given]


def _refuse_together(chosen: list[str]) -> None:
    """Raise for options of a single explanation, where all explanations are listed or counted."""
    if chosen:
        raise InvalidInput(
            f"{' and '.join(chosen)} {'is' if len(chosen) == 1 else 'are'} for one explanation; "
            "leave out --all and --count"
        )


def _show(why: Explanation, parts: ShownParts) -> list[object]:
    """Show an explanation, as a card or as text, and what would change it."""
    changes = [f"What would change it:\n{why.what_would_change_it}"] if parts.witnesses else []
    return [why.to_text(exact=True) if parts.exact else why, *changes]


def _check_features(
    explainer: Explainer, weights: Mapping[str, float] | None, **named: Iterable[str] | None
) -> dict[str, Any]:
    """Check the features that options and weights name, and return those of the options."""
    from primewood.cli.inputs import check_features

    check_features(explainer, "weights", weights)
    found = {name: check_features(explainer, f"--{name}", given) for name, given in named.items()}
    return {**found, "only": found["only"] or None}


def _write_counts(found: Questions, answers: output.Answers, literals: LanguageChoice | None) -> None:
    for question in found:
        with CommandProgress("counting"):
            number = question.explainer.count(question.x, literals=get_language(literals))
        answers.write(question.index, {"count": number}, str(number))


def _write_all(
    question: RowQuestion, answers: output.Answers, literals: LanguageChoice | None, limit: int | None
) -> None:
    with CommandProgress("compiling"):
        every = iter(question.explainer.explanations(question.x, literals=get_language(literals)))
    output.write_all(
        itertools.islice(every, limit),
        "explanations",
        lambda why: answers.write(question.index, _build_record(why, answers), why.rule),
    )


def _build_record(why: Explanation, answers: output.Answers, *, witnesses: bool = False) -> dict[str, Any]:
    """Build the document of an explanation, as `Explanation.from_json` reads it; None for text output."""
    document: dict[str, Any] = json.loads(why.to_json(witnesses=witnesses)) if answers.as_json else {}
    return document


def check(
    model: ModelFile,
    rows: RowsFile,
    claim: Annotated[
        str | None,
        typer.Argument(
            help="Conditions, such as 'income >= 50 and age < 30'.", metavar="CLAIM", show_default=False
        ),
    ] = None,
    *,
    about: AboutRows,
    reading: ReadingOptions,
    features: Annotated[
        list[str] | None,
        question_option(
            "--features",
            help="Instead of CLAIM: a feature whose value is claimed to suffice. Repeatable.",
            metavar="FEATURE",
        ),
    ] = None,
    time_limit: Seconds = 10.0,
    as_json: Json = False,
) -> None:
    """Check whether conditions guarantee a decision.

    Prints the verdict, and how to repair a claim that is wrong or longer than needed.

    Exit codes
    ----------
    0  they do
    1  they do not: the row shown meets them and gets a different decision
    3  undecided at the time limit

    Examples
    --------
    primewood check forest.skops rows.csv 'income >= 50' --row 3
    primewood check forest.skops rows.csv --features income --row 3
    """
    from primewood.cli.call_settings import collect_settings
    from primewood.cli.inputs import check_features, read_questions

    if (claim is None) == (not features):
        raise InvalidInput("pass what is claimed to suffice: either CLAIM or --features")
    found = read_questions(model, rows, about, collect_settings(reading, "check"))
    claimed = check_features(found.explainer, "--features", features) or claim
    answers = output.Answers(as_json, found.several)
    outcomes = []
    for question in found:
        with CommandProgress("checking"):
            checked = question.explainer.check(question.x, claimed, time_limit=time_limit)
        answers.answer(question.index, checked)
        outcomes.append(checked.sufficient)
    output.finish(*outcomes)
