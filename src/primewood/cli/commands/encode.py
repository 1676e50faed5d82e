"""The command `encode`: expressions and decisions of models over Boolean variables, as text, clauses or diagrams."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from typing import Literal as Choice

import typer

from primewood.cli import output
from primewood.cli.help import LIMITS, OUTPUT
from primewood.cli.options import Json, MaxNodes, ReadingOptions, TrainingFile, Var, question_option
from primewood.cli.progress import CommandProgress
from primewood.errors import InvalidInput, TooLarge

if TYPE_CHECKING:
    from primewood.encodings import Encoding, Obdd
    from primewood.explainer import Explainer
    from primewood.fields import JsonObject

MODEL_ENDINGS = (".skops", ".json", ".ubj", ".txt", ".cbm", ".joblib", ".pkl", ".pickle")
LONGEST = 20_000
"""The most characters of an encoded expression that is printed."""


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


def encode(
    source: Annotated[
        str,
        typer.Argument(
            help="An expression such as 'X=x1 | Y=y1', or with --decision a model file.",
            metavar="EXPRESSION|MODEL",
        ),
    ],
    rows: TrainingFile = None,
    *,
    var: Var = None,
    decision: Annotated[
        str | None,
        question_option("--decision", help="Of a model: the decision to encode.", metavar="DECISION"),
    ] = None,
    encoding: Annotated[
        EncodingChoice, question_option("--encoding", help="Which encoding.")
    ] = EncodingChoice.one_hot,
    psi: Annotated[
        PsiChoice, question_option("--psi", help="How Ψ is added to clauses and diagrams.")
    ] = PsiChoice.conjoin,
    dimacs: Annotated[bool, question_option("--dimacs", help="Clauses for a SAT solver.")] = False,
    decode: Annotated[
        str | None,
        question_option("--decode", help="Decode a Boolean term, e.g. '!X_2 & !X_3'.", metavar="TERM"),
    ] = None,
    reading: ReadingOptions,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            help="For compiling a model; none if not given.",
            metavar="SECONDS",
            rich_help_panel=LIMITS,
        ),
    ] = None,
    max_nodes: MaxNodes = None,
    obdd: Annotated[
        Path | None,
        typer.Option(
            "--obdd",
            help="Write the binary decision diagram here: a .json file, or a .dot file for Graphviz.",
            metavar="FILE",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the clauses here, not to stdout.",
            metavar="FILE",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Encode an expression or a model with Boolean variables.

    Prints the constraint Ψ on the Boolean variables and the encoded expression Δ_b; or clauses in DIMACS; or the
    multi-valued term that a Boolean one stands for. A decision that is a weighted vote is compiled first, and then
    encoded as clauses (--dimacs) or as a binary decision diagram (--obdd).

    Exit codes
    ----------
    0  encoded
    3  the model or its diagram is too large

    Examples
    --------
    primewood encode 'X=x1 | Y=y1' --var X=x1,x2,x3 --var Y=y1,y2,y3
    primewood encode 'X=x1' --var X=x1,x2,x3 --encoding prefix --dimacs
    primewood encode 'X=x1' --var X=x1,x2,x3 --decode '!X_2 & !X_3'
    primewood encode forest.skops train.csv --decision approved --dimacs
    primewood encode forest.skops train.csv --decision approved --obdd a.json
    """
    from primewood.cli.inputs import find_decision

    output.check_target(to)
    output.check_target(obdd, ".json", ".dot")
    if to is not None and not dimacs:
        raise InvalidInput("-o is for the clauses of --dimacs; --obdd names its own file")
    if decision is None:
        explainer = _build_from_expression(source, rows, var)
    else:
        explainer = _build_from_model(source, rows, reading, max_nodes, var)
    wanted = True if decision is None else find_decision(explainer, decision)
    encoded = Encoded(explainer, wanted, encoding, psi, time_limit, max_nodes)
    with CommandProgress("encoding"):
        if obdd is not None:
            facts, words = encoded.write_diagram(obdd)
        elif decode is not None:
            facts = {"term": (words := encoded.decode(decode))}
        elif dimacs:
            facts = {"dimacs": (words := encoded.write_clauses().rstrip("\n"))}
        else:
            facts, words = encoded.describe()
    if to is not None:
        _write(to, words)
    elif as_json:
        output.write_record(facts)
    else:
        output.write_line(words)


def _write(path: Path, words: str) -> None:
    from primewood.files import write_whole

    write_whole(path, lambda file: file.write(f"{words}\n".encode()))
    output.talk(f"written to {path}")


def _build_from_expression(text: str, rows: Path | None, declarations: list[str] | None) -> Explainer:
    from primewood.cli.expressions import parse_expression
    from primewood.explainer import Explainer

    if rows is not None or Path(text).suffix.lower() in MODEL_ENDINGS:
        raise InvalidInput(f"which decision of {text}? Pass --decision, e.g. --decision approved")
    return Explainer(parse_expression(text, declarations or []))


