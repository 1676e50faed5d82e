"""The audit of Boolean encodings: which of them give the multi-valued prime implicants.

For each encoding and each way of adding Ψ, the Boolean prime implicants are computed by definition,
those of the wanted sign are kept, each is decoded on its own, and the result is compared with the
multi-valued prime implicants by definition. Only the one-hot encoding, with Ψ ⇒ Δ_b and negative terms,
gives all of them and nothing else (the paper's Proposition 4).

The paper's two requirements on an encoding are checked too: every multi-valued literal is a Boolean
term, and equivalence and subsumption of literals are those of their terms.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, get_args
from typing import Literal as Choice

from primewood.encodings import Encoding, HighestBit, OneHot, Prefix
from primewood.encodings.encoding import HowPsi
from primewood.errors import InvalidInput, TooLarge, Undecodable
from primewood.fields import integer, takes, whole
from primewood.logic.by_definition import prime_boxes, prime_implicants_by_definition
from primewood.logic.expression import Expression, check_expression
from primewood.logic.table import from_table, truth_table
from primewood.logic.term import Term
from primewood.logic.variable import Variable
from primewood.visible import Readable, join_lines

Sign = Choice["negative", "positive", "all"]
MOST_BOOLEANS = 13


@dataclass(frozen=True, slots=True)
class EncodingUse:
    """One way to get multi-valued primes from Boolean ones."""

    encoding: str
    psi: HowPsi
    keep: Sign

    @property
    def formula(self) -> str:
        """The Boolean expression whose primes are taken."""
        return {"implies": "Ψ⇒Δ_b", "and": "Ψ∧Δ_b", "none": "Δ_b"}[self.psi]


ENCODINGS: dict[str, Callable[[Iterable[Variable]], Encoding]] = {
    "one-hot": OneHot,
    "classical": partial(OneHot, classical=True),
    "prefix": Prefix,
    "highest-bit": HighestBit,
}
WAYS = (
    *(EncodingUse("one-hot", psi, sign) for psi in ("implies", "and") for sign in get_args(Sign)),
    EncodingUse("one-hot", "none", "negative"),
    EncodingUse("classical", "none", "positive"),
    EncodingUse("classical", "and", "all"),
    EncodingUse("prefix", "implies", "all"),
    EncodingUse("prefix", "and", "all"),
    EncodingUse("prefix", "none", "all"),
    EncodingUse("highest-bit", "none", "all"),
)


@dataclass(frozen=True, slots=True)
class AuditRow:
    """What one way found over all audited functions.

    Attributes
    ----------
    encoding, formula, keep : str
        The way.
    reported : int
        Boolean primes that decode to a term, each term once per function.
    missing : int
        Multi-valued primes that are not among them.
    wrong : int
        Reported terms that are not multi-valued primes.
    undecodable : int
        Boolean primes, of the wanted sign, that are not terms at all.
    exact_functions : int
        Functions with nothing missing, wrong or undecodable.
    """

    encoding: str
    formula: str
    keep: str
    reported: int
    missing: int
    wrong: int
    undecodable: int
    exact_functions: int


@dataclass(frozen=True, slots=True)
class Requirements:
    """The paper's two requirements, for a variable with `values` values (checked for up to 5).

    Attributes
    ----------
    representable, literals : int
        How many of the 2^n − 2 literals some Boolean term of the wanted sign represents.
    equivalence : bool
        Whether a literal is represented by one term only, up to equivalence.
    subsumption : bool
        Whether a literal entails another exactly if their terms do.
    """

    encoding: str
    keep: str
    values: int
    representable: int
    literals: int
    equivalence: bool
    subsumption: bool


HEAD = ["encoding", "primes of", "kept", "reported", "missing", "wrong", "undecodable", "exact"]
"""What is told of each way."""


@dataclass(frozen=True, slots=True)
class Audit(Readable):
    """The result of an audit; `str` shows it as tables, `to_dict` as plain data.

    Attributes
    ----------
    functions, primes : int
        How many functions were audited, and how many multi-valued primes they have.
    rows : tuple of AuditRow
    requirements : tuple of Requirements
    models : int
        The models of Δ, over all functions.
    encoded_models : dict
        The models of Δ_b ∧ Ψ, per encoding.
    """

    functions: int
    primes: int
    rows: tuple[AuditRow, ...]
    requirements: tuple[Requirements, ...]
    models: int
    encoded_models: dict[str, int]

    def row(self, encoding: str, formula: str, keep: str) -> AuditRow:
        """The row of one way."""
        for row in self.rows:
            if (row.encoding, row.formula, row.keep) == (encoding, formula, keep):
                return row
        raise InvalidInput(f"no such way: {encoding}, {formula}, {keep}")

    def to_dict(self) -> dict[str, Any]:
        """The audit in plain types."""
        return asdict(self)

    def ways_table(self) -> str:
        """What each way reports, misses and gets wrong, as text."""
        return _table(HEAD, [list(asdict(row).values()) for row in self.rows])

    def requirements_table(self) -> str:
        """Whether each encoding has what it needs, as text."""
        head = ["encoding", "terms", "values", "literals represented", "equivalence", "subsumption"]
        rows = [
            [*shown, f"{r.representable} of {r.literals}", _yes(r.equivalence), _yes(r.subsumption)]
            for r in self.requirements
            for shown in [(r.encoding, r.keep, r.values)]
        ]
        return _table(head, rows)

    def _repr_html_(self) -> str:
        from primewood.render.html.answer_card import CardTable, Heading, render_card

        return render_card(
            Heading(
                "Audit of the encodings",
                f"{self.functions:,} functions, {self.primes:,} prime implicants",
                badge="Exact counts",
            ),
            CardTable(
                "What each way reports, misses and gets wrong",
                HEAD,
                [list(asdict(row).values()) for row in self.rows],
            ),
        )

    def __str__(self) -> str:
        functions = "one function" if self.functions == 1 else f"{self.functions} functions"
        counts = ", ".join(f"{name} {count}" for name, count in self.encoded_models.items())
        parts = [
            f"{functions} with {self.primes} prime implicants",
            self.ways_table(),
            "what an encoding needs: every literal is a term, and relations are preserved",
            self.requirements_table(),
            f"models of Δ: {self.models}; of Δ_b∧Ψ: {counts}",
        ]
        return "\n\n".join(parts)


def audit(expression: Expression) -> Audit:
    """Audit the encodings on one expression.

    Cost: a table over the Boolean terms, 3^n for n Boolean variables; at most 13 of them.

    Parameters
    ----------
    expression
        The expression.

    Returns
    -------
    Audit
        What each way to use an encoding reports, misses and gets wrong.

    Raises
    ------
    TooLarge
        If an encoding needs more than 13 Boolean variables.
    InvalidInput
        If `expression` is not an expression.

    Examples
    --------
    >>> from primewood import Variable, audit
    >>> X, Y = Variable("X", ["x1", "x2", "x3"]), Variable("Y", ["y1", "y2", "y3"])
    >>> row = audit((X == "x1") | (Y == "y1")).row("one-hot", "Ψ⇒Δ_b", "negative")
    >>> row.reported, row.missing, row.wrong
    (2, 0, 0)
    """
    return _audit([check_expression(expression)])


@takes(functions=whole(1), seed=integer)
def random_audit(functions: int = 200, seed: int = 1) -> Audit:
    """Audit the encodings on random functions over small universes.

    Cost: that of `audit`, once per function.

    Parameters
    ----------
    functions
        How many functions to draw.
    seed
        The seed of the draw.

    Returns
    -------
    Audit
        What each way to use an encoding reports, misses and gets wrong.

    Raises
    ------
    InvalidInput
        If `functions` is not a positive whole number, or `seed` is not a whole number.

    Examples
    --------
    >>> from primewood import random_audit
    >>> found = random_audit(functions=1, seed=3)
    >>> row = found.row("one-hot", "Ψ⇒Δ_b", "negative")
    >>> found.primes, row.reported, row.missing, row.wrong
    (3, 3, 0, 0)
    """
    generator = random.Random(seed)
    return _audit([random_function(generator) for _ in range(functions)])


def random_function(generator: random.Random) -> Expression:
    """A random function over a small random universe."""
    sizes = generator.choice([(3, 3), (4, 3), (3, 3, 2), (4, 4), (4, 2, 2), (5, 3)])
    density = generator.choice([0.3, 0.5, 0.7])
    universe = [
        Variable(name, [f"{name.lower()}{i}" for i in range(1, n + 1)])
        for name, n in zip("XYZ", sizes, strict=False)
    ]
    cells = itertools.product(*(range(n) for n in sizes))
    return from_table(universe, [generator.random() < density for _ in cells])


def _audit(expressions: Sequence[Expression]) -> Audit:
    truths = [set(prime_implicants_by_definition(expression)) for expression in expressions]
    encoded = dict.fromkeys(ENCODINGS, 0)
    for expression in expressions:
        for name, kind in ENCODINGS.items():
            encoding = kind(expression.variables)
            _check_size(encoding)
            both = encoding.with_psi(encoding.encode(expression), "and")
            encoded[name] += int(truth_table(both, encoding.booleans).sum())
    sizes = sorted({len(x) for expression in expressions for x in expression.variables})
    return Audit(
        functions=len(expressions),
        primes=sum(map(len, truths)),
        rows=tuple(_rows(expressions, truths)),
        requirements=tuple(
            _requirements(name, keep, n)
            for n in sizes
            if n <= 5
            for name, keep in (
                ("one-hot", "negative"),
                ("one-hot", "positive"),
                ("prefix", "all"),
                ("highest-bit", "all"),
            )
        ),
        models=sum(int(truth_table(e, e.variables).sum()) for e in expressions),
        encoded_models=encoded,
    )


def _check_size(encoding: Encoding) -> None:
    if len(encoding.booleans) > MOST_BOOLEANS:
        raise TooLarge(
            f"the audit works by definition, with at most {MOST_BOOLEANS} Boolean variables; "
            f"{type(encoding).__name__} needs {len(encoding.booleans)}. Audit a smaller expression"
        )


def _rows(expressions: Sequence[Expression], truths: Sequence[set[Term]]) -> Iterable[AuditRow]:
    for way in WAYS:
        reported = missing = wrong = undecodable = exact = 0
        for expression, truth in zip(expressions, truths, strict=True):
            terms, failures = decode_primes(expression, way)
            reported += len(terms)
            missing += len(truth - terms)
            wrong += len(terms - truth)
            undecodable += failures
            exact += terms == truth and not failures
        yield AuditRow(way.encoding, way.formula, way.keep, reported, missing, wrong, undecodable, exact)


def decode_primes(expression: Expression, way: EncodingUse) -> tuple[set[Term], int]:
    """The terms that a way reports, and how many of its Boolean primes are not terms."""
    encoding = ENCODINGS[way.encoding](expression.variables)
    boolean = encoding.with_psi(encoding.encode(expression), way.psi)
    terms: set[Term] = set()
    failures = 0
    for box in prime_boxes(truth_table(boolean, encoding.booleans), encoding.booleans, "values"):
        rho = Term.of_box(encoding.booleans, box)
        if _has_sign(rho, way.keep):
            try:
                terms.add(encoding.decode(rho))
            except Undecodable:
                failures += not _contradicts(encoding, rho)
    return terms, failures


def _contradicts(encoding: Encoding, rho: Term) -> bool:
    """Whether a Boolean term is inconsistent with Ψ: such primes say nothing, and are not counted."""
    return any(not encoding.met(x, bits)[0] for x, bits in encoding.group_by_block(rho).items())


def _has_sign(rho: Term, keep: str) -> bool:
    wanted = {"negative": {1}, "positive": {2}, "all": {1, 2}}[keep]
    return {literal.mask for literal in rho.literals} <= wanted


def _requirements(name: str, keep: str, values: int) -> Requirements:
    """The paper's requirements for one variable, by looking at every Boolean term of its block."""
    x = Variable("X", range(values))
    encoding = ENCODINGS[name]([x])
    represent: dict[int, list[Term]] = {}
    for masks in itertools.product((1, 2, 3), repeat=len(encoding.booleans)):
        rho = Term.of_box(encoding.booleans, masks)
        if not rho.literals or not _has_sign(rho, keep):
            continue
        try:
            represent.setdefault(encoding.decode(rho).box([x])[0], []).append(rho)
        except Undecodable:
            continue
    represent.pop(x.everything, None)
    pairs = [(a, b) for a in represent for b in represent]
    return Requirements(
        encoding=name,
        keep=keep,
        values=values,
        representable=len(represent),
        literals=2**values - 2,
        equivalence=all(len(terms) == 1 for terms in represent.values()),
        subsumption=all(
            (a & ~b == 0) == rho.entails(sigma)
            for a, b in pairs
            for rho in represent[a]
            for sigma in represent[b]
        ),
    )


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Rows of text, in columns as wide as they need to be; numbers to the right."""
    cells = [[str(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    lines = []
    for row, source in zip(cells, (head, *rows), strict=True):
        parts = [
            cell.rjust(width) if isinstance(value, int) else cell.ljust(width)
            for cell, width, value in zip(row, widths, source, strict=True)
        ]
        lines.append("  ".join(parts).rstrip())
    return join_lines(lines)
