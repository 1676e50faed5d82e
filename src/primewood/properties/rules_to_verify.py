"""Rules that a model should keep: "age < 18 -> not approved", "never c", bounds on its output."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from primewood.domain.interpreter import Interpreter
from primewood.engines.protocol import Verdict
from primewood.ensemble import Level
from primewood.errors import InvalidInput, brief
from primewood.fields import real, takes
from primewood.logic.expression import And, Constant, Expression, Iff, Implies, Literal, Not, Or
from primewood.logic.instance import Box
from primewood.logic.interval import number
from primewood.logic.statement_parser import read
from primewood.logic.syntax import Conclusion, Statement, Truth
from primewood.logic.variable import Variable
from primewood.model.context import TreeContext
from primewood.properties.breaking_rows import Breaking
from primewood.properties.verification import Verification, Verifier, find_reaching, search_in_parts
from primewood.properties.wording import Claim, Outcome
from primewood.questions.rule_certificate import RuleCertifier

MOST_BOXES = 4096
STEPS, TRIED = 8, 256
Alternative = tuple[tuple[Variable, int], ...]
"""Conditions that hold together: per variable the values that it may have."""
FORMS = (
    'a rule reads "conditions -> decisions", such as "age < 18 -> not approved" or "a = 1 and b > 2 -> yes or maybe"; '
    'without conditions, "never approved"'
)


@dataclass(frozen=True)
class Implication:
    """Wherever the conditions hold, one of the allowed decisions is taken.

    Attributes
    ----------
    said : Statement
        "conditions -> decisions". Decisions by their names, with "or" between them, or with "not" before them.
    conclusion : Conclusion
        The decisions after the arrow.
    """

    said: Statement
    conclusion: Conclusion

    @property
    def conditions(self) -> Sequence[Statement]:
        """What stands before the arrow."""
        return () if isinstance(self.said.condition, Truth) and self.said.condition.value else (self.said,)

    def claim(self, verifier: Verifier) -> Claim:
        self._boxes(verifier)
        rows = f"with {self.said.premise} " if self.conditions else ""
        told = _either([decision.text for decision in self.conclusion.decisions])
        if self.conclusion.negated:
            return Claim(
                self.said.text,
                f"no row {rows}gets the decision {told}",
                f"some rows {rows}get the decision {told}",
                f"a row {rows}can get the decision {told}",
            )
        return Claim(
            self.said.text,
            f"every row {rows}gets the decision {told}",
            f"some rows {rows}do not get the decision {told}",
            f"every row {rows}gets the decision {told}",
        )

    def _boxes(self, verifier: Verifier) -> list[Box]:
        return _boxes(self.said, verifier.context) if self.conditions else [verifier.everything]

    def verify(self, verifier: Verifier) -> Verification:
        named = {decision.text for decision in self.conclusion.decisions}
        names = enumerate(map(str, verifier.context.class_names))
        forbidden = [i for i, name in names if (name in named) == self.conclusion.negated]
        return verify_avoided(verifier, self.claim(verifier), self._boxes(verifier), forbidden)


def read_rule(text: str, context: TreeContext) -> Implication:
    """A rule from text."""
    said = read(text, _interpreter(context).vocabulary(context.units, context.class_names))
    if said.conclusion is None:
        raise InvalidInput(f"{brief(text)!r} is not a rule; {FORMS}")
    return Implication(said, said.conclusion)


def _interpreter(context: TreeContext) -> Interpreter:
    return Interpreter(context.domain.features, context.domain.column_names)


def _either(names: Sequence[object]) -> str:
    return " or ".join(map(str, names))


@dataclass(frozen=True)
class Never:
    """These decisions are taken about no row."""

    decisions: tuple[object, ...]

    @property
    def conditions(self) -> Sequence[Statement]:
        """None: it cuts no feature."""
        return ()

    def claim(self, verifier: Verifier) -> Claim:
        for name in self.decisions:
            verifier.context.label(name)
        told = _either(self.decisions)
        return Claim(
            f"never {told}",
            f"no row gets the decision {told}",
            f"some rows get the decision {told}",
            f"a row can get the decision {told}",
        )

    def verify(self, verifier: Verifier) -> Verification:
        labels = [verifier.context.label(name) for name in self.decisions]
        return verify_avoided(verifier, self.claim(verifier), [verifier.everything], labels)


def verify_avoided(
    verifier: Verifier, claim: Claim, boxes: Sequence[Box], labels: Sequence[int]
) -> Verification:
    """Whether no row of these boxes is decided for one of the labels: training rows first, then by search."""
    breaking = _find_breaking(verifier, boxes, labels)
    rows = verifier.context.rows
    if rows is not None and breaking is not None and breaking.places:
        row = np.asarray(rows[breaking.places[0]])
        found = verifier.state_failure(claim, [row], lambda found: found[0] in labels)
    else:
        found = _search(verifier, claim, boxes, labels)
    return found if found.outcome is Outcome.HOLDS else replace(found, breaking=breaking)


def _search(verifier: Verifier, claim: Claim, boxes: Sequence[Box], labels: Sequence[int]) -> Verification:
    questions = [(box, label) for box in boxes for label in labels]
    shares = []
    for i, (box, label) in enumerate(questions):
        clock = verifier.part(1 / (len(questions) - i))
        searched = search_in_parts(
            find_reaching(verifier.engines, label), box, verifier.subject.importance, clock
        )
        if searched.point is not None:
            point = verifier.recognise(searched.point, box, lambda p: verifier.engines.decide(p) in labels)
            return verifier.state_failure(claim, [verifier.row(point)], lambda found: found[0] in labels)
        shares.append(searched.proved)
    if all(share == 1.0 for share in shares):
        note = "" if boxes else "no row satisfies the conditions"
        certify = RuleCertifier(verifier.model, tuple(boxes), tuple(labels))
        return replace(verifier.state_proof(claim, certify), note=note)
    proved = min(sum(shares) / len(shares), math.nextafter(1.0, 0.0))
    note = f"no row was found that breaks it; proved for {proved:.1%} of the cells in time"
    return Verification(claim, Outcome.UNDECIDED, verifier.context, proved=proved, note=note)


def _find_breaking(verifier: Verifier, boxes: Sequence[Box], labels: Sequence[int]) -> Breaking | None:
    """The training rows that break a rule themselves; None without training rows."""
    rows, points = verifier.context.rows, verifier.context.points
    if rows is None or points is None:
        return None
    known = np.flatnonzero((points >= 0).all(axis=1))
    decided = verifier.subject.ensemble.predict(rows[known])
    wrong = np.isin(decided, labels) & _find_inside(boxes, points[known], verifier)
    names = [verifier.context.class_names[d] for d in decided[wrong].tolist()]
    return Breaking.from_rows(verifier.context, known[wrong], names)


def _find_inside(boxes: Sequence[Box], points: NDArray[np.int64], verifier: Verifier) -> NDArray[np.bool_]:
    """Which points lie in one of the boxes."""
    variables = verifier.context.variables
    found = np.zeros(len(points), dtype=bool)
    for box in boxes:
        inside = np.ones(len(points), dtype=bool)
        for j, (mask, x) in enumerate(zip(box, variables, strict=True)):
            if mask != x.everything:
                inside &= np.array([mask >> v & 1 for v in range(len(x))], dtype=bool)[points[:, j]]
        found |= inside
    return found


def _boxes(said: Statement, context: TreeContext) -> list[Box]:
    """The boxes whose union the conditions describe."""
    text = said.text
    expression = _interpreter(context).expression(said.condition, text)
    everything = tuple(x.everything for x in context.variables)
    places = {x: j for j, x in enumerate(context.variables)}
    found = []
    for literals in _alternatives(expression, positive=True, text=text):
        box = list(everything)
        for variable, mask in literals:
            box[places[variable]] &= mask
        if all(box):
            found.append(tuple(box))
    return list(dict.fromkeys(found))


def _alternatives(expression: Expression, *, positive: bool, text: str) -> list[Alternative]:
    """The conditions as alternatives, each a conjunction of (variable, mask)."""
    inner = partial(_alternatives, text=text)
    if isinstance(expression, Constant):
        return [()] if bool(expression.value) == positive else []
    if isinstance(expression, Literal):
        x = expression.variable
        mask = expression.mask if positive else x.everything & ~expression.mask
        return [((x, mask),)] if mask else []
    if isinstance(expression, Not):
        return inner(expression.argument, positive=not positive)
    if isinstance(expression, Implies):
        premise, conclusion = expression.arguments
        sides = [inner(premise, positive=not positive), inner(conclusion, positive=positive)]
        return _join(sides, text) if not positive else [*sides[0], *sides[1]]
    if isinstance(expression, And | Or):
        sides = [inner(part, positive=positive) for part in expression.arguments]
        if isinstance(expression, And) == positive:
            return _join(sides, text)
        return [one for side in sides for one in side]
    if isinstance(expression, Iff):
        a, b = expression.arguments
        same = [_join([inner(a, positive=v), inner(b, positive=v == positive)], text) for v in (True, False)]
        return [*same[0], *same[1]]
    raise InvalidInput(
        f"conditions are put together with and, or, not and ->; {brief(text)!r} has something else"
    )


def _join(sides: Sequence[list[Alternative]], text: str) -> list[Alternative]:
    """Every choice of one alternative from each side, together."""
    count = int(np.prod([float(len(side)) for side in sides]))
    if count > MOST_BOXES:
        raise InvalidInput(
            f"{brief(text)!r} has {count:,} alternatives; {MOST_BOXES:,} are taken: state several rules"
        )
    return [tuple(itertools.chain(*choice)) for choice in itertools.product(*sides)]


@dataclass(frozen=True)
class Output:
    """The output of the model stays within bounds: a regressor's prediction, or the second class's probability."""

    at_least: float = -np.inf
    at_most: float = np.inf

    @property
    def conditions(self) -> Sequence[Statement]:
        """None: it cuts no feature."""
        return ()

    @property
    def _bounds(self) -> list[tuple[str, float]]:
        both = (("at least", self.at_least), ("at most", self.at_most))
        return [(word, x) for word, x in both if np.isfinite(x)]

    def claim(self, verifier: Verifier) -> Claim:
        words = " and ".join(f"{word} {number(x)}" for word, x in self._bounds)
        if not words or not self.at_least <= self.at_most:
            raise InvalidInput("pass at_least=, at_most= or both, in ascending order")
        regressor = verifier.subject.ensemble.is_regressor
        what = "the prediction" if regressor else f"the probability of {verifier.context.class_names[-1]}"
        beyond = [f"{'below' if word == 'at least' else 'above'} {number(x)}" for word, x in self._bounds]
        return Claim(
            f"{what} is {words}",
            f"{what} is {words} for every row",
            f"{what} is {_either(beyond)} for some rows",
            f"{what} is {words} for every row",
        )

    def verify(self, verifier: Verifier) -> Verification:
        claim = self.claim(verifier)
        levels, wrong = [], []
        if np.isfinite(self.at_least):
            wrong.append(0)
            levels.append(Level(self.at_least))
        if np.isfinite(self.at_most):
            levels.append(Level(self.at_most, strictly=True))
            wrong.append(len(levels))
        half = replace(verifier, clock=verifier.part(0.5))
        found = verify_avoided(half.cut_at_levels(levels), claim, [verifier.everything], wrong)
        if found.outcome is Outcome.UNDECIDED:
            proved = [self._describe_proved(verifier, x, up=word == "at most") for word, x in self._bounds]
            return replace(found, context=verifier.context, note=f"{found.note}; {' and '.join(proved)}")
        breaking = found.breaking
        if breaking is not None and verifier.context.rows is not None:
            outputs = self._outputs(verifier, verifier.context.rows[list(breaking.places)])
            breaking = replace(breaking, decisions=outputs)
        outputs = self._outputs(verifier, np.array(found.witnesses))
        return replace(found, context=verifier.context, decisions=outputs, breaking=breaking)

    @staticmethod
    def _outputs(verifier: Verifier, rows: NDArray[np.float64]) -> tuple[float, ...]:
        """What the model puts out for rows."""
        return tuple(verifier.subject.ensemble.predict_proba(rows)[:, -1].tolist()) if len(rows) else ()

    def _describe_proved(self, verifier: Verifier, bound: float, *, up: bool) -> str:
        """The tightest bound that is proved in the time that is left, in words: by bisection from a safe one."""
        ensemble = verifier.subject.ensemble
        rows = verifier.context.rows
        outputs = ensemble.predict_proba(rows[:TRIED])[:, -1] if rows is not None else np.array([bound])
        span = float(np.ptp(outputs)) or 1.0
        near, far, proved = bound, bound + (span if up else -span), None
        for _ in range(STEPS):
            tried = (near + far) / 2 if proved is not None else far
            level = Level(tried, strictly=up)
            clock = verifier.part(1 / STEPS)
            reach = find_reaching(
                replace(verifier, clock=clock).cut_at_levels([level]).engines, 1 if up else 0
            )
            if reach(verifier.everything, clock) is Verdict.NONE_EXISTS:
                far = proved = tried
            elif proved is None:
                near, far = far, far + 2 * (far - bound)
            else:
                near = tried
        word = "at most" if up else "at least"
        return "no bound is proved in time" if proved is None else f"{word} {number(proved)} is proved"


def never(*decisions: object) -> Never:
    """Return the property "no row gets one of these decisions", for `verify`.

    Parameters
    ----------
    decisions
        The names of the decisions.

    Returns
    -------
    Never
        A property for `verify`.

    Raises
    ------
    UnknownName
        By `verify`, if there is no such decision.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, _ = load_iris_explainer()
    >>> from primewood import never
    >>> explainer.verify(never("setosa"))
    <Verification fails: never setosa; 50 of your 150 rows break this (rows 0, 1, 2, 3, 4 and 45 more)>
    """
    return Never(decisions)


@takes(at_least=real, at_most=real)
def output(*, at_least: float = -np.inf, at_most: float = np.inf) -> Output:
    """Return the property "the output of the model stays within bounds", for `verify`.

    The output is the prediction of a regressor, or the probability of the second of two classes.

    Parameters
    ----------
    at_least, at_most
        The bounds, both included. At least one of them is given.

    Returns
    -------
    Output
        A property for `verify`. `verify` checks that the bounds ascend and that the model has such an output.

    Raises
    ------
    InvalidInput
        If a bound is not a number.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from primewood import Explainer, output
    >>> X, y = [[1], [2], [3], [4]], [10.0, 11.0, 30.0, 31.0]
    >>> explainer = Explainer(DecisionTreeRegressor(random_state=0).fit(X, y), X, feature_names=["size"])
    >>> print(explainer.verify(output(at_least=0, at_most=40)))
    holds: the prediction is at least 0 and at most 40
       Proved: the prediction is at least 0 and at most 40 for every row.
       Assumes: no value is missing.
    """
    return Output(at_least, at_most)
