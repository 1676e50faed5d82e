"""What the model decides around a row if one or two features change: strips and maps."""

from __future__ import annotations

from typing import Any

from primewood.ensemble import Ensemble
from primewood.errors import InvalidInput
from primewood.explainer.asking import about_row
from primewood.explainer.why import AsksWhy
from primewood.model.context import Row
from primewood.questions.explanation import Explanation
from primewood.questions.slices import Axis, DecisionMap, WhatIf, check_speaks, decided


class AsksSlices(AsksWhy):
    """Asks what is decided in the neighbourhood of a row."""

    @about_row
    def what_if(self, x: Any, feature: str, *, why: Explanation | None = None) -> WhatIf:
        """What is decided if one feature of a row changes and the others stay, and where that is proved for all.

        Exact, for every value of the feature. Cost: one prediction per value that the model tells apart.

        Parameters
        ----------
        x
            The row.
        feature
            The name of the feature.
        why
            The explanation that says where the decision is proved whatever the free features are; `explain(x)` if it is
            not given.
        """
        row, ensemble, why = self._around(x, why)
        axis = Axis.of(self._context, feature, why)
        labels = decided(self._context, ensemble, row, [axis])
        return WhatIf(axis, tuple(labels.tolist()), why, self._context)

    @about_row
    def decision_map(
        self, x: Any, features: tuple[str, str], *, why: Explanation | None = None
    ) -> DecisionMap:
        """What is decided if two features of a row change and the others stay, with the box of an explanation.

        Exact, for all values of both. Cost: one prediction per pair of values that the model tells apart. The
        parameters are those of `what_if`.
        """
        if isinstance(features, str) or len(features) != 2 or features[0] == features[1]:
            raise InvalidInput(
                f"a map takes the names of two features, such as ('age', 'income'), not {features!r}"
            )
        row, ensemble, why = self._around(x, why)
        first, second = (Axis.of(self._context, name, why) for name in features)
        labels = decided(self._context, ensemble, row, (first, second))
        return DecisionMap((first, second), labels, why, self._context)

    def _around(self, x: Any, why: Explanation | None) -> tuple[Row, Ensemble, Explanation]:
        """The row, what decides about it, and an explanation of the decision."""
        self._check_rows("strips and maps")
        self._check_decides()
        row, _ = self._context.read(x)
        assert row is not None and self.ensemble is not None
        if why is None:
            return row, self.ensemble, self.explain(x)
        check_speaks(why, self._context, row, self.decide(x))
        return row, self.ensemble, why
