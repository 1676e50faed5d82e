"""The commands about one decision: why it was taken, what would change it, and whether a claim about it is true."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from primewood.cli import inputs, output
from primewood.cli.options import (
    Between,
    Constraints,
    Count,
    Data,
    EngineChoice,
    EngineOption,
    Every,
    Groups,
    Immutable,
    Json,
    LanguageChoice,
    Languages,
    Limit,
    MaxNodes,
    ModelFile,
    RowNumber,
    Seconds,
    Target,
    Threshold,
    Train,
    Trust,
    VoteChoice,
    VoteOption,
    Weights,
    Within,
)
from primewood.errors import InvalidInput

if TYPE_CHECKING:
    from primewood.reasons.explanation import Explanation


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


class NormChoice(StrEnum):
    """The measures of distance."""

    l0 = "l0"
    l1 = "l1"
    linf = "linf"


def explain(
    model: ModelFile,
    data: Data,
    train: Train = None,
    row: RowNumber = 0,
    literals: Languages = LanguageChoice.sets,
    goal: Annotated[
        GoalChoice,
        typer.Option("--goal", help="Any one, one with the fewest features, or one that covers the most."),
    ] = GoalChoice.prime,
    measure: Annotated[
        MeasureChoice | None, typer.Option("--measure", help="What --goal widest counts.")
    ] = None,
    weight: Weights = None,
    fix: Annotated[
        list[str] | None, typer.Option("--fix", help="A feature that keeps the row's value. Repeatable.")
    ] = None,
    avoid: Annotated[
        list[str] | None, typer.Option("--avoid", help="A feature not to mention. Repeatable.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Mention this feature and no others. Repeatable.")
    ] = None,
    every: Every = False,
    limit: Limit = None,
    count: Count = False,
    time_limit: Seconds = 10.0,
    within: Within = None,
    witnesses: Annotated[
        bool, typer.Option("--witnesses", help="Also what would change it, each with a row that shows it.")
    ] = False,
    vote: VoteOption = VoteChoice.model,
    engine: EngineOption = EngineChoice.auto,
    max_nodes: MaxNodes = None,
    threshold: Threshold = None,
    between: Between = None,
    group: Groups = None,
    constraint: Constraints = None,
    trust_pickle: Trust = False,
    as_json: Json = False,
) -> None:
    """Explain why a model decided about a row as it did.

    Exits with 1 if no explanation keeps to --avoid or --only.

    Example: primewood explain forest.skops --data rows.csv --row 3 --goal shortest --avoid postcode
    """
    from primewood.cli.models import about_row
    from primewood.reasons.explanation import Status

    wishes: dict[str, Any] = {
        "fix": fix or (),
        "avoid": avoid or (),
        "only": only,
        "weights": inputs.weights(weight or []),
        "measure": None if measure is None else measure.value,
    }
    chosen = [f"--{name.rstrip('s')}" for name, wish in wishes.items() if wish]
    chosen += ["--goal"] * (goal is not GoalChoice.prime) + ["--witnesses"] * witnesses
    if (every or count) and chosen:
        raise InvalidInput(
            f"{' and '.join(chosen)} {'is' if len(chosen) == 1 else 'are'} for one explanation; "
            "leave out --all and --count"
        )
    explainer, x = about_row(
        model,
        data,
        row,
        train=train,
        within=within,
        trust_pickle=trust_pickle,
        vote=vote.value,
        engine=engine.value,
        max_nodes=max_nodes,
        **inputs.asked(threshold, between, group, constraint),
    )
    if count:
        with output.patience("counting"):
            number = explainer.count(x, literals=literals.value)
        output.record({"count": number}) if as_json else output.data(str(number))
        return
    if every:
        with output.patience("compiling"):
            found: Iterator[Explanation] = iter(explainer.explanations(x, literals=literals.value))
        output.write_all(
            itertools.islice(found, limit),
            "explanations",
            lambda why: output.record(why.to_dict()) if as_json else output.data(why.rule),
        )
        return
    with output.patience("searching"):
        why = explainer.explain(x, literals=literals.value, goal=goal.value, time_limit=time_limit, **wishes)
    if as_json:
        output.record(why.to_dict(witnesses=witnesses))
    else:
        more = f"\nWhat would change it:\n{why.what_would_change_it}" if witnesses else ""
        output.data(f"{why}{more}")
    output.finish(why.status is not Status.IMPOSSIBLE)


def contrast(
    model: ModelFile,
    data: Data,
    train: Train = None,
    row: RowNumber = 0,
    target: Target = None,
    literals: Languages = LanguageChoice.values,
    immutable: Immutable = None,
    every: Every = False,
    limit: Limit = None,
    time_limit: Seconds = 10.0,
    within: Within = None,
    vote: VoteOption = VoteChoice.model,
    threshold: Threshold = None,
    between: Between = None,
    group: Groups = None,
    constraint: Constraints = None,
    trust_pickle: Trust = False,
    as_json: Json = False,
) -> None:
    """Show the fewest features to let go of so that another decision becomes possible.

    Exits with 1 if it is proved that nothing changes the decision, and with 3 if nothing was found in time.

    Example: primewood contrast forest.skops --data rows.csv --row 3 --target approved
    """
    from primewood.cli.models import about_row, decision_named
    from primewood.reasons.explanation import Status

    explainer, x = about_row(
        model,
        data,
        row,
        train=train,
        within=within,
        trust_pickle=trust_pickle,
        vote=vote.value,
        immutable=immutable or (),
        **inputs.asked(threshold, between, group, constraint),
    )
    wanted = None if target is None else decision_named(explainer, target)
    if every:
        with output.patience("compiling"):
            found = iter(explainer.contrasts(x, wanted, literals=literals.value))
        output.write_all(
            itertools.islice(found, limit), "contrasts", lambda one: output.answer(one, as_json=as_json)
        )
        return
    with output.patience("searching"):
        fewest = explainer.contrast(x, wanted, literals=literals.value, time_limit=time_limit)
    output.answer(fewest, as_json=as_json)
    if not fewest.features:
        output.finish(False if fewest.status is Status.IMPOSSIBLE else None)
    if not fewest.fewest:
        output.talk("the time was over before it was proved that no other has fewer features")


def flip(
    model: ModelFile,
    data: Data,
    train: Train = None,
    row: RowNumber = 0,
    target: Target = None,
    norm: Annotated[
        NormChoice | None,
        typer.Option(
            "--norm",
            help="What is least: the sum of moves (l1), the largest (linf), the number of features (l0). "
            "By default l1; with --robustness linf.",
        ),
    ] = None,
    relative: Annotated[
        bool | None,
        typer.Option(
            "--relative/--absolute",
            help="Moves as shares of the training range, or as they are. By default shares; "
            "with --robustness as they are.",
        ),
    ] = None,
    immutable: Immutable = None,
    increase: Annotated[
        list[str] | None, typer.Option("--increase", help="A feature that can only go up. Repeatable.")
    ] = None,
    decrease: Annotated[
        list[str] | None, typer.Option("--decrease", help="A feature that can only go down. Repeatable.")
    ] = None,
    weight: Weights = None,
    count: Annotated[int | None, typer.Option("--count", min=1, help="So many different ways.")] = None,
    robustness: Annotated[
        bool, typer.Option("--robustness", help="Instead, how far the row can move and nothing changes.")
    ] = False,
    time_limit: Seconds = 10.0,
    within: Within = None,
    vote: VoteOption = VoteChoice.model,
    threshold: Threshold = None,
    between: Between = None,
    group: Groups = None,
    constraint: Constraints = None,
    trust_pickle: Trust = False,
    as_json: Json = False,
) -> None:
    """Show the nearest row that is decided otherwise, and what is safe around it; or the robust radius.

    Exits with 1 if it is proved that no row that may be moved to is decided otherwise (with --robustness that is
    a radius without end, and done), and with 3 if none was found in time.

    Example: primewood flip forest.skops --data rows.csv --row 3 --target approved --immutable age --increase income
    """
    from primewood.cli.models import about_row, decision_named
    from primewood.reasons.explanation import Status

    weights = inputs.weights(weight or [])
    if robustness and (target or immutable or increase or decrease or weights or count):
        raise InvalidInput(
            "--robustness takes --norm and --relative; --target, --immutable, --increase, --decrease, --weight and "
            "--count are for counterfactuals"
        )
    explainer, x = about_row(
        model,
        data,
        row,
        train=train,
        within=within,
        trust_pickle=trust_pickle,
        vote=vote.value,
        **inputs.asked(threshold, between, group, constraint),
    )
    options: dict[str, Any] = {"time_limit": time_limit}
    if norm is not None:
        options["norm"] = norm.value
    if relative is not None:
        options["relative"] = relative
    if robustness:
        with output.patience("searching"):
            radius = explainer.robustness(x, **options)
        output.answer(radius, as_json=as_json)
        return
    options |= {
        "target": None if target is None else decision_named(explainer, target),
        "weights": weights,
        "immutable": immutable or (),
        "increase": increase or (),
        "decrease": decrease or (),
    }
    with output.patience("searching"):
        found = explainer.counterfactuals(x, count=count or 1, **options)
    for one in found:
        output.answer(one, as_json=as_json)
    if found[0].row is None:
        output.finish(False if found[0].status is Status.IMPOSSIBLE else None)


def check(
    model: ModelFile,
    data: Data,
    claim: Annotated[
        str | None, typer.Argument(help="Conditions, such as 'income >= 50 and age < 30'.")
    ] = None,
    train: Train = None,
    row: RowNumber = 0,
    features: Annotated[
        list[str] | None,
        typer.Option("--features", help="Instead: a feature that is said to suffice as it is. Repeatable."),
    ] = None,
    time_limit: Seconds = 10.0,
    within: Within = None,
    vote: VoteOption = VoteChoice.model,
    threshold: Threshold = None,
    between: Between = None,
    group: Groups = None,
    constraint: Constraints = None,
    trust_pickle: Trust = False,
    as_json: Json = False,
) -> None:
    """Check whether what somebody says suffices for a decision does, and repair it if it does not.

    Exits with 0 if it suffices, with 1 if a row that it holds for is decided otherwise, with 3 if neither was found
    in time.

    Example: primewood check forest.skops 'income >= 50 and age < 30' --data rows.csv --row 3
    """
    from primewood.cli.models import about_row

    if (claim is None) == (not features):
        raise InvalidInput("say what is claimed to suffice: conditions as text, or --features, not both")
    explainer, x = about_row(
        model,
        data,
        row,
        train=train,
        within=within,
        trust_pickle=trust_pickle,
        vote=vote.value,
        **inputs.asked(threshold, between, group, constraint),
    )
    with output.patience("checking"):
        found = explainer.check(x, features or claim, time_limit=time_limit)
    output.answer(found, as_json=as_json)
    output.finish(found.sufficient)
