"""Many rows at once."""

from __future__ import annotations

from typing import Any

from primewood.batch.batch import Batch
from primewood.errors import InvalidInput
from primewood.explainer.why import AsksWhy
from primewood.rows import as_rows


class AsksMany(AsksWhy):
    """Asks why for every row of a table."""

    def __call__(self, X: Any, **options: Any) -> Batch:
        """One explanation per row of a frame or an array, in its order and with its index.

        Parameters
        ----------
        X
            The rows.
        options
            As for `explain`: the same for every row. Limits are per row.
        """
        self._check_rows("batches")
        rows = as_rows(X, self._context.layout)
        for place, row in enumerate(rows):
            try:
                self._context.read(row)
            except InvalidInput as problem:
                raise InvalidInput(f"X, row {place}: {problem}") from None
        explained = [self.explain(row, **options) for row in rows]
        return Batch.of(explained, X, self._context)
