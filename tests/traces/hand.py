"""Models made by hand, with planted ties and near-ties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import primewood as pw
from traces.data import Data
from traces.recipes import Recipe


def hand_made(recipe: Recipe, data: Data) -> pw.Ensemble:
    """Trees with planted ties and near-ties between their leaves."""
    generator = np.random.default_rng([recipe.seed, 1])
    palette = [
        [0.0, 1.0, 0.5, 0.25],
        [0.1, 0.2, 0.3, 0.4, 0.7],
        [1 / 3, 2 / 3, 1.0, 0.0],
        [1e-17, 1.0, 1.0 + 2.0**-52, 0.0],
    ][generator.integers(4)]
    summed = recipe.classes == 2 and bool(generator.integers(2))
    precision = ("float32", "float64")[generator.integers(2)]
    palette = np.array(palette, dtype=precision).astype(np.float64).tolist()
    width = 1 if summed else recipe.classes
    trees = tuple(
        _with_missing(
            pw.Tree.build(_nested(recipe, data, recipe.depth, width, palette, generator)), generator
        )
        for _ in range(recipe.trees)
    )
    more: dict[str, Any] = {"vote": ("majority", "mean", "sum")[generator.integers(3)]}
    if summed:
        cut = float(np.float32(sum(generator.choice(palette, len(trees)))))
        more = {"vote": "sum", "cuts": (cut,), "start": (0.0,)}
    if more["vote"] == "sum":
        more["precision"] = precision
    return pw.Ensemble(
        trees,
        tuple(recipe.column_names),
        tuple(range(recipe.classes)),
        operator=("<=", "<")[generator.integers(2)],
        dtype=("float32", "float64")[generator.integers(2)],
        allows_missing=recipe.missing,
        **more,
    )


def _nested(
    recipe: Recipe,
    data: Data,
    depth: int,
    width: int,
    palette: Sequence[float],
    generator: np.random.Generator,
) -> Any:
    if depth == 0 or (depth < recipe.depth and generator.random() < 0.2):
        return [float(x) for x in generator.choice(palette, width)]
    column = int(generator.integers(data.X.shape[1]))
    seen = data.X[~np.isnan(data.X[:, column]), column]
    threshold: float | list[float] = float(generator.choice(seen)) if len(seen) else 0.5
    if generator.random() < 0.1 and len(np.unique(seen)) > 1:
        threshold = sorted(generator.choice(np.unique(seen), 2, replace=False).tolist())
    left, right = (_nested(recipe, data, depth - 1, width, palette, generator) for _ in range(2))
    return (column, threshold, left, right)


def _with_missing(tree: pw.Tree, generator: np.random.Generator) -> pw.Tree:
    return replace(tree, missing_left=generator.random(len(tree)) < 0.5)
