"""Does our reading of a model decide as the model does? Tried on rows, not promised.

The rows are the user's own and planted ones: rows in which values are moved to a threshold, just below it
and just above it, in float64 and in float32 steps, because that is where readings go wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood import readers
from primewood.ensemble import Ensemble
from primewood.ensemble.comparison import cuts_of
from primewood.ensemble.link import apply_link
from primewood.errors import PrimewoodError, UnsupportedModel, first_line
from primewood.progress import say

MOST_ROWS = 2000
PLANTED = 1000
MOST_CELLS = 2**24
"""The most cells of the rows that are planted: a model with many columns gets fewer rows."""
MOST_VISITS = 600_000
"""About how often a row is sent through a tree: a model with many trees is tried on fewer rows, but on at least
`LEAST_ROWS` of the user's and as many planted ones."""
LEAST_ROWS = 250


@dataclass(frozen=True, slots=True)
class Fidelity:
    """The result of comparing the reading of a model with the model itself.

    Attributes
    ----------
    rows : int
        How many rows were tried.
    differ : int
        On how many of them the decision or a score differed in any bit. A difference is an error when
        the explainer is made, so this is 0.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, _ = load_iris_explainer()
    >>> explainer.fidelity.differ
    0
    """

    rows: int
    differ: int

    def __str__(self) -> str:
        told = "identical" if not self.differ else f"{self.differ:,} differ"
        return f"verified against the model on {self.rows:,} rows: {told}"

    def _repr_html_(self) -> str:
        from primewood.render.html.answers import lines

        status = "fails" if self.differ else "holds"
        return lines(
            "Fidelity",
            "Read as the model decides",
            [f"{str(self).capitalize()}."],
            badge="Verified",
            status=status,
        )


def check_fidelity(
    model: Any,
    ensemble: Ensemble,
    rows: NDArray[np.float64] | None,
    *,
    missing: Collection[int],
    groups: Collection[Sequence[int]] = (),
) -> Fidelity:
    """Compare an ensemble with the model it was read from; a difference raises and names the row.

    Parameters
    ----------
    missing
        The columns in which planted rows may miss a value.
    groups
        Columns of which exactly one is 1 in every row.
    """
    tried = plant_rows(ensemble, rows, missing=missing)
    for columns in groups:
        tried[:, columns] = np.eye(len(columns))[np.arange(len(tried)) % len(columns)]
    if rows is not None:
        tried = np.vstack([rows[: _scale_down(MOST_ROWS, ensemble)], tried])
    say(f"comparing with the model on {len(tried):,} rows")
    ours = ensemble.scores(tried)
    decided = decisions(ensemble, ours)
    own, scores = _ask_model(model, ensemble, tried)
    differ = decided != own
    if scores is not None:
        differ |= (ours != scores).any(axis=1)
    wrong = np.flatnonzero(differ)
    if wrong.size:
        i = int(wrong[0])
        raise UnsupportedModel(
            f"this {ensemble.source} is not read exactly: on {wrong.size} of {len(tried)} rows our scores "
            f"differ from the model's, first on {tried[i].tolist()}: {ours[i].tolist()}, and {decided[i]} "
            f"where the model says {own[i]}. Please report it with the library's version"
        )
    return Fidelity(len(tried), 0)


def _ask_model(
    model: Any, ensemble: Ensemble, rows: NDArray[np.float64]
) -> tuple[NDArray[Any], NDArray[np.float64] | None]:
    """What the model itself decides about rows, and its scores, each of a row per row."""
    try:
        own = readers.decisions_of(model, rows, ensemble.categories).astype(object)
        scores = readers.scores_of(model, rows, ensemble.categories)
    except PrimewoodError:
        raise
    except Exception as problem:  # whatever a library says of a model that is damaged
        raise UnsupportedModel(f"this {ensemble.source} cannot predict: {first_line(problem)}") from problem
    if own.shape != (len(rows),) or (scores is not None and scores.shape != (len(rows), ensemble.n_outputs)):
        raise UnsupportedModel(f"this {ensemble.source} predicts more or fewer numbers than it has trees for")
    return own, scores


