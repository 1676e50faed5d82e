"""Rows inside an explanation, to look at or to try the model on.

Each feature is drawn by itself: a cell uniformly among those that the explanation allows, then a number uniformly in
that cell, as far as the training rows and the row that is explained reach, and a little farther. So every
kind of row that the model distinguishes and that the explanation covers can be drawn, however rare it is in training.
Rows that constraints exclude are drawn again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from primewood.domain import Domain, Feature
from primewood.errors import InvalidInput
from primewood.logic.instance import Box
from primewood.logic.masks import indices
from primewood.model.context import TreeContext

MOST_DRAWN = 10_000_000
"""The most rows that are drawn at once."""
ROUNDS = 200
"""How often rows are drawn again before it is said that constraints leave hardly any."""


def sample(
    context: TreeContext, box: Box, row: tuple[float, ...] | None, count: int, seed: int | None
) -> NDArray[np.float64]:
    """Possible rows of a box, one per line, as the model takes them."""
    domain = context.domain
    random = np.random.default_rng(seed)
    found = np.empty((0, len(domain.column_names)))
    for _ in range(ROUNDS):
        if len(found) >= count:
            return found[:count]
        drawn = _undo_changes(domain, _drawn(context, box, row, max(count, 16), random), random)
        points = domain.points(drawn)
        possible = (points >= 0).all(axis=1) & domain.possible(drawn, points)
        found = np.concatenate([found, drawn[possible]])
    raise InvalidInput(
        f"only {len(found)} of {ROUNDS * max(count, 16)} rows drawn inside keep to the constraints; ask for fewer"
    )


def _undo_changes(
    domain: Domain, rows: NDArray[np.float64], random: np.random.Generator
) -> NDArray[np.float64]:
    """Rows that differ from the row in few features, if only such are asked about: all others are as in the row."""
    changes = domain.knowledge.changes
    if changes is None:
        return rows
    own = np.array(changes.row)
    places = random.permuted(np.tile(np.arange(len(domain.features)), (len(rows), 1)), axis=1)
    for k, feature in enumerate(domain.features):
        kept = places[:, k] >= changes.most
        for column in feature.columns:
            rows[kept, column] = own[column]
    return rows


def _drawn(
    context: TreeContext, box: Box, row: tuple[float, ...] | None, count: int, random: np.random.Generator
) -> NDArray[np.float64]:
    domain = context.domain
    rows = np.zeros((count, len(domain.column_names)))
    masks = dict(zip((f.name for f in domain.seen), box, strict=True))
    for feature in domain.features:
        mask = masks.get(feature.name, (1 << _cells(feature)) - 1)
        cells = random.choice(indices(mask), count)
        for cell in np.unique(cells).tolist():
            chosen = cells == cell
            rows[np.ix_(chosen, feature.columns)] = _numbers(
                context, feature, cell, row, int(chosen.sum()), random
            )
    return rows


def _cells(feature: Feature) -> int:
    """The kinds of values of a feature that no test distinguishes."""
    return 1 if feature.patterns is None else len(feature.patterns)


def _numbers(
    context: TreeContext,
    feature: Feature,
    cell: int,
    row: tuple[float, ...] | None,
    count: int,
    random: np.random.Generator,
) -> NDArray[np.float64]:
    """What the columns of a feature hold in a cell, `count` times."""
    if feature.variable is not None and cell == feature.variable.missing:
        return np.full((count, len(feature.columns)), np.nan)
    if feature.patterns is not None:
        return np.tile(list(feature.patterns)[cell], (count, 1))
    low, high = _reach(context, feature, row)
    least, most = feature.ends(cell)
    low, high = min(max(low, least), most), max(min(high, most), least)
    drawn = random.uniform(low, high + 1 if feature.whole else high, count)
    if feature.whole:
        drawn = np.floor(drawn)
    return np.clip(drawn, least, most)[:, None]


def _reach(context: TreeContext, feature: Feature, row: tuple[float, ...] | None) -> tuple[float, float]:
    """How far numbers are drawn: over the training range and the row's own number, and a little farther."""
    known = [] if row is None else [row[feature.column]]
    if context.ranges is not None:
        known += context.ranges[:, feature.column].tolist()
    if feature.variable is not None and feature.variable.cuts:
        known += [feature.variable.cuts[0], feature.variable.cuts[-1]]
    numbers = [x for x in known if not np.isnan(x)]
    low, high = min(numbers, default=0.0), max(numbers, default=0.0)
    margin = max((high - low) / 10, 1.0)
    return low - margin, high + margin
