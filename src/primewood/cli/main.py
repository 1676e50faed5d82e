"""The commands of `primewood`: those about files and expressions here, questions about models beside it.

Exit codes: 0 done, or what was asked holds; 1 it fails; 2 bad input; 3 undecided in time, or too large; 130 stopped by
Ctrl-C. An answer that a limit cut short but that is right as it stands is done: its status says so.
"""

from __future__ import annotations

import itertools
import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from primewood.cli import decisions, inputs, output, properties
from primewood.cli.options import (
    Between,
    Constraints,
    Count,
    EngineChoice,
    EngineOption,
    Groups,
    Json,
    LanguageChoice,
    Languages,
    Limit,
    MaxNodes,
    ModelFile,
    Threshold,
    TrainingData,
    Trust,
    VoteChoice,
    VoteOption,
)
from primewood.errors import PrimewoodError, TooLarge

if TYPE_CHECKING:
    from primewood.logic.term import Term

app = typer.Typer(
    name="primewood",
    help="Why a tree ensemble decided what it decided, with proof.",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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
    typer.Option("--var", help="Declare a variable: A=1,2,3 or X<2<6 or X<=2<=6. Repeatable."),
]


@app.command()
def demo(as_json: Json = False) -> None:
    """Train a small forest on credit data and explain one decision.

    Example: primewood demo
    """
    from primewood.cli.demo import run_demo

    run_demo(as_json=as_json)


@app.command()
def info(
    model: ModelFile,
    data: TrainingData = None,
    vote: VoteOption = VoteChoice.model,
    threshold: Threshold = None,
    between: Between = None,
    group: Groups = None,
    constraint: Constraints = None,
    trust_pickle: Trust = False,
    as_json: Json = False,
) -> None:
    """Show what a model is made of, and what it can tell apart.

    Example: primewood info forest.skops --data train.csv
    """
    from primewood.cli.models import description, explainer_for, shown

    explainer = explainer_for(
        model,
        data,
        trust_pickle=trust_pickle,
        vote=vote.value,
        **inputs.asked(threshold, between, group, constraint),
    )
    facts = description(explainer)
    if as_json:
        output.record(facts)
    else:
        output.data(shown(facts))


@app.command("compile")
def compile_model(
    model: ModelFile,
    data: TrainingData = None,
    to: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the diagram here; primewood.load reads it.")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option("--picture", help="Draw it: an .svg, .png, .pdf or .dot file.")
    ] = None,
    most_drawn: Annotated[
        int, typer.Option("--most-drawn", min=2, help="Draw at most this many nodes.")
    ] = 60,
    vote: VoteOption = VoteChoice.model,
    max_nodes: MaxNodes = None,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", help="Seconds; none by default.")
    ] = None,
    threshold: Threshold = None,
    between: Between = None,
    group: Groups = None,
    constraint: Constraints = None,
    trust_pickle: Trust = False,
    as_json: Json = False,
) -> None:
    """Compile a model to a decision diagram, and show its size, order and shares.

    Example: primewood compile forest.skops --data train.csv -o forest.diagram --picture forest.svg
    """
    from primewood.cli.models import compiled_shown, explainer_for

    explainer = explainer_for(
        model,
        data,
        trust_pickle=trust_pickle,
        vote=vote.value,
        engine="diagram",
        max_nodes=max_nodes,
        **inputs.asked(threshold, between, group, constraint),
    )
    with output.watching() as watcher:
        compiled = explainer.compile(time_limit=time_limit, watcher=watcher)
    if to is not None:
        compiled.save(to)
        output.talk(f"written to {to}")
    if picture is not None:
        drawn = compiled.draw(most_nodes=most_drawn)
        drawn.save(picture)
        output.talk(f"drawn in {picture}" + (f" ({drawn.note})" if drawn.note else ""))
    if as_json:
        output.record(compiled.info())
    else:
        output.data(compiled_shown(compiled))


