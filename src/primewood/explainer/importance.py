"""Which features matter over some rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from primewood.arguments import clock_of
from primewood.batch.failed import Failed
from primewood.engines.protocol import Clock
from primewood.explainer.asking import called
from primewood.explainer.many import AsksMany
from primewood.logic.instance import Point
from primewood.logic.language import Language
from primewood.model.context import Row
from primewood.questions.explanation import Explanation, Status
from primewood.questions.importance import Counts, Importance, flips_alone
from primewood.questions.slices import Axis, decided

BLOCK = 200
"""After so many explanations their rows are tested for flips, so that progress is seen all the time."""


class AsksImportance(AsksMany):
    """Asks which features matter over many rows."""

    @called("importance")
    def importance(
        self,
        X: Any,
        *,
        literals: Language | None = None,
        n_jobs: int | None = None,
        time_limit: float | None = 10.0,
        progress: bool | None = None,
    ) -> Importance:
        """Which features matter over some rows: exact counts of what can be proved of each row.

        Per feature: how many of the rows' explanations mention it, and on how many rows it alone flips the decision
        (another value of it, everything else unchanged, gets a different decision). These are counts over these rows,
        not effect sizes; a feature that is in no explanation here may still matter for other rows.

        Cost: one explanation per row, and one query per feature in it.

        Parameters
        ----------
        X
            The rows, as for a call for all of them.
        literals
            The literal language of the explanations.
        n_jobs
            How many rows are explained at a time, in threads; -1 for as many as there are cores.
        time_limit
            Seconds per row for its explanation, and again for its flips. Rows that take longer are counted in
            `undecided`.
        progress
            As for a call for all rows.

        Returns
        -------
        Importance
            Print it, or take `to_frame()`, `plot()`, `to_dict()`.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from primewood import Explainer
        >>> X, y = load_iris(return_X_y=True)
        >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
        >>> found = Explainer(tree, X, feature_names=["sl", "sw", "pl", "pw"]).importance(X)
        >>> found.in_explanations["pw"], found.flips_alone["pw"]
        (150, 150)
        """
        self._check_decides()
        reading = self._reading_of(X)
        self._check_domain("X", reading.rows)
        clock_of(time_limit, None)
        options = {} if literals is None else {"literals": literals}
        settings = self._settings(options, time_limit, None, None, False, BLOCK)
        counts, language = Counts(), literals
        explained = self._explained(reading, settings, n_jobs, progress)
        for row, why in zip(reading.rows, explained, strict=True):
            mentioned = why.features if why.status is Status.PROVED else None
            counts.add(mentioned, self._serving(row)._flipping(row, why, Clock(time_limit)))
            language = why.literals
        assert self.domain is not None
        return counts.importance(
            self._context.feature_names, language or "sets", self.domain.assumptions, self._context.digest
        )

    def _flipping(self, row: Row, why: Explanation | Failed, clock: Clock) -> list[str] | None:
        """The features that flip the decision on a row alone; None if that was not decided in time.

        Only features in the explanation can: while the others change, a row does not leave it.
        """
        if not isinstance(why, Explanation):
            return None
        assert self.domain is not None
        point = self.domain.point(row)
        label = self._engines.in_sequence().decide(point)
        found = [self._flips_alone(row, point, label, why, name, clock) for name in why.features]
        if None in found:
            return None
        return [name for name, flips in zip(why.features, found, strict=True) if flips]

    def _flips_alone(
        self, row: Row, point: Point, label: int, why: Explanation, name: str, clock: Clock
    ) -> bool | None:
        """Whether one feature alone flips the decision, as `predict` takes it; None at the limit."""
        assert self.domain is not None and self.ensemble is not None
        if self.domain.knowledge.orders:
            # A cell may be possible and yet hold no row with the other numbers unchanged: try each value.
            labels = decided(self._context, self.ensemble, row, [Axis.of(self._context, name, why)])
            return bool(np.any((labels >= 0) & (labels != label)))
        place = self._context.place(name)
        assert place is not None
        return flips_alone(self._engines.in_sequence().oracle(label), point, place, clock)
