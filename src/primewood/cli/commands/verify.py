"""The commands that prove statements about a whole model: properties, equivalence, rules."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from primewood.cli import output
from primewood.cli.options import (
    CertificateTarget,
    Json,
    Languages,
    ModelFile,
    ReadingOptions,
    RowsFile,
    Seconds,
    TrainingFile,
    get_language,
    question_option,
)
from primewood.cli.progress import CommandProgress
from primewood.errors import InvalidInput

if TYPE_CHECKING:
    from primewood.explainer import Explainer
    from primewood.properties.monotone import Monotone


@dataclass(frozen=True)
class Properties:
    """The properties that a call can state."""

    rule: Annotated[
        list[str] | None,
        question_option(
            "--rule",
            help="A rule, such as 'age < 18 -> not approved' or 'never denied'. Repeatable.",
            metavar="RULE",
        ),
    ] = None
    monotone: Annotated[
        list[str] | None,
        question_option(
            "--monotone",
            help="Raising this feature never loses --target; with debt:decreasing, never gains it. Repeatable.",
            metavar="FEATURE",
        ),
    ] = None
    target: Annotated[
        str | None,
        question_option(
            "--target",
            help="With --monotone: the decision that counts as higher. Needed where decisions are names.",
            metavar="DECISION",
        ),
    ] = None
    independent_of: Annotated[
        list[str] | None,
        question_option(
            "--independent-of",
            help="Changing this feature never changes the decision. Repeated: nor does changing all of them together.",
            metavar="FEATURE",
        ),
    ] = None
    never: Annotated[
        list[str] | None,
        question_option("--never", help="No row gets this decision. Repeatable.", metavar="DECISION"),
    ] = None
    at_least: Annotated[
        float | None,
        question_option(
            "--at-least",
            help="The prediction, or the probability of the second class, is at least this.",
            metavar="NUMBER",
        ),
    ] = None
    at_most: Annotated[
        float | None, question_option("--at-most", help="The same is at most this.", metavar="NUMBER")
    ] = None
    robust: Annotated[
        float | None,
        question_option(
            "--robust", help="Changing numbers by at most this never changes a decision.", metavar="NUMBER"
        ),
    ] = None
    confidence: Annotated[
        float | None,
        question_option(
            "--confidence",
            help="With --robust: only rows decided with at least this probability.",
            metavar="NUMBER",
        ),
    ] = None
    relative: Annotated[
        bool,
        question_option("--relative", help="With --robust: the change is a share of the training range."),
    ] = False

    def check(self) -> None:
        """Raise for options that need another option."""
        if self.target is not None and not self.monotone:
            raise InvalidInput("--target goes with --monotone")
        if self.robust is None and (self.confidence is not None or self.relative):
            raise InvalidInput("--confidence and --relative go with --robust")


def read_properties(explainer: Explainer, options: Properties) -> list[Any]:
    """Read the properties that a call states, in the order of its help."""
    from primewood.cli.inputs import check_features, find_decision
    from primewood.properties.independent import independent_of
    from primewood.properties.robust_everywhere import robust_everywhere
    from primewood.properties.rules_to_verify import never, output

    target = None if options.target is None else find_decision(explainer, options.target)
    found: list[Any] = [
        *(options.rule or []),
        *(_read_monotone(explainer, text, target) for text in options.monotone or []),
    ]
    if options.independent_of:
        features = check_features(explainer, "--independent-of", options.independent_of)
        found.append(independent_of(*features))
    if options.never:
        found.append(never(*(find_decision(explainer, name) for name in options.never)))
    bounds = {"at_least": options.at_least, "at_most": options.at_most}
    if given := {name: bound for name, bound in bounds.items() if bound is not None}:
        found.append(output(**given))
    if options.robust is not None:
        found.append(
            robust_everywhere(options.robust, relative=options.relative, confidence=options.confidence)
        )
    return found


def _read_monotone(explainer: Explainer, text: str, target: object) -> Monotone:
    """Read ``feature`` or ``feature:direction``; a feature's name may contain colons."""
    from primewood.cli.inputs import check_features
    from primewood.properties.monotone import monotone

    feature, colon, direction = text.rpartition(":")
    if colon and direction in ("increasing", "decreasing"):
        check_features(explainer, "--monotone", [feature])
        return monotone(feature, direction, target)  # type: ignore[arg-type]
    check_features(explainer, "--monotone", [text])
    return monotone(text, target=target)


