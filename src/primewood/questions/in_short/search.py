"""Looking for a rule of few conditions that holds for nearly all rows that match it.

A beam search: rules grow by one bound at a time, and the best ones are kept. An acceptance (see
`questions/in_short/acceptance.py`) grades them. Of the rules with the best grade, those with the fewest conditions are
taken, of these the one that matches the most rows; it is widened as far as it keeps the grade. The search ends as soon
as a rule has the best grade that there is, or a step brings no better one.

Rules are searched on the training rows, and on mixtures of them where those are given. Large tables are searched on a
part of their rows; a rule's counts are over all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from primewood.model.bins import Bins
from primewood.questions.in_short.acceptance import Acceptance, AcceptByCounts, Allowed

WIDTH = 6
"""How many rules are kept at each step."""
MOST_STEPS = 10
"""How many bounds a rule may have at most."""
PATIENCE = 1
"""How many steps the search goes on from an accepted rule without finding a better grade."""
MOST_CONDITIONS = 7
"""How many conditions a rule may have at most: what people can keep in mind."""
MOST_COUNTED = 120_000
"""How many bins of rows are counted at each step, at most."""
MOST_VARIABLES = 40
"""How many variables are considered after the first step, at most."""


@dataclass(frozen=True)
class ShortRule:
    """A rule while it is searched for: which bins it allows, and how many training rows match and get the decision.

    `mixed` has the same two counts for the mixtures that are searched.
    """

    allowed: Allowed
    matching: int
    same: int
    mixed: tuple[int, int] = (0, 0)

    @property
    def rank(self) -> tuple[int, int]:
        """The fewer conditions the better, then the more rows."""
        return (len(self.allowed), -self.width)

    @property
    def width(self) -> int:
        """How many rows match, mixtures among them."""
        return self.matching + self.mixed[0]

    @property
    def key(self) -> tuple[int, ...]:
        """What rules that match the same rows have in common."""
        return (len(self.allowed), self.matching, self.same, *self.mixed)


@dataclass(frozen=True)
class Candidate:
    """A rule with one bound more, and how it fares on the rows that are searched."""

    parent: ShortRule
    variable: int
    bins: NDArray[np.bool_]
    score: float

    def allowed(self) -> Allowed:
        """The bins that it allows."""
        before = self.parent.allowed.get(self.variable)
        bins = self.bins if before is None else self.bins & before
        return {**self.parent.allowed, self.variable: bins}


class ShortRuleSearch:
    """Looks for rules about one decision of one row.

    Parameters
    ----------
    bins
        The training rows.
    same
        Which of them get the decision.
    own
        The bins of the row.
    precision
        The share of matching rows that is asked for.
    mixed
        Mixtures of the training rows to search on too, and which of them get the decision.
    acceptance
        What grades rules; by default, the counts over the training rows do.
    avoided
        Variables that a rule must not mention.
    """

    def __init__(
        self,
        bins: Bins,
        same: NDArray[np.bool_],
        own: NDArray[np.int64],
        precision: float,
        mixed: tuple[Bins, NDArray[np.bool_]] | None = None,
        acceptance: Acceptance | None = None,
        avoided: frozenset[int] = frozenset(),
    ) -> None:
        self._trained, self._own = len(same), own
        self._bins, self._same = bins, same
        if mixed is not None:
            self._bins = replace(bins, codes=np.concatenate([bins.codes, mixed[0].codes]))
            self._same = np.concatenate([same, mixed[1]])
        self._acceptance = acceptance or AcceptByCounts(len(same), precision)
        self._variables = np.array(
            [j for j in range(len(bins.variables)) if j not in avoided], dtype=np.int64
        )
        self._part, self._hits = self._choose_part()
        self._share = len(self._hits) / max(1, len(same))

    def _choose_part(self) -> tuple[Bins, NDArray[np.bool_]]:
        """The rows that are searched: all, or a sample."""
        count = max(1_000, MOST_COUNTED // max(1, min(len(self._variables), MOST_VARIABLES)))
        if count >= len(self._same):
            return self._bins, self._same
        rows = np.sort(np.random.default_rng(0).permutation(len(self._same))[:count])
        return replace(self._bins, codes=self._bins.codes[rows]), self._same[rows]

    def find(self) -> ShortRule | None:
        """The best rule that is accepted; None if none was found."""
        best = self._count({})
        beam, grade, seen = [best], self._grade(best), set[tuple[int, ...]]()
        graded_at = 0
        for step in range(1, MOST_STEPS + 1):
            if grade == self._acceptance.best or not beam or (grade and step > graded_at + PATIENCE):
                break
            candidates = sorted((x for rule in beam for x in self._extend(rule)), key=lambda x: -x.score)
            beam = []
            for rule in map(self._count, (candidate.allowed() for candidate in candidates)):
                if rule.key in seen or self._is_out(rule):
                    continue
                seen.add(rule.key)
                reached = self._grade(rule)
                if (-reached, *rule.rank) < (-grade, *best.rank):
                    graded_at = step if reached > grade else graded_at
                    best, grade = rule, reached
                if reached < self._acceptance.best:
                    beam.append(rule)
                if len(beam) == WIDTH:
                    break
        return self._widen(best, grade) if grade else None

    def _is_out(self, rule: ShortRule) -> bool:
        return rule.matching < self._acceptance.least or len(rule.allowed) > MOST_CONDITIONS

    def _grade(self, rule: ShortRule) -> int:
        return self._acceptance.grade(rule.allowed, rule.matching, rule.same)

    def _count(self, allowed: Allowed) -> ShortRule:
        """A rule with its counts over all rows."""
        inside = self._bins.match(allowed)
        hits, n = inside & self._same, self._trained
        mixed = (int(inside[n:].sum()), int(hits[n:].sum()))
        return ShortRule(allowed, int(inside[:n].sum()), int(hits[:n].sum()), mixed)

    def _extend(self, rule: ShortRule) -> Iterator[Candidate]:
        """The most promising rules with one bound more."""
        inside, variables = self._part.match(rule.allowed), self._variables
        codes, hits = self._part.codes[inside][:, variables], self._hits[inside]
        matching = np.bincount(codes.ravel(), minlength=self._bins.total)
        same = np.bincount(codes[hits].ravel(), minlength=self._bins.total)
        found = [x for j in variables for x in self._bound(rule, int(j), matching, same)]
        found.sort(key=lambda x: -x.score)
        if not rule.allowed and len(variables) > MOST_VARIABLES:
            chosen = list(dict.fromkeys(x.variable for x in found))[:MOST_VARIABLES]
            self._variables = np.sort(np.array(chosen, dtype=np.int64))
        yield from found[: 3 * WIDTH]

    def _bound(
        self, rule: ShortRule, j: int, matching: NDArray[np.int64], same: NDArray[np.int64]
    ) -> list[Candidate]:
        """The best upper and the best lower bound of a variable; of a category, the best set."""
        first, end = int(self._bins.first[j]), int(self._bins.first[j + 1])
        own, n, k = int(self._own[j]) - first, matching[first:end], same[first:end]
        ordered = int(self._bins.last_ordered[j]) - first + 1
        if self._bins.is_nominal[j]:
            return self._choose_set(rule, j, own, n, k)
        if own >= ordered:
            return self._pick(rule, j, n[[own]], k[[own]], lambda _: np.arange(end - first) == own)
        places = np.arange(end - first)
        upper = self._pick(
            rule, j, n[:ordered].cumsum()[own:], k[:ordered].cumsum()[own:], lambda b: places <= own + b
        )
        lower = self._pick(
            rule,
            j,
            n[:ordered][::-1].cumsum()[::-1][: own + 1],
            k[:ordered][::-1].cumsum()[::-1][: own + 1],
            lambda b: (places >= b) & (places < ordered),
        )
        return [*upper, *lower]

    def _choose_set(
        self, rule: ShortRule, j: int, own: int, n: NDArray[np.int64], k: NDArray[np.int64]
    ) -> list[Candidate]:
        """Sets of categories: the row's own, with those in which the largest share gets the decision."""
        rate = np.where(np.arange(len(n)) == own, 2.0, (k + 1) / (n + 2))
        order = np.argsort(-rate, kind="stable")
        places = np.argsort(order, kind="stable")
        return self._pick(rule, j, n[order].cumsum(), k[order].cumsum(), lambda last: places <= last)

    def _pick(
        self,
        rule: ShortRule,
        j: int,
        n: NDArray[np.int64],
        k: NDArray[np.int64],
        bins_of: Callable[[int], NDArray[np.bool_]],
    ) -> list[Candidate]:
        """The two best of some sets of bins, among those that match enough rows."""
        scores = np.where(n >= self._share * self._acceptance.least, _score(n, k), -1.0)
        best = np.argsort(-scores, kind="stable")[:2].tolist()
        return [Candidate(rule, j, bins_of(b), float(scores[b])) for b in best if scores[b] >= 0]

    def _widen(self, rule: ShortRule, grade: int) -> ShortRule:
        """The rule without the conditions that it can do without, and the others as wide as it keeps its grade."""
        for j in list(rule.allowed):
            without = self._count({i: bins for i, bins in rule.allowed.items() if i != j})
            rule = without if self._grade(without) >= grade else rule
        while True:
            wider = [x for x in map(self._count, self._list_wider(rule)) if self._grade(x) >= grade]
            best = min(wider, key=lambda x: -x.width, default=rule)
            if best.width <= rule.width:
                return rule
            rule = best

    def _list_wider(self, rule: ShortRule) -> Iterator[Allowed]:
        for j, bins in rule.allowed.items():
            ordered = int(self._bins.last_ordered[j] - self._bins.first[j]) + 1
            if self._bins.is_nominal[j]:
                more = list(np.flatnonzero(~bins))
            else:
                there = np.flatnonzero(bins[:ordered])
                more = (
                    [] if not len(there) else [x for x in (there[0] - 1, there[-1] + 1) if 0 <= x < ordered]
                )
            for place in more:
                wider = bins.copy()
                wider[place] = True
                if not wider[:ordered].all():
                    yield {**rule.allowed, j: wider}


def _score(n: NDArray[np.int64], k: NDArray[np.int64]) -> NDArray[np.float64]:
    """Wilson's lower limit of the share k/n, which is quick to compute, at about two standard deviations."""
    n, share, z = np.maximum(n, 1), k / np.maximum(n, 1), 2.0
    root = np.sqrt(share * (1 - share) / n + z * z / (4.0 * n * n))
    return np.maximum(0.0, (share + z * z / (2 * n) - z * root) / (1 + z * z / n))