def decisions(ensemble: Ensemble, scores: NDArray[np.float64]) -> NDArray[Any]:
    """What an ensemble decides at given scores: labels, or of a regressor its predictions."""
    if ensemble.is_regressor:
        return apply_link(ensemble.slope * scores, ensemble.link)[:, 0].astype(object)
    return np.array([*ensemble.classes, None], dtype=object)[ensemble.decide(scores)]


def plant_rows(
    ensemble: Ensemble,
    rows: NDArray[np.float64] | None,
    *,
    missing: Collection[int] | bool = False,
    seed: int = 0,
) -> NDArray[np.float64]:
    """Rows with values at thresholds and next to them, and with all categories; some missing where that is allowed.

    Parameters
    ----------
    missing
        The columns in which a value may be missing; True for all of them.
    """
    generator = np.random.default_rng(seed)
    tests = _tests(ensemble)
    count = max(1, min(_scale_down(PLANTED, ensemble), MOST_CELLS // max(1, ensemble.n_features)))
    if rows is None or not len(rows):
        planted = np.zeros((count, ensemble.n_features))
    else:
        planted = rows[generator.integers(0, len(rows), count)].copy()
    if not len(tests):
        return planted
    for _ in range(1 + len(np.unique(tests[:, 0])) // 3):
        columns, thresholds = tests[generator.integers(0, len(tests), len(planted))].T
        planted[np.arange(len(planted)), columns.astype(int)] = _beside(thresholds, ensemble, generator)
    for column, known in ensemble.categories.items():
        codes = [*known.names, *([] if known.others is None else [known.others])]
        planted[:, column] = generator.choice(codes, len(planted))
    if isinstance(missing, bool):
        missing = range(ensemble.n_features) if missing else ()
    for column in missing:
        planted[generator.random(len(planted)) < 0.1, column] = np.nan
    return planted


def _scale_down(most: int, ensemble: Ensemble) -> int:
    """How many rows a model is tried on, of at most `most`: fewer for one with many trees."""
    share = MOST_VISITS / (MOST_ROWS + PLANTED) / len(ensemble.trees)
    return min(most, max(LEAST_ROWS, int(most * share)))


def _tests(ensemble: Ensemble) -> NDArray[np.float64]:
    """All columns with numbers that they are compared with, one row each."""
    found = []
    for tree in ensemble.trees:
        simple = ~tree.is_leaf & ~tree.tests_sets
        found.append(np.column_stack([tree.feature[simple], tree.threshold[simple]]))
        for node in np.flatnonzero(tree.tests_sets).tolist():
            bounds = tree.bounds_at(node)
            found.append(np.column_stack([np.full(len(bounds), tree.feature[node]), bounds]))
    tests = np.vstack(found) if found else np.empty((0, 2))
    numeric = ~np.isin(tests[:, 0], list(ensemble.categories))
    return tests[numeric & (abs(tests[:, 1]) < 1e37)]


def _beside(
    thresholds: NDArray[np.float64], ensemble: Ensemble, generator: np.random.Generator
) -> NDArray[np.float64]:
    """Numbers at the thresholds, or one step of float64 or float32 below or above, one each."""
    cuts = cuts_of(thresholds, ensemble.operator, ensemble.dtype)
    single = thresholds.astype(np.float32).astype(np.float64)
    at = np.choose(generator.integers(0, 3, len(thresholds)), [thresholds, cuts, single])
    below, above = np.full_like(at, -np.inf), np.full_like(at, np.inf)
    towards = np.choose(generator.integers(0, 3, len(at)), [below, at, above])
    coarse = np.nextafter(at.astype(np.float32), towards.astype(np.float32)).astype(np.float64)
    return np.where(generator.random(len(at)) < 0.3, coarse, np.nextafter(at, towards))
