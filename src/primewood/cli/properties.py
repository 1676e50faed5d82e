"""The commands that prove something of a whole model: properties, likeness to another one, rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from primewood.cli import output
from primewood.cli.options import (
    Json,
    Languages,
    ModelFile,
    ReadingOptions,
    Seconds,
    TrainingData,
    TrainingFile,
    asked,
    language,
)
from primewood.cli.progress import CommandProgress
from primewood.errors import InvalidInput

if TYPE_CHECKING:
    from primewood.explainer import Explainer
    from primewood.properties.pairs import Monotone


@dataclass(frozen=True)
class Properties:
    """What can be stated about a whole model besides rules."""

    monotone: Annotated[
        list[str] | None,
        asked(
            "--monotone",
            help="Raising this feature never loses --target; debt:decreasing: never gains it. Repeatable.",
            metavar="FEATURE",
        ),
    ] = None
    target: Annotated[
        str | None,
        asked(
            "--target",
            help="With --monotone: the decision to gain. Required if decisions are names.",
            metavar="DECISION",
        ),
    ] = None
    independent_of: Annotated[
        list[str] | None,
        asked(
            "--independent-of",
            help="Changing this feature never changes the decision. Repeated: nor changing all of them together.",
            metavar="FEATURE",
        ),
    ] = None
    never: Annotated[
        list[str] | None,
        asked("--never", help="No row gets this decision. Repeatable.", metavar="DECISION"),
    ] = None
    at_least: Annotated[
        float | None,
        asked(
            "--at-least",
            help="A bound on the prediction, or on the second class's probability.",
            metavar="NUMBER",
        ),
    ] = None
    at_most: Annotated[float | None, asked("--at-most", help="The same from above.", metavar="NUMBER")] = None
    robust: Annotated[
        float | None,
        asked("--robust", help="Moving numbers by at most this never changes a decision.", metavar="NUMBER"),
    ] = None
    confidence: Annotated[
        float | None,
        asked(
            "--confidence",
            help="With --robust: only rows decided with this probability or more.",
            metavar="NUMBER",
        ),
    ] = None
    relative: Annotated[
        bool, asked("--relative", help="With --robust: the move is a share of the training range.")
    ] = False

    def check(self) -> None:
        """Raise for options whose other option is not given."""
        if self.target is not None and not self.monotone:
            raise InvalidInput("--target goes with --monotone")
        if self.robust is None and (self.confidence is not None or self.relative):
            raise InvalidInput("--confidence and --relative go with --robust")


def stated(explainer: Explainer, rules: Iterable[str], options: Properties) -> list[Any]:
    """The properties that a call states, in the order of its help."""
    from primewood.cli.loading import decision_named, features_named
    from primewood.properties import pairs
    from primewood.properties.rules import never, output

    target = None if options.target is None else decision_named(explainer, options.target)
    found: list[Any] = [*rules, *(_monotone(explainer, text, target) for text in options.monotone or [])]
    if options.independent_of:
        features = features_named(explainer, "--independent-of", options.independent_of)
        found.append(pairs.independent_of(*features))
    if options.never:
        found.append(never(*(decision_named(explainer, name) for name in options.never)))
    bounds = {"at_least": options.at_least, "at_most": options.at_most}
    if given := {name: bound for name, bound in bounds.items() if bound is not None}:
        found.append(output(**given))
    if options.robust is not None:
        found.append(
            pairs.robust_everywhere(options.robust, relative=options.relative, confidence=options.confidence)
        )
    return found


def _monotone(explainer: Explainer, text: str, target: object) -> Monotone:
    """The property that ``feature`` or ``feature:direction`` says; a feature's name may hold colons itself."""
    from primewood.cli.loading import features_named
    from primewood.properties.pairs import monotone

    feature, colon, direction = text.rpartition(":")
    if colon and direction in ("increasing", "decreasing"):
        features_named(explainer, "--monotone", [feature])
        return monotone(feature, direction, target)  # type: ignore[arg-type]
    features_named(explainer, "--monotone", [text])
    return monotone(text, target=target)