def _build_from_model(
    path: str,
    rows: Path | None,
    reading: ReadingOptions,
    max_nodes: int | None,
    declarations: list[str] | None,
) -> Explainer:
    from primewood.cli.call_settings import collect_settings
    from primewood.cli.inputs import load_explainer

    if declarations:
        raise InvalidInput("--var declares variables of an expression; a model has its features")
    return load_explainer(Path(path), rows, collect_settings(reading, "encode"), max_nodes=max_nodes)


_NAMES: dict[EncodingChoice, Choice["one-hot", "prefix", "highest-bit"]] = {
    EncodingChoice.one_hot: "one-hot",
    EncodingChoice.prefix: "prefix",
    EncodingChoice.highest_bit: "highest-bit",
}
_PSI: dict[PsiChoice, Choice["and", "implies"]] = {PsiChoice.conjoin: "and", PsiChoice.implies: "implies"}


@dataclass(frozen=True)
class Encoded:
    """A decision over Boolean variables.

    Attributes
    ----------
    explainer : Explainer
        The explainer of the model or the expression.
    decision : object
    encoding : EncodingChoice
    psi : PsiChoice
    time_limit : float or None
        For compiling.
    max_nodes : int or None
        The most nodes of the Boolean diagram.
    """

    explainer: Explainer
    decision: object
    encoding: EncodingChoice
    psi: PsiChoice
    time_limit: float | None
    max_nodes: int | None

    @property
    def is_expression(self) -> bool:
        """Whether the decision can be written as an expression: a vote that counts trees, or one tree."""
        ensemble = self.explainer.ensemble
        return ensemble is None or ensemble.is_plain

    @cached_property
    def coder(self) -> Encoding:
        """The encoding of the variables."""
        from primewood.encodings import HighestBit, OneHot, Prefix

        domain = self.explainer.domain
        variables = self.explainer.expression(True).variables if domain is None else domain.variables
        match self.encoding:
            case EncodingChoice.prefix:
                return Prefix(variables)
            case EncodingChoice.highest_bit:
                return HighestBit(variables)
        return OneHot(variables, classical=self.encoding is EncodingChoice.classical)

    def build_diagram(self) -> Obdd:
        """Compile the binary decision diagram."""
        if self.encoding is EncodingChoice.classical:
            raise InvalidInput(
                "a diagram has no literals to write: pass --encoding one-hot, which has the same codes"
            )
        if self.psi is PsiChoice.none:
            raise InvalidInput(
                "a diagram says what holds of every assignment: pass --psi and, or --psi implies"
            )
        compiled = self.explainer.compile(time_limit=self.time_limit)
        return compiled.obdd(
            self.decision, encoding=_NAMES[self.encoding], psi=_PSI[self.psi], max_nodes=self.max_nodes
        )

    def write_diagram(self, path: Path) -> tuple[JsonObject, str]:
        """Write the diagram; returns a line that describes it."""
        found = self.build_diagram()
        found.save(path)
        output.talk(f"written to {path}")
        facts = {"nodes": len(found), "variables": len(found.variables), "assignments": str(found.count())}
        words = f"{len(found):,} nodes over {len(found.variables)} Boolean variables ({self.encoding.value})"
        return facts, f"{words}, true under {facts['assignments']} assignments"

    def write_clauses(self) -> str:
        """Write the clauses: of the expression if there is one, else of the compiled diagram."""
        if self.is_expression:
            return self.coder.to_dimacs(self.explainer.expression(self.decision), self.psi.value)
        return self.build_diagram().to_cnf([b.name for b in self.coder.booleans]).to_dimacs()

    def decode(self, term: str) -> str:
        """Decode a Boolean term: the multi-valued term that it encodes."""
        from primewood.logic.expression_parser import parse

        return str(self.coder.decode(parse(term, self.coder.booleans)))

    def describe(self) -> tuple[JsonObject, str]:
        """Describe Ψ and Δ_b."""
        if not self.is_expression:
            raise InvalidInput(
                "the decision of this model is a weighted vote, which is not written as an expression; pass --dimacs "
                "for clauses or --obdd FILE for a diagram, or --set vote=majority for the paper's vote of a forest"
            )
        delta = self.coder.encode(self.explainer.expression(self.decision))
        psi, encoded = str(self.coder.psi), str(delta)
        if self.explainer.ensemble is not None and len(psi) + len(encoded) > LONGEST:
            raise TooLarge(
                f"the encoded decision has {len(psi) + len(encoded):,} letters over {len(self.coder.booleans)} "
                "variables; pass --dimacs or --obdd FILE"
            )
        described = {b.name: self.coder.describe(b) for b in self.coder.booleans}
        return {"variables": described, "psi": psi, "delta_b": encoded}, f"Ψ   = {psi}\nΔ_b = {encoded}"
