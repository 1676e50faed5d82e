"""The commands about logic: prime implicants of expressions, and audits of their encodings."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import typer

from primewood.cli import output
from primewood.cli.help import LIMITS
from primewood.cli.options import (
    Count,
    EngineChoice,
    Json,
    Languages,
    Limit,
    MaxNodes,
    Var,
    get_language,
    question_option,
)
from primewood.cli.progress import CommandProgress

if TYPE_CHECKING:
    from primewood.logic.term import Term


def primes(
    expression: Annotated[
        str, typer.Argument(help="For example '(B=r | B=b) -> A=2'.", metavar="EXPRESSION")
    ],
    *,
    var: Var = None,
    instance: Annotated[
        str | None,
        question_option("--instance", help="Only the PI-explanations of A=2,B=r.", metavar="VALUES"),
    ] = None,
    literals: Languages = None,
    limit: Limit = None,
    count: Count = False,
    engine: Annotated[
        EngineChoice | None,
        typer.Option("--engine", help="Which engine answers; auto if not given.", rich_help_panel=LIMITS),
    ] = None,
    max_nodes: MaxNodes = None,
    as_json: Json = False,
) -> None:
    """List the prime implicants of an expression.

    Prints one term per line. Undeclared names that stand alone are Boolean variables.

    Exit codes
    ----------
    0  listed
    3  the expression is too large

    Examples
    --------
    primewood primes '(A | !C) & (B | C)'
    primewood primes 'B=r -> (A=2 & C!=h)' --var A=1,2 --var B=r,b,g --var C=l,m,h
    primewood primes 'X < 2 | Y >= 7' --var 'X<2<6' --var 'Y<7' --instance X=1,Y=9
    """
    from primewood.cli import expressions
    from primewood.questions.families import pi_explanations, prime_implicants

    delta = expressions.parse_expression(expression, var or [])
    options: dict[str, Any] = {"literals": get_language(literals) or "sets", "max_nodes": max_nodes}
    if engine is not None:
        options["engine"] = engine.value
    if instance is None:
        found = prime_implicants(delta, **options)
    else:
        alpha = expressions.read_instance(instance, delta.variables)
        found = pi_explanations(delta, alpha, **options)
        if not as_json:
            output.talk(f"the decision is {'positive' if delta.holds(alpha) else 'negative'}")
    if count:
        with CommandProgress("counting"):
            number = found.count()
        output.write_record({"count": number}) if as_json else output.write_line(str(number))
        return
    output.write_all(
        itertools.islice(found, limit),
        "prime implicants",
        lambda term: output.write_record(_describe_term(term)) if as_json else output.write_line(str(term)),
    )


class TermRecord(TypedDict):
    """A term in words, and the values of each of its literals."""

    term: str
    literals: dict[str, list[str]]


def _describe_term(term: Term) -> TermRecord:
    values = {x.variable.name: [str(v) for v in x.values] for x in term.literals}
    return {"term": str(term), "literals": values}


def audit(
    expression: Annotated[
        str | None,
        typer.Argument(
            help="Audit this expression; random ones if not given.", metavar="EXPRESSION", show_default=False
        ),
    ] = None,
    *,
    var: Var = None,
    functions: Annotated[
        int, question_option("--functions", min=1, help="How many random functions.", metavar="N")
    ] = 200,
    seed: Annotated[int, question_option("--seed", help="Which random functions.", metavar="N")] = 1,
    as_json: Json = False,
) -> None:
    """Show which encodings give the right prime implicants.

    Prints, per encoding and way of adding Ψ, how many prime implicants are missing, wrong or undecodable.

    Exit codes
    ----------
    0  audited
    3  the expression is too large

    Examples
    --------
    primewood audit --functions 50 --seed 1
    primewood audit 'X=x1 | Y=y1' --var X=x1,x2,x3 --var Y=y1,y2,y3
    """
    from primewood.cli.expressions import parse_expression
    from primewood.properties import audit as audits

    with CommandProgress("auditing"):
        if expression is None:
            result = audits.random_audit(functions, seed)
        else:
            result = audits.audit(parse_expression(expression, var or []))
    output.write_answer(result, as_json=as_json)