def verify(
    model: ModelFile,
    rule: Annotated[
        list[str] | None,
        typer.Argument(
            help="Rules, such as 'age < 18 -> not approved' or 'never denied'.",
            metavar="RULE",
            show_default=False,
        ),
    ] = None,
    *,
    properties: Properties,
    data: TrainingData = None,
    reading: ReadingOptions,
    time_limit: Seconds = 60.0,
    as_json: Json = False,
) -> None:
    """Prove properties for every row, or show where they fail.

    Prints one answer per property: it holds, or rows for which it does not.

    Exit codes
    ----------
    0  all of them hold
    1  one of them fails
    3  none fails, and one is undecided in time

    Examples
    --------
    primewood verify forest.skops 'age < 18 -> not approved' --data train.csv
    primewood verify forest.skops --monotone income --target approved
    primewood verify forest.skops --independent-of shoe --never denied
    """
    from primewood.cli.loading import explainer_for

    properties.check()
    explainer = explainer_for(model, data, reading)
    wanted = stated(explainer, rule or [], properties)
    if not wanted:
        raise InvalidInput(
            "say what to verify: a rule such as 'age < 18 -> not approved', or an option of --help"
        )
    for each in wanted:  # a slip in the last one shall not wait for the proofs of the others
        explainer.check_property(each)
    outcomes = []
    for each in wanted:
        with CommandProgress("verifying"):
            found = explainer.verify(each, time_limit=time_limit)
        output.answer(found, as_json=as_json)
        outcomes.append(found.holds)
    output.finish(*outcomes)


def compare(
    model: ModelFile,
    other: Annotated[Path, typer.Argument(help="Another one, over the same columns.", metavar="OTHER")],
    rows: TrainingFile = None,
    *,
    data: TrainingData = None,
    reading: ReadingOptions,
    regions: Annotated[
        int, asked("--regions", min=1, help="Show at most this many regions.", metavar="N")
    ] = 5,
    time_limit: Seconds = 60.0,
    as_json: Json = False,
) -> None:
    """Prove that two models are equal, or show a difference.

    Prints whether they are equivalent, else regions on which they differ, each with a row. Rows that are given are
    counted, and regions grown around those that are decided differently.

    Exit codes
    ----------
    0  they are equivalent
    1  they differ
    3  neither was found in time

    Examples
    --------
    primewood compare old.skops new.skops
    primewood compare old.skops new.skops train.csv --regions 2
    """
    from primewood.cli.loading import explainer_for, one_file
    from primewood.readers import load_model

    explainer = explainer_for(model, one_file(rows, data), reading)
    second = load_model(other, trust_pickle=reading.trust_pickle)
    with CommandProgress("comparing"):
        found = explainer.compare(second, regions=regions, time_limit=time_limit)
    output.answer(found, as_json=as_json)
    output.finish(found.equivalent)


def rules(
    model: ModelFile,
    rows: TrainingFile = None,
    *,
    data: TrainingData = None,
    reading: ReadingOptions,
    decision: Annotated[
        list[str] | None,
        asked(
            "--decision", help="Rules for this decision; all if not given. Repeatable.", metavar="DECISION"
        ),
    ] = None,
    literals: Languages = None,
    coverage: Annotated[
        float, asked("--coverage", help="The share of a decision's rows to cover.", metavar="SHARE")
    ] = 0.95,
    most: Annotated[
        int | None, asked("--most", min=1, help="The most rules per decision.", metavar="N")
    ] = None,
    time_limit: Seconds = 60.0,
    as_json: Json = False,
) -> None:
    """Show proved rules that cover most of the rows.

    Prints a list of rules that together cover most of the rows, and what none of them covers.

    Exit codes
    ----------
    0  rules were found
    3  no rule was found in time

    Examples
    --------
    primewood rules forest.skops train.csv --decision approved --coverage 0.9
    """
    from primewood.cli.loading import decision_named, explainer_for, one_file
    from primewood.questions.explanation import Status

    covered = one_file(rows, data)
    if covered is None:
        raise InvalidInput(
            "pass a file of rows for the rules to cover (CSV, JSON, Parquet or Excel), or - for stdin"
        )
    explainer = explainer_for(model, covered, reading)
    with CommandProgress("growing rules"):
        found = explainer.rules(
            None if decision is None else [decision_named(explainer, name) for name in decision],
            literals=language(literals),
            coverage=coverage,
            most_rules=most,
            time_limit=time_limit,
        )
    output.answer(found, as_json=as_json)
    output.finish(True if found.rules or found.status is Status.PROVED else None)
