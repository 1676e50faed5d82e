"""The commands about a whole model: whether properties are true of it, whether another one is alike, and its rules."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from primewood.cli import inputs, output
from primewood.cli.options import (
    Between,
    Constraints,
    Data,
    Groups,
    Json,
    LanguageChoice,
    Languages,
    ModelFile,
    Seconds,
    Threshold,
    TrainingData,
    Trust,
    VoteChoice,
    VoteOption,
)
from primewood.errors import InvalidInput

if TYPE_CHECKING:
    from primewood.properties.pairs import Monotone


def verify(
    model: ModelFile,
    rule: Annotated[
        list[str] | None, typer.Argument(help="Rules, such as 'age < 18 -> not approved' or 'never denied'.")
    ] = None,
    data: TrainingData = None,
    monotone: Annotated[
        list[str] | None,
        typer.Option(
            "--monotone",
            help="Raising this feature only raises the decision; income:decreasing: only lowers it. Repeatable.",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--target", help="With --monotone: the decision that is gained; else the order of the classes."
        ),
    ] = None,
    independent_of: Annotated[
        list[str] | None,
        typer.Option(
            "--independent-of",
            help="Changing this feature changes nothing. Repeated: nor all of them together.",
        ),
    ] = None,
    never: Annotated[
        list[str] | None, typer.Option("--never", help="This decision is taken about no row. Repeatable.")
    ] = None,
    at_least: Annotated[
        float | None,
        typer.Option("--at-least", help="A bound on the prediction, or on the second class's probability."),
    ] = None,
    at_most: Annotated[float | None, typer.Option("--at-most", help="The same from above.")] = None,
    robust: Annotated[
        float | None, typer.Option("--robust", help="No move of numbers by at most this changes a decision.")
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(
            "--confidence", help="With --robust: only of rows decided with this probability or more."
        ),
    ] = None,
    relative: Annotated[
        bool, typer.Option("--relative", help="With --robust: the move is a share of the training range.")
    ] = False,
    time_limit: Seconds = 60.0,
    vote: VoteOption = VoteChoice.model,
    threshold: Threshold = None,
    between: Between = None,
    group: Groups = None,
    constraint: Constraints = None,
    trust_pickle: Trust = False,
    as_json: Json = False,
) -> None:
    """Prove that properties are true of a model for every row, or show rows for which they are not.

    Exits with 1 if one of them fails, else with 3 if one of them is undecided in time, else with 0.

    Example: primewood verify forest.skops 'age < 18 -> not approved' --data train.csv --monotone income
    """
    from primewood.cli.models import decision_named, explainer_for
    from primewood.properties import pairs, rules

    if target is not None and not monotone:
        raise InvalidInput("--target goes with --monotone")
    if robust is None and (confidence is not None or relative):
        raise InvalidInput("--confidence and --relative go with --robust")
    explainer = explainer_for(
        model,
        data,
        trust_pickle=trust_pickle,
        vote=vote.value,
        **inputs.asked(threshold, between, group, constraint),
    )
    wanted = None if target is None else decision_named(explainer, target)
    stated: list[Any] = [*(rule or []), *(_monotone(text, wanted) for text in monotone or [])]
    if independent_of:
        stated.append(pairs.independent_of(*independent_of))
    if never:
        stated.append(rules.never(*(decision_named(explainer, name) for name in never)))
    bounds = {"at_least": at_least, "at_most": at_most}
    if given := {name: bound for name, bound in bounds.items() if bound is not None}:
        stated.append(rules.output(**given))
    if robust is not None:
        stated.append(pairs.robust_everywhere(robust, relative=relative, confidence=confidence))
    if not stated:
        raise InvalidInput(
            "say what to verify: a rule such as 'age < 18 -> not approved', or an option of --help"
        )
    outcomes = []
    for each in stated:
        with output.patience("verifying"):
            found = explainer.verify(each, time_limit=time_limit)
        output.answer(found, as_json=as_json)
        outcomes.append(found.holds)
    output.finish(*outcomes)


def _monotone(text: str, target: object) -> Monotone:
    """The property that ``feature`` or ``feature:direction`` says; a feature's name may hold colons itself."""
    from primewood.properties.pairs import monotone

    feature, colon, direction = text.rpartition(":")
    if colon and direction in ("increasing", "decreasing"):
        return monotone(feature, direction, target)  # type: ignore[arg-type]
    return monotone(text, target=target)


def compare(
    first: ModelFile,
    second: Annotated[Path, typer.Argument(help="Another one, over the same columns.")],
    data: TrainingData = None,
    regions: Annotated[int, typer.Option("--regions", min=1, help="Show at most this many.")] = 5,
    time_limit: Seconds = 60.0,
    vote: VoteOption = VoteChoice.model,
    threshold: Threshold = None,
    between: Between = None,
    group: Groups = None,
    constraint: Constraints = None,
    trust_pickle: Trust = False,
    as_json: Json = False,
) -> None:
    """Prove that two models decide alike on every row, or show where they differ.

    Exits with 0 if they are equivalent, with 1 if they differ, with 3 if neither was found in time.

    Example: primewood compare old.skops new.skops --data train.csv
    """
    from primewood.cli.models import explainer_for
    from primewood.readers import load_model

    explainer = explainer_for(
        first,
        data,
        trust_pickle=trust_pickle,
        vote=vote.value,
        **inputs.asked(threshold, between, group, constraint),
    )
    other = load_model(second, trust_pickle=trust_pickle)
    with output.patience("comparing"):
        found = explainer.compare(other, regions=regions, time_limit=time_limit)
    output.answer(found, as_json=as_json)
    output.finish(found.equivalent)


def rules(
    model: ModelFile,
    data: Data,
    decision: Annotated[
        list[str] | None,
        typer.Option("--decision", help="Rules for this decision; all if not given. Repeatable."),
    ] = None,
    literals: Languages = LanguageChoice.intervals,
    coverage: Annotated[
        float, typer.Option("--coverage", help="The share of a decision's rows to cover.")
    ] = 0.95,
    most: Annotated[int | None, typer.Option("--most", min=1, help="The most rules per decision.")] = None,
    time_limit: Seconds = 60.0,
    vote: VoteOption = VoteChoice.model,
    threshold: Threshold = None,
    between: Between = None,
    group: Groups = None,
    constraint: Constraints = None,
    trust_pickle: Trust = False,
    as_json: Json = False,
) -> None:
    """Show rules that are proved right on every row that they cover, and cover most of the rows.

    Exits with 3 if no rule was found in time.

    Example: primewood rules forest.skops --data train.csv --decision approved --coverage 0.9 --most 10
    """
    from primewood.cli.models import decision_named, explainer_for
    from primewood.reasons.explanation import Status

    explainer = explainer_for(
        model,
        data,
        trust_pickle=trust_pickle,
        vote=vote.value,
        **inputs.asked(threshold, between, group, constraint),
    )
    with output.patience("growing rules"):
        found = explainer.rules(
            None if decision is None else [decision_named(explainer, name) for name in decision],
            literals=literals.value,
            coverage=coverage,
            most_rules=most,
            time_limit=time_limit,
        )
    output.answer(found, as_json=as_json)
    output.finish(True if found.rules or found.status is Status.PROVED else None)
