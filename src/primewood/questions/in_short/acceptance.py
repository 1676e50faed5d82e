"""Whether a rule of few conditions is accepted, and how good it is.

A rule's own counts flatter it, because it is the best of many rules, and because a model decides the rows that it was
trained on with more certainty than new rows. Mixtures of training rows (`model/mixed_rows.py`) help against both: those
that rules are tested on are not those that rules are searched on, and the model has not seen them. On held-out rows, a
rule has about as many exceptions as among mixtures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from primewood.model.bins import Bins

Allowed = dict[int, NDArray[np.bool_]]
"""A rule: per variable that it mentions, the bins that it allows."""
CONFIDENCE = 0.95
"""How sure a promise is to hold, chance alone considered."""
LEAST_SHARE = 0.01
"""The share of the training rows that a rule must match at least."""
LEAST_COUNTED, LEAST_TESTED = 30, 8
"""How many training rows it must match at least: where they alone are counted, and where mixtures test it too."""
MARGIN = 0.3
"""Where training rows alone are counted: how many exceptions a rule may have, in parts of those that are allowed."""
GRADES = (0.7, 0.5, 0.3, 0.2, 0.1, 0.04)
"""The exceptions that a rule of each grade may have among mixtures, in parts of those that are allowed."""


def lower_limit(same: int, matching: int, confidence: float = CONFIDENCE) -> float:
    """The exact (Clopper and Pearson) lower limit of a share, if `same` of `matching` rows were seen to have it.

    >>> round(lower_limit(59, 59), 3), round(lower_limit(412, 418), 3)
    (0.95, 0.972)
    """
    from scipy.special import betaincinv  # type: ignore[import-untyped]

    return 0.0 if same == 0 else float(betaincinv(same, matching - same + 1, 1 - confidence))


class Acceptance(Protocol):
    """Grades rules: 0 is not accepted, and higher is better up to `best`. A rule matches `least` training rows."""

    @property
    def least(self) -> int: ...

    @property
    def best(self) -> int: ...

    def grade(self, allowed: Allowed, matching: int, same: int) -> int:
        """The grade of a rule that `matching` training rows match; `same` of them get the decision."""
        ...


@dataclass(frozen=True)
class AcceptByCounts:
    """Accepts a rule by its counts over the training rows alone: the lower limit of its share is high enough.

    The rule must also have few exceptions (`MARGIN`), because its count flatters it.
    """

    rows: int
    precision: float
    best: int = 1

    @property
    def least(self) -> int:
        """How many rows a rule must match."""
        return max(LEAST_COUNTED, int(np.ceil(LEAST_SHARE * self.rows)))

    def grade(self, allowed: Allowed, matching: int, same: int) -> int:
        """1 if the rule is accepted."""
        del allowed
        return int(
            matching >= self.least
            and same >= (1 - MARGIN * (1 - self.precision)) * matching
            and lower_limit(same, matching) >= self.precision
        )


@dataclass(frozen=True)
class AcceptByMixtures:
    """Accepts a rule whose share is high enough over the training rows, and over mixtures that test it.

    The fewer exceptions among the mixtures, the better the grade. Half an exception is added, so that of rules without
    exceptions the one that matches more mixtures is the better one.
    """

    rows: int
    precision: float
    tested: Bins
    same: NDArray[np.bool_]

    @property
    def least(self) -> int:
        """How many rows a rule must match."""
        return max(LEAST_TESTED, int(np.ceil(LEAST_SHARE * self.rows)))

    @property
    def best(self) -> int:
        """The best grade."""
        return 2 * len(GRADES)

    def count(self, allowed: Allowed) -> tuple[int, int]:
        """How many of the mixtures that test rules match, and how many of these get the decision."""
        inside = self.tested.match(allowed)
        return int(inside.sum()), int((inside & self.same).sum())

    def grade(self, allowed: Allowed, matching: int, same: int) -> int:
        """How many of the `GRADES` the rule reaches; more than all of them if it can be promised, too."""
        if matching < self.least or same < self.precision * matching:
            return 0
        tested, hits = self.count(allowed)
        exceptions = tested - hits + 0.5
        reached = sum(exceptions <= part * (1 - self.precision) * tested for part in GRADES)
        is_promised = reached > 0 and lower_limit(same, matching) >= self.precision
        return reached + len(GRADES) * is_promised
