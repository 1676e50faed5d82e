"""The commands that ask why: `explain`, and `check` of what somebody else says."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from primewood.cli import batches, inputs, output
from primewood.cli.help import LIMITS, OUTPUT
from primewood.cli.options import (
    AboutRows,
    Answering,
    Count,
    Every,
    Json,
    LanguageChoice,
    Languages,
    Limit,
    ModelFile,
    Plain,
    ReadingOptions,
    RowsFile,
    Seconds,
    ToFiles,
    WeightsOption,
    asked,
    language,
)
from primewood.cli.progress import CommandProgress
from primewood.errors import InvalidInput

if TYPE_CHECKING:
    from primewood.cli.loading import Questions, RowQuestion
    from primewood.explainer import Explainer
    from primewood.questions.explanation import Explanation


class GoalChoice(StrEnum):
    """What an explanation shall be best at."""

    prime = "prime"
    shortest = "shortest"
    widest = "widest"


class MeasureChoice(StrEnum):
    """What the widest explanation covers most of."""

    rows = "rows"
    volume = "volume"
    values = "values"


def explain(
    model: ModelFile,
    rows: RowsFile = None,
    *,
    about: AboutRows,
    reading: ReadingOptions,
    answering: Answering,
    literals: Languages = None,
    goal: Annotated[
        GoalChoice,
        asked("--goal", help="Any explanation, one with the fewest features, or one that covers the most."),
    ] = GoalChoice.prime,
    measure: Annotated[MeasureChoice | None, asked("--measure", help="What --goal widest counts.")] = None,
    weight: WeightsOption = None,
    fix: Annotated[
        list[str] | None,
        asked("--fix", help="A feature that keeps the row's value. Repeatable.", metavar="FEATURE"),
    ] = None,
    avoid: Annotated[
        list[str] | None, asked("--avoid", help="A feature not to mention. Repeatable.", metavar="FEATURE")
    ] = None,
    only: Annotated[
        list[str] | None,
        asked("--only", help="Mention this feature and no others. Repeatable.", metavar="FEATURE"),
    ] = None,
    every: Every = False,
    limit: Limit = None,
    count: Count = False,
    witnesses: Annotated[
        bool,
        asked("--witnesses", help="Also print what would change the decision, each with an example row."),
    ] = False,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            help="For one answer; 10 if not given, none with --work-limit.",
            metavar="SECONDS",
            rich_help_panel=LIMITS,
        ),
    ] = None,
    work_limit: Annotated[
        int | None,
        typer.Option(
            "--work-limit",
            min=1,
            help="For one answer, in steps: the same on every machine.",
            metavar="N",
            rich_help_panel=LIMITS,
        ),
    ] = None,
    files: ToFiles,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact", help="Print all digits of all bounds; JSON always has them.", rich_help_panel=OUTPUT
        ),
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            help="Write a page about the explanation here, that opens offline; an existing file is replaced.",
            metavar="FILE",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    plain: Plain = False,
    as_json: Json = False,
) -> None:
    """Explain why a model made its decision about a row.

    Prints conditions that guarantee the decision: every row that meets them gets it, and none of them can be
    relaxed. The assumptions about rows are printed with them.

    With -o, all rows of a file are explained. A name that ends with .csv, .xlsx, .parquet or .jsonl is one file with a
    line per row. Any other name is a folder of parts, for many rows: what is finished stays, whatever stops the run,
    and --resume goes on. `primewood summarise` reads the folder.

    Exit codes
    ----------
    0  explained; at the time limit, a note says that it is not proved prime
    1  --avoid or --only leave no explanation; the row that is shown proves it
    3  the model is too large for the --engine that was asked for

    Examples
    --------
    primewood explain forest.skops rows.csv --row 3
    primewood explain forest.skops rows.csv --row 3 --row 5 --literals intervals
    primewood explain forest.skops rows.csv --row 3 --goal shortest --avoid age
    primewood explain forest.skops rows.csv --row 3 --all --limit 10
    primewood explain booster.json rows.csv --every-row --threshold 0.37 --json
    primewood explain forest.skops rows.csv --row 3 --html why.html
    primewood explain forest.skops rows.csv -o reasons.csv --train train.csv
    primewood explain forest.skops rows.csv -o out --train train.csv --jobs 2
    head -2 rows.csv | primewood explain forest.skops - --train train.csv
    """
    from primewood.cli.loading import questions
    from primewood.questions.explanation import Status

    if every or count:
        _refuse_together(
            {
                "fix": fix,
                "avoid": avoid,
                "only": only,
                "weight": weight,
                "measure": measure,
                "goal": goal is not GoalChoice.prime,
                "witnesses": witnesses,
                "html": html,
                "exact": exact,
            }
        )
    if time_limit is None and work_limit is None:
        time_limit = 10.0
    weights = inputs.weights(weight or [])
    options: dict[str, Any] = {
        "literals": language(literals),
        "goal": goal.value,
        "measure": None if measure is None else measure.value,
        "weights": weights,
        "time_limit": time_limit,
        "work_limit": work_limit,
    }
    named = {"fix": fix, "avoid": avoid, "only": only, "weight": weights}
    if files != ToFiles():
        one = {"row": about.row, "all": every, "count": count, "limit": limit, "witnesses": witnesses}
        batches.check(files, about, {**one, "html": html, "exact": exact, "plain": plain})
        asked_of = batches.asked_of(model, rows, about, reading, answering, str(files.to))
        options["literals"] = options["literals"] or asked_of.explainer.literals
        batches.explain_all(
            asked_of, files, options | _features(asked_of.explainer, **named), as_json=as_json
        )
        return
    output.check_target(html)
    found = questions(model, about, reading, rows=rows, **answering.options())
    if html is not None and len(found) != 1:
        raise InvalidInput("--html writes a page about one row; pass one --row, or use `primewood report`")
    answers = output.Answers(as_json, found.several, plain)
    if count:
        _write_counts(found, answers, literals)
        return
    if every:
        for question in found:
            _write_all(question, answers, literals, limit)
        return
    options |= _features(found.explainer, **named)
    outcomes = []
    with CommandProgress("searching") as progress:
        for place, question in enumerate(found, start=1):
            progress.say(f"row {place} of {len(found)}" if found.several else "searching")
            why = question.explainer.explain(question.x, **options)
            outcomes.append(why.status is not Status.IMPOSSIBLE)
            record = _record(why, answers, witnesses=witnesses)
            shown = [] if as_json else _shown(why, witnesses=witnesses, exact=exact)
            with progress.aside():
                answers.write(question.index, record, *shown)
    if html is not None:
        why.to_html(html)
        output.talk(f"written to {html}")
    output.finish(*outcomes)


def _refuse_together(one: dict[str, object]) -> None:
    """Refuse options that are for one explanation, where all of them are listed or counted."""
    chosen = [f"--{name}" for name, given in one.items() if given]
    if chosen:
        raise InvalidInput(
            f"{' and '.join(chosen)} {'is' if len(chosen) == 1 else 'are'} for one explanation; "
            "leave out --all and --count"
        )


def _shown(why: Explanation, *, witnesses: bool, exact: bool) -> list[object]:
    """What shows an explanation: a card or its words, and what would change it."""
    changes = [f"What would change it:\n{why.what_would_change_it}"] if witnesses else []
    return [why.to_text(exact=True) if exact else why, *changes]


def _features(explainer: Explainer, **named: Iterable[str] | None) -> dict[str, Any]:
    """The features that options name, checked; `weight` names some too, and is not an option of explanations."""
    from primewood.cli.loading import features_named

    found = {name: features_named(explainer, f"--{name}", given) for name, given in named.items()}
    return {"fix": found["fix"], "avoid": found["avoid"], "only": found["only"] or None}


def _write_counts(found: Questions, answers: output.Answers, literals: LanguageChoice | None) -> None:
    for question in found:
        with CommandProgress("counting"):
            number = question.explainer.count(question.x, literals=language(literals))
        answers.write(question.index, {"count": number}, str(number))


def _write_all(
    question: RowQuestion, answers: output.Answers, literals: LanguageChoice | None, limit: int | None
) -> None:
    with CommandProgress("compiling"):
        every = iter(question.explainer.explanations(question.x, literals=language(literals)))
    output.write_all(
        itertools.islice(every, limit),
        "explanations",
        lambda why: answers.write(question.index, _record(why, answers), why.rule),
    )


def _record(why: Explanation, answers: output.Answers, *, witnesses: bool = False) -> dict[str, Any]:
    """The document of an explanation, as `Explanation.from_json` reads it; nothing where words are wanted."""
    document: dict[str, Any] = json.loads(why.to_json(witnesses=witnesses)) if answers.as_json else {}
    return document


def check(
    model: ModelFile,
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
        asked(
            "--features",
            help="Instead of conditions: a feature that the claim keeps at the row's value. Repeatable.",
            metavar="FEATURE",
        ),
    ] = None,
    time_limit: Seconds = 10.0,
    as_json: Json = False,
) -> None:
    """Check whether somebody's conditions suffice for a decision.

    Prints the verdict, and what repairs a claim that is wrong or says more than it must.

    Exit codes
    ----------
    0  it suffices
    1  it does not: the row that is shown meets it and gets a different decision
    3  neither was found in time

    Examples
    --------
    primewood check forest.skops 'income >= 50' --data rows.csv --row 3
    primewood check forest.skops --features income --data rows.csv --row 3
    """
    from primewood.cli.loading import features_named, questions

    if (claim is None) == (not features):
        raise InvalidInput("say what is claimed to suffice: conditions as text, or --features, not both")
    found = questions(model, about, reading)
    claimed = features_named(found.explainer, "--features", features) or claim
    answers = output.Answers(as_json, found.several)
    outcomes = []
    for question in found:
        with CommandProgress("checking"):
            checked = question.explainer.check(question.x, claimed, time_limit=time_limit)
        answers.answer(question.index, checked)
        outcomes.append(checked.sufficient)
    output.finish(*outcomes)
