"""Reading scikit-learn's pipelines: one ensemble over the raw columns.

The last step is a model that primewood reads. The steps before it make the model's columns out of raw ones, each
out of one, so a test of the model is a test of a raw column: with a cut, which is the true boundary among all
float64 numbers, found by asking the fitted steps themselves; or with a set of categories, which is found by
asking about each. So the ensemble decides on raw rows as the pipeline does, and the steps are not needed any more.

Answers are for rows of float64 numbers; whole numbers up to 2^53 become such.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood import readers
from primewood.ensemble import Ensemble
from primewood.readers.pipeline.reading import PipelineReading


def read(pipeline: Any) -> Ensemble:
    """The ensemble of a fitted pipeline over the columns of the rows that `pipeline.predict` takes.

    Cost: some calls of the steps, with as many rows as a column has thresholds, and linear in the nodes.
    """
    return PipelineReading(pipeline).ensemble()


def scores_of(pipeline: Any, rows: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The model's own scores of raw rows that have been through the pipeline's own steps; None if it has none."""
    reading = PipelineReading(pipeline)
    return readers.scores_of(reading.model, reading.model_rows(rows))


def decode_categories(pipeline: Any, rows: NDArray[np.float64]) -> Any:
    """Raw rows as the pipeline takes them: a frame if it was fitted on one, with names of categories."""
    return PipelineReading(pipeline).table.decode(rows)


def decisions_of(pipeline: Any, rows: NDArray[np.float64]) -> NDArray[Any]:
    """What the pipeline's own `predict` says of raw rows."""
    return np.asarray(PipelineReading(pipeline).ask("predict", rows)).reshape(len(rows))
