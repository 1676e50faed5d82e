"""What models make of sparse matrices, which pipelines with encoders often give them.

- To scikit-learn and CatBoost, a cell that a matrix leaves out is zero; scikit-learn's models refuse NaN in others.
- To XGBoost, it is missing.
- To LightGBM, it is zero. A number that is as small as 1e-35 (as a float32) is zero to LightGBM too, except that in a
  sparse matrix, where it is stored, it is compared as it is. Thresholds that small are ±1e-35 itself, so this
  matters to −1e-35 alone, which goes with the numbers below it, unless zeros are missing values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.errors import UnsupportedModel

ZERO_ZONE = float(np.float32(1e-35))
OF_CATEGORIES, ZERO_IS_MISSING = 1, 1
"""Of the decision type of a node of LightGBM: its lowest bit; and its missing type, the third and the fourth bit."""


@dataclass(frozen=True, slots=True)
class SparseRows:
    """How to write a sparse matrix as a dense one that is the same to a model.

    Attributes
    ----------
    absent : float
        What a cell that is left out is.
    takes_nan : bool
        Whether NaN may be stored, if the model accepts NaN at all.
    parted : tuple of int
        The columns in which −1e-35 goes with the numbers below it.
    """

    absent: float = 0.0
    takes_nan: bool = True
    parted: tuple[int, ...] = ()

    @classmethod
    def of(cls, model: Any) -> SparseRows:
        """What a model makes of sparse matrices."""
        libraries = {base.__module__.partition(".")[0] for base in type(model).__mro__}
        if "xgboost" in libraries:
            return cls(absent=np.nan)
        if "lightgbm" in libraries:
            return cls(parted=_part(model.booster_.model_to_string()))
        return cls(takes_nan="catboost" in libraries)

    def dense(self, matrix: Any, absent: float) -> NDArray[np.float64]:
        """A matrix, sparse or not, as a dense one."""
        if not hasattr(matrix, "tocoo"):
            return np.asarray(matrix, dtype=np.float64)
        stored = matrix.tocoo()
        filled = np.full(matrix.shape, absent)
        filled[stored.row, stored.col] = stored.data
        for column in self.parted:
            filled[filled[:, column] == -ZERO_ZONE, column] = np.nextafter(-ZERO_ZONE, -np.inf)
        return filled


def _part(text: str) -> tuple[int, ...]:
    """The columns in which −1e-35 is below the zone of zero to a LightGBM model, given as text."""
    kinds = _numbers(text, "decision_type").astype(np.int64)
    numeric = kinds & OF_CATEGORIES == 0
    thresholds, columns = _numbers(text, "threshold")[numeric], _numbers(text, "split_feature")[numeric]
    zero_is_missing = (kinds[numeric] >> 2) & 3 == ZERO_IS_MISSING
    parted, whole = set(columns[~zero_is_missing]), set(columns[zero_is_missing])
    if (abs(thresholds) < ZERO_ZONE).any() or parted & whole:
        raise UnsupportedModel(
            "this LightGBM model is given sparse rows, and has thresholds below 1e-35, or zeros are missing to some "
            "tests of a column only; fit with sparse_threshold=0"
        )
    return tuple(sorted(int(column) for column in parted))


def _numbers(text: str, name: str) -> NDArray[np.float64]:
    found = " ".join(re.findall(rf"^{name}=(.*)$", text, re.MULTILINE))
    return np.array(found.split(), dtype=np.float64)