def verify(
    model: ModelFile,
    rows: TrainingFile = None,
    *,
    properties: Properties,
    reading: ReadingOptions,
    time_limit: Seconds = 60.0,
    certificate: CertificateTarget = None,
    as_json: Json = False,
) -> None:
    r"""Prove properties for every row, or show where they fail.

    Prints one answer per property: it holds, or rows for which it does not.

    Exit codes
    ----------
    0  all properties hold
    1  a property fails
    3  a property is undecided at the time limit, or has no certificate

    Examples
    --------
    primewood verify forest.skops train.csv --rule 'age < 18 -> not approved'
    primewood verify forest.skops --monotone income --target approved
    primewood verify forest.skops --independent-of shoe --never denied
    primewood verify forest.skops --rule 'income < 20 -> denied' \
      --certificate rule.pwcert
    """
    from primewood.cli.call_settings import collect_settings
    from primewood.cli.inputs import load_explainer

    properties.check()
    if rows is not None and "->" in str(rows):
        raise InvalidInput(f"{rows} is not a file of rows; pass a rule as --rule '{rows}'")
    explainer = load_explainer(model, rows, collect_settings(reading, "verify"))
    wanted = read_properties(explainer, properties)
    if not wanted:
        raise InvalidInput(
            "pass what to verify: --rule 'age < 18 -> not approved', or another option under \"What is asked\""
        )
    output.check_target(certificate)
    if certificate is not None and len(wanted) != 1:
        raise InvalidInput("--certificate is about one property; pass one")
    for each in wanted:  # an error in the last one is reported before the others are proved
        explainer.check_property(each)
    outcomes = []
    for each in wanted:
        with CommandProgress("verifying"):
            found = explainer.verify(each, time_limit=time_limit)
        output.write_answer(found, as_json=as_json)
        outcomes.append(found.holds)
    output.finish(*outcomes, *output.save_certificate(found, certificate))


def compare(
    model: ModelFile,
    other: Annotated[Path, typer.Argument(help="Another one, over the same columns.", metavar="OTHER")],
    rows: TrainingFile = None,
    *,
    reading: ReadingOptions,
    regions: Annotated[
        int, question_option("--regions", min=1, help="Show at most this many regions.", metavar="N")
    ] = 5,
    time_limit: Seconds = 60.0,
    certificate: CertificateTarget = None,
    as_json: Json = False,
) -> None:
    """Prove that two models decide alike, or show differences.

    Prints whether they are equivalent, or regions in which they differ, each with a row. Rows that are given are
    counted, and regions grown around those that are decided differently.

    Exit codes
    ----------
    0  they are equivalent
    1  they differ
    3  undecided at the time limit, or there is no certificate

    Examples
    --------
    primewood compare old.skops new.skops
    primewood compare old.skops new.skops train.csv --regions 2
    primewood compare old.skops copy.json --certificate alike.pwcert
    """
    from primewood.cli.call_settings import collect_settings
    from primewood.cli.inputs import load_explainer
    from primewood.readers import load_model

    output.check_target(certificate)
    explainer = load_explainer(model, rows, collect_settings(reading, "compare"))
    second = load_model(other, trust_pickle=reading.trust_pickle)
    with CommandProgress("comparing"):
        found = explainer.compare(second, regions=regions, time_limit=time_limit)
    output.write_answer(found, as_json=as_json)
    output.finish(found.equivalent, *output.save_certificate(found, certificate))


def rules(
    model: ModelFile,
    rows: RowsFile,
    *,
    reading: ReadingOptions,
    decision: Annotated[
        list[str] | None,
        question_option(
            "--decision", help="Rules for this decision; all if not given. Repeatable.", metavar="DECISION"
        ),
    ] = None,
    literals: Languages = None,
    coverage: Annotated[
        float, question_option("--coverage", help="The share of a decision's rows to cover.", metavar="SHARE")
    ] = 0.95,
    most: Annotated[
        int | None, question_option("--most", min=1, help="The most rules per decision.", metavar="N")
    ] = None,
    time_limit: Seconds = 60.0,
    as_json: Json = False,
) -> None:
    """Show proved rules that cover most of the rows.

    Prints a list of rules that together cover most of the rows, and what none of them covers.

    Exit codes
    ----------
    0  rules were found
    3  no rule was found before the time limit

    Examples
    --------
    primewood rules forest.skops train.csv --decision approved --coverage 0.9
    """
    from primewood.cli.call_settings import collect_settings
    from primewood.cli.inputs import find_decision, load_explainer
    from primewood.questions.status import Status

    explainer = load_explainer(model, rows, collect_settings(reading, "rules"))
    with CommandProgress("growing rules"):
        found = explainer.rules(
            None if decision is None else [find_decision(explainer, name) for name in decision],
            literals=get_language(literals),
            coverage=coverage,
            most_rules=most,
            time_limit=time_limit,
        )
    output.write_answer(found, as_json=as_json)
    output.finish(True if found.rules or found.status is Status.PROVED else None)
