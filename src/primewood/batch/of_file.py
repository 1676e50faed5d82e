"""A run over the blocks of a file, in which some rows may be ones that could not be read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from primewood.batch.outcome import Outcome
from primewood.batch.run import Result, Run
from primewood.batch.sources import Block
from primewood.questions.explanation import Status


class FileRun(Run):
    """One run over the rows of a file."""

    def explain(self, block: Block, first: int) -> list[Result]:
        """What the rows of a block get; `first` is the place of its first row."""
        results = next(self.blocks([block.rows], first))
        for i, problem in block.problems.items():
            results[i] = replace(results[i], outcome=Outcome(None, Status.FAILED, problem=problem))
        return results

    def _read(self, rows: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        points, labels = super()._read(rows)
        labels[np.isinf(rows).any(axis=1)] = -1  # no row of a model is infinite: these could not be read
        return points, labels
