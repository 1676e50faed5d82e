"""What a certificate is about: an ensemble file, the features, and what no row violates, in plain records."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from primewood.core import _native
from primewood.domain import Domain
from primewood.domain.domain import tested_cuts, whole_cuts
from primewood.domain.feature import Feature
from primewood.domain.knowledge import Order, chain_orders
from primewood.engines.search.joint import JointForest
from primewood.engines.search.oracle import SearchForest
from primewood.ensemble import Ensemble
from primewood.ensemble.integers import ROOM, integer_vote
from primewood.errors import InvalidInput
from primewood.logic.instance import Box
from primewood.logic.masks import find_runs, indices

HeaderRecord = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Space:
    """An ensemble over a domain, as certificates describe it.

    Attributes
    ----------
    certified : Ensemble
        The ensemble whose file the certificate names.
    forest : SearchForest
        The ensemble as it decides, over a domain that is cut wherever the certified one tests.
    """

    certified: Ensemble
    forest: SearchForest

    @property
    def ensemble(self) -> Ensemble:
        """The ensemble as it decides."""
        return self.forest.subject.ensemble

    @property
    def domain(self) -> Domain:
        """The domain."""
        return self.forest.subject.domain

    @cached_property
    def places(self) -> list[int]:
        """Per variable, the place of its feature."""
        return [i for i, f in enumerate(self.domain.features) if f.variable is not None]

    @cached_property
    def joint(self) -> JointForest:
        """The forest alone, for proofs of several margins."""
        variables = self.domain.variables
        return JointForest(variables, [(self.forest, range(len(variables)))])

    @cached_property
    def header(self) -> HeaderRecord:
        """The part of a header that all certificates about this space have in common."""
        return {
            "format": "primewood certificate",
            "version": 1,
            **self.vote,
            "features": [self._describe_feature(feature) for feature in self.domain.features],
            **self._describe_knowledge(),
        }

    @cached_property
    def vote(self) -> HeaderRecord:
        """The file, and how its leaves become a decision, in integers."""
        rules = bool(self.domain.knowledge.rules)
        vote = integer_vote(self.ensemble, room=_native.ROOM_WITH_RULES if rules else ROOM)
        return {
            "model": self.certified.file_digest,
            "decision": self._describe_decision(),
            "summation": "any" if self.forest.any_order else "sequential",
            "shift": vote.shift,
            "band": vote.band,
            "carrier": vote.carrier,
        }

    def _describe_decision(self) -> HeaderRecord | None:
        """What the ensemble decides by, if that is not in the certified file."""
        if self.ensemble is self.certified or self.ensemble.cuts == self.certified.cuts:
            return None
        labels = [str(name) for name in self.ensemble.classes] if self.ensemble.cutoff is not None else None
        cuts = list(self.ensemble.cuts)
        return {"output": self.certified.n_outputs - 1, "negated": False, "cuts": cuts, "labels": labels}

    def _describe_feature(self, feature: Feature) -> HeaderRecord:
        shared = {"columns": list(feature.columns), "missing": feature.missing}
        if feature.patterns is not None:
            variable = feature.variable
            present = [list(held) for held in feature.patterns if not any(map(math.isnan, held))]
            return {**shared, "values": present, "ordered": variable is not None and variable.ordered > 0}
        ends = {"low": _finite(feature.low), "high": _finite(feature.high)}
        return {**shared, "whole": feature.whole, **ends, "cuts": self._list_own_cuts(feature)}

    def _list_own_cuts(self, feature: Feature) -> list[float]:
        """The least numbers of the cells that begin where the certified model does not test."""
        if feature.variable is None:
            return []
        closed = feature.variable.closed
        tested = whole_cuts(self._tested[feature.column], feature.whole, closed)
        own = ~np.isin(np.array(feature.variable.cuts), tested)
        lows = feature.all_ends[1:, 0]
        found: list[float] = lows[own].tolist()
        return found

    @cached_property
    def _tested(self) -> list[Any]:
        return tested_cuts(self.certified)

    def _describe_knowledge(self) -> HeaderRecord:
        known = self.domain.knowledge
        if known.changes is not None:
            raise InvalidInput("certificates do not cover near_features yet")
        clauses = [
            {
                "text": rule.text,
                "forbidden": [[self.places[j], self.describe_literal(j, m)] for j, m in box.items()],
            }
            for rule in known.rules
            if not rule.is_staircase
            for box in rule.forbidden
        ]
        columns = {feature.name: i for i, feature in enumerate(self.domain.features)}
        orders = [
            {
                "text": order.text,
                "lower": columns[order.lower],
                "upper": columns[order.upper],
                "constants": list(order.constants),
                "strict": order.strict,
            }
            for order in known.orders
        ]
        seen = {feature.name for feature in self.domain.seen}
        chains = [
            _find_links(chain, known.orders)
            for chain in chain_orders(known.orders)
            if {chain.lower, chain.upper} <= seen
        ]
        return {"clauses": clauses, "orders": orders, "chains": chains}

    def describe_box(self, box: Box, apart: Sequence[int] = ()) -> HeaderRecord:
        """A box as a record: the literals of the variables that it restricts.

        Behind the variables of a row, it may have those of a second row that are apart, by their places.
        """
        variables, own = self.domain.variables, range(len(self.domain.variables))
        count = len(self.domain.features)
        numbered = [*zip(self.places, own, strict=True), *((count + k, j) for k, j in enumerate(apart))]
        return {
            str(number): self.describe_literal(j, mask)
            for (number, j), mask in zip(numbered, box, strict=True)
            if mask != variables[j].everything
        }

    def describe_literal(self, j: int, mask: int) -> HeaderRecord:
        """The values that a mask allows of a variable, as numbers."""
        feature, variable = self.domain.features[self.places[j]], self.domain.variables[j]
        missing = variable.missing is not None and bool(mask >> variable.missing & 1)
        cells = mask & ~(1 << variable.missing) if variable.missing is not None else mask
        if feature.patterns is not None:
            return {"values": indices(cells), "missing": missing}
        ends = feature.all_ends
        last = len(ends) - 1
        runs = [
            [
                None if low == 0 and feature.low == -math.inf else float(ends[low, 0]),
                None if high == last and feature.high == math.inf else float(ends[high, 1]),
            ]
            for low, high in find_runs(cells)
        ]
        return {"runs": runs, "missing": missing}


def _finite(end: float) -> float | None:
    return float(end) if math.isfinite(end) else None


def _find_links(chain: Order, orders: tuple[Order, ...]) -> list[int]:
    """The orders that a chain is made of, from its lower feature to its upper one."""
    names = (chain.lower, *chain.through, chain.upper)
    found = []
    for lower, upper, constant in zip(names[:-1], names[1:], reversed(chain.constants), strict=True):
        found.append(
            next(
                i
                for i, o in enumerate(orders)
                if (o.lower, o.upper, o.constants) == (lower, upper, (constant,))
            )
        )
    return found
