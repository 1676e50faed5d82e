"""The commands about logic: prime implicants of expressions, their encodings, and audits of these."""

from __future__ import annotations

import itertools
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from primewood.cli import output
from primewood.cli.options import Answering, Count, Json, LanguageChoice, Languages, Limit, asked
from primewood.cli.progress import Progress

if TYPE_CHECKING:
    from primewood.logic.term import Term


class EncodingChoice(StrEnum):
    """The encodings."""

    one_hot = "one-hot"
    classical = "classical"
    prefix = "prefix"
    highest_bit = "highest-bit"


class PsiChoice(StrEnum):
    """How Ψ is added."""

    implies = "implies"
    conjoin = "and"
    none = "none"


Var = Annotated[
    list[str] | None,
    asked(
        "--var", help="Declare a variable: A=1,2,3 or X<2<6 or X<=2<=6. Repeatable.", metavar="DECLARATION"
    ),
]


def primes(
    expression: Annotated[
        str, typer.Argument(help="For example '(B=r | B=b) -> A=2'.", metavar="EXPRESSION")
    ],
    *,
    var: Var = None,
    instance: Annotated[
        str | None, asked("--instance", help="Only the PI-explanations of A=2,B=r.", metavar="VALUES")
    ] = None,
    literals: Languages = LanguageChoice.sets,
    limit: Limit = None,
    count: Count = False,
    answering: Answering,
    as_json: Json = False,
) -> None:
    """List the prime implicants of an expression or of an instance.

    Prints one term per line. Names that are not declared and stand alone are Boolean variables.

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
    from primewood.reasons.families import pi_explanations, prime_implicants

    delta = expressions.expression(expression, var or [])
    options: dict[str, Any] = {
        "literals": literals.value,
        "engine": answering.engine.value,
        "max_nodes": answering.max_nodes,
    }
    if instance is None:
        found = prime_implicants(delta, **options)
    else:
        alpha = expressions.instance(instance, delta.variables)
        found = pi_explanations(delta, alpha, **options)
        if not as_json:
            output.talk(f"the decision is {'positive' if delta.holds(alpha) else 'negative'}")
    if count:
        with Progress("counting"):
            number = found.count()
        output.record({"count": number}) if as_json else output.data(str(number))
        return
    output.write_all(
        itertools.islice(found, limit),
        "prime implicants",
        lambda term: output.record(_term_record(term)) if as_json else output.data(str(term)),
    )


def _term_record(term: Term) -> dict[str, Any]:
    values = {x.variable.name: [str(v) for v in x.values] for x in term.literals}
    return {"term": str(term), "literals": values}


def encode(
    expression: Annotated[str, typer.Argument(help="For example 'X=x1 | Y=y1'.", metavar="EXPRESSION")],
    *,
    var: Var = None,
    encoding: Annotated[EncodingChoice, asked("--encoding", help="Which encoding.")] = EncodingChoice.one_hot,
    psi: Annotated[PsiChoice, asked("--psi", help="How DIMACS adds Ψ.")] = PsiChoice.conjoin,
    dimacs: Annotated[bool, asked("--dimacs", help="Clauses for a SAT solver.")] = False,
    decode: Annotated[
        str | None, asked("--decode", help="Decode a Boolean term, e.g. '!X_2 & !X_3'.", metavar="TERM")
    ] = None,
    as_json: Json = False,
) -> None:
    """Encode an expression with Boolean variables.

    Prints the constraint Ψ on the Boolean variables and the encoded expression Δ_b; or clauses in DIMACS; or the
    multi-valued term that a Boolean one stands for.

    Examples
    --------
    primewood encode 'X=x1 | Y=y1' --var X=x1,x2,x3 --var Y=y1,y2,y3
    primewood encode 'X=x1' --var X=x1,x2,x3 --encoding prefix --dimacs
    primewood encode 'X=x1' --var X=x1,x2,x3 --decode '!X_2 & !X_3'
    """
    from primewood.cli.expressions import expression as read
    from primewood.encodings import HighestBit, OneHot, Prefix
    from primewood.logic.parser import parse

    delta = read(expression, var or [])
    classical = encoding is EncodingChoice.classical
    chosen = {EncodingChoice.prefix: Prefix, EncodingChoice.highest_bit: HighestBit}.get(encoding)
    coder = chosen(delta.variables) if chosen else OneHot(delta.variables, classical=classical)
    if decode is not None:
        term = coder.decode(parse(decode, coder.booleans))
        output.record({"term": str(term)}) if as_json else output.data(str(term))
    elif dimacs:
        text = coder.to_dimacs(delta, psi.value)
        output.record({"dimacs": text}) if as_json else output.data(text.rstrip("\n"))
    elif as_json:
        output.record(
            {
                "variables": {b.name: coder.describe(b) for b in coder.booleans},
                "psi": str(coder.psi),
                "delta_b": str(coder.encode(delta)),
            }
        )
    else:
        output.data(f"Ψ   = {coder.psi}")
        output.data(f"Δ_b = {coder.encode(delta)}")


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
        int, asked("--functions", min=1, help="How many random functions.", metavar="N")
    ] = 200,
    seed: Annotated[int, asked("--seed", help="Which random functions.", metavar="N")] = 1,
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
    from primewood.cli.expressions import expression as read
    from primewood.properties import audit as audits

    with Progress("auditing"):
        if expression is None:
            result = audits.random_audit(functions, seed)
        else:
            result = audits.audit(read(expression, var or []))
    output.answer(result, as_json=as_json)