@app.command()
def primes(
    expression: Annotated[str, typer.Argument(help="For example '(B=r | B=b) -> A=2'.")],
    var: Var = None,
    instance: Annotated[
        str | None, typer.Option("--instance", help="Only the PI-explanations of A=2,B=r.")
    ] = None,
    literals: Languages = LanguageChoice.sets,
    limit: Limit = None,
    count: Count = False,
    engine: EngineOption = EngineChoice.auto,
    max_nodes: MaxNodes = None,
    as_json: Json = False,
) -> None:
    """List the prime implicants of an expression, or the PI-explanations of an instance.

    Example: primewood primes '(B=r | B=b) -> (A=2 & C!=h)' --var A=1,2,3 --var B=r,b,g --var C=l,m,h
    """
    from primewood.reasons.families import pi_explanations, prime_implicants

    delta = inputs.expression(expression, var or [])
    options: dict[str, Any] = {
        "literals": literals.value,
        "engine": engine.value,
        "max_nodes": max_nodes,
    }
    if instance is None:
        found = prime_implicants(delta, **options)
    else:
        alpha = inputs.instance(instance, delta.variables)
        found = pi_explanations(delta, alpha, **options)
        if not as_json:
            output.talk(f"the decision is {'positive' if delta.holds(alpha) else 'negative'}")
    if count:
        with output.patience("counting"):
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


@app.command()
def encode(
    expression: Annotated[str, typer.Argument(help="For example 'X=x1 | Y=y1'.")],
    var: Var = None,
    encoding: Annotated[EncodingChoice, typer.Option("--encoding", help="Which encoding.")] = (
        EncodingChoice.one_hot
    ),
    psi: Annotated[PsiChoice, typer.Option("--psi", help="How DIMACS adds Ψ.")] = PsiChoice.conjoin,
    dimacs: Annotated[bool, typer.Option("--dimacs", help="Clauses for a SAT solver.")] = False,
    decode: Annotated[
        str | None, typer.Option("--decode", help="Decode a Boolean term, e.g. '!X_2 & !X_3'.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Encode an expression with Boolean variables: show Ψ and Δ_b, or write DIMACS.

    Example: primewood encode 'X=x1 | Y=y1' --var X=x1,x2,x3 --var Y=y1,y2,y3
    """
    from primewood.encodings import HighestBit, OneHot, Prefix
    from primewood.logic.parser import parse

    delta = inputs.expression(expression, var or [])
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


@app.command()
def audit(
    expression: Annotated[str | None, typer.Argument(help="Audit this expression.")] = None,
    var: Var = None,
    functions: Annotated[int, typer.Option("--functions", min=1, help="Random functions.")] = 200,
    seed: Annotated[int, typer.Option("--seed", help="Which random functions.")] = 1,
    as_json: Json = False,
) -> None:
    """Show which encodings give the right prime implicants: missing, wrong, undecodable.

    Example: primewood audit --functions 200 --seed 1
    """
    from primewood.properties import audit as audits

    if expression is None:
        result = audits.random_audit(functions, seed)
    else:
        result = audits.audit(inputs.expression(expression, var or []))
    if as_json:
        output.record(result.to_dict())
    else:
        output.data(str(result))


for question in (
    decisions.explain,
    decisions.contrast,
    decisions.flip,
    decisions.check,
    properties.verify,
    properties.compare,
    properties.rules,
):
    app.command()(question)


def run(arguments: list[str] | None = None) -> None:
    """Run the command line; errors are one clear message and an exit code, never a traceback."""
    try:
        code = app(args=arguments, standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except TooLarge as problem:
        output.talk(f"primewood: {problem}")
        code = 3
    except PrimewoodError as problem:
        output.talk(f"primewood: {problem}")
        code = 2
    except Exception as problem:
        code = _usage_error(problem) or _unexpected(problem)
    if code == 130:
        output.talk("stopped")
    sys.exit(code or 0)


def _usage_error(problem: Exception) -> int | None:
    """Show what is wrong with the words of the call, if that is the problem."""
    show = getattr(problem, "show", None)
    if show is None:
        return None
    show()
    return 2


def _unexpected(problem: Exception) -> int:
    if os.environ.get("PRIMEWOOD_DEBUG"):
        raise problem
    output.talk(
        f"primewood: this should not have happened: {type(problem).__name__}: {problem}. "
        "Please report it; PRIMEWOOD_DEBUG=1 shows where."
    )
    return 2
