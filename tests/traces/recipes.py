"""Models to ask about: a recipe is a few plain numbers, and the same recipe always makes the same model."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import primewood as pw
from traces.wrong import TooMany

Rows = NDArray[np.float64]
Labels = NDArray[np.int64]
Decide = Callable[[Rows], Labels]
Words = dict[str, dict[float, str]]
"""Per feature the words that its codes stand for."""
NAMES = "abcdef"
WORDS = ("blue", "green", "red")
LABELS = tuple(f"class {i:02}" for i in range(30))
UNSEEN = "purple"
NATIVE = ("hist", "xgboost", "lightgbm", "catboost", "encoded")
"""The models that take words for categories."""
TAKES_MISSING = ("tree", "forest", "hist", "xgboost", "lightgbm", "catboost", "hand", "imputed")
IN_FILES = ("xgboost", "lightgbm", "catboost", "hand")
BY_TREES = ("tree", "forest", "extra")
"""The models whose trees can be asked one by one."""
REGRESSORS = ("tree", "forest", "gradient", "hist", "xgboost", "lightgbm", "catboost")
UNDECIDED = -2
"""The label where the order of summation decides."""
NEAR = 1e-9
"""Scores nearer to a tie than this may count as undecided where sums are added in any order."""


@dataclass(frozen=True)
class Recipe:
    """How a model is made, and what its explainer is told.

    Attributes
    ----------
    columns : str
        One letter per feature: (n)umber, (w)hole number, (b)it, declared (c)ategories, (o)rdered ones, one-(h)ot
        columns, (k)inds that the library itself takes for categories, (m) numbers with declared bounds, (i) bits that
        nobody declares.
    cutoff : int or None
        Which of the probabilities or predictions that occur decides; regressors need one.
    between : int
        How far above it the second cut-off of a regressor is; 0 for none.
    texts : bool
        Whether labels are texts instead of numbers.
    positive : int
        The class that a cut-off speaks of.
    saved : bool
        Whether the explainer reads the model from a file of its library.
    constraints : tuple
        ("order", lower, upper, constant, strict) or ("clause", feature, value, feature, value): features by place.
    asked : tuple of pairs
        Other options of the explainer.
    """

    kind: str = "tree"
    seed: int = 0
    rows: int = 20
    columns: str = "nn"
    classes: int = 2
    trees: int = 1
    depth: int = 2
    missing: bool = False
    jobs: int = 1
    number: bool = False
    cutoff: int | None = None
    between: int = 0
    texts: bool = False
    positive: int = 1
    saved: bool = False
    known: bool = True
    constraints: tuple[tuple[Any, ...], ...] = ()
    immutable: tuple[int, ...] = ()
    asked: tuple[tuple[str, Any], ...] = ()

    def __repr__(self) -> str:
        """The fields that are not the usual ones."""
        told = ((f.name, getattr(self, f.name)) for f in fields(self) if getattr(self, f.name) != f.default)
        return f"Recipe({', '.join(f'{name}={value!r}' for name, value in told)})"

    @property
    def names(self) -> list[str]:
        """The names of the features."""
        return list(NAMES[: len(self.columns)])

    @property
    def column_names(self) -> list[str]:
        """The names of the columns: one-hot features have several."""
        return [
            column
            for name, letter in zip(self.names, self.columns, strict=True)
            for column in ([f"{name}_{word}" for word in WORDS] if letter == "h" else [name])
        ]

    @property
    def option(self) -> dict[str, Any]:
        """The other options of the explainer by name."""
        return dict(self.asked)


@dataclass(frozen=True)
class Data:
    """Training rows as numbers, with codes for categories, and their labels or targets."""

    X: Rows
    y: NDArray[Any]


def draw_data(recipe: Recipe) -> Data:
    """The rows that a model is trained on: few different numbers, so that it has few cells."""
    generator = np.random.default_rng(recipe.seed)
    parts, scores = [], generator.normal(0, 0.3, recipe.rows)
    for letter in recipe.columns:
        values = generator.integers(0, 3 if letter in "chok" else 2 if letter in "bi" else 5, recipe.rows)
        scores += generator.normal(0, 1, 5)[values]
        parts.append(_columns_of(letter, values, generator))
    X = np.hstack(parts)
    if recipe.missing:
        X[_forgotten(recipe, generator)] = np.nan
    kept = satisfied(recipe, X)
    if kept.sum() < max(4, recipe.classes):
        raise TooMany("constraints exclude nearly all training rows")
    X, scores = X[kept], scores[kept]
    _check_words(recipe, X)
    if recipe.number:
        return Data(X, np.round(scores, 1))
    labels = _classes_of(scores, recipe.classes, generator)
    return Data(X, np.array(LABELS[: recipe.classes])[labels] if recipe.texts else labels)


def _check_words(recipe: Recipe, X: Rows) -> None:
    """Refuse a clause about a word that no row has: the library does not learn it, so no one may say it."""
    for clause in (one for one in recipe.constraints if one[0] == "clause"):
        for feature, value in (clause[1:3], clause[3:5]):
            if recipe.columns[feature] == "k" and value not in X[:, place_of(recipe, feature)]:
                raise TooMany("a clause is about a word that no training row has")


def _columns_of(letter: str, values: NDArray[np.int64], generator: np.random.Generator) -> Rows:
    if letter == "h":
        return np.eye(3)[values]
    if letter in "nm":
        return ((values - 2) * generator.choice([1.0, 0.5, 0.1, 1 / 3]))[:, None]
    return values[:, None].astype(np.float64)


def _forgotten(recipe: Recipe, generator: np.random.Generator) -> NDArray[np.bool_]:
    """Which values are missing: in the first feature that may be, and some elsewhere."""
    letters = [x for x in recipe.columns for _ in range(3 if x == "h" else 1)]
    may = np.array([x in "nmw" or (x == "k" and recipe.kind != "catboost") for x in letters])
    return (generator.random((recipe.rows, len(letters))) < 0.2) & may


def _classes_of(scores: Rows, classes: int, generator: np.random.Generator) -> Labels:
    """Labels by rank, so that every class occurs."""
    ranks = scores.argsort().argsort()
    if generator.random() < 0.3:
        ranks = generator.permutation(ranks)
    return (ranks * classes // len(scores)).astype(np.int64)


@dataclass(frozen=True)
class Model:
    """A trained model, who decides, and what the explainer is told."""

    recipe: Recipe
    fitted: Any
    data: Data
    words: Words
    decide: Decide
    loose: Callable[[Rows], NDArray[np.bool_]]
    options: dict[str, Any]

    def table(self, rows: Rows) -> Any:
        """Rows as the library and the explainer take them: a frame with words where it wants such."""
        return as_frame(self.recipe, rows, self.words) if "k" in self.recipe.columns else rows

    def explainer(self) -> pw.Explainer:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            train = self.table(self.data.X) if self.recipe.known else None
            with tempfile.TemporaryDirectory() as folder:
                model = (
                    save_model(self.recipe, self.fitted, Path(folder)) if self.recipe.saved else self.fitted
                )
                return pw.Explainer(model, train, progress=False, **self.options)


def save_model(recipe: Recipe, fitted: Any, folder: Path) -> Path:
    """The file of a model, as its library writes it."""
    ending = {"xgboost": ("json", "ubj"), "lightgbm": ("txt",), "catboost": ("cbm",), "hand": ("json",)}
    kinds = ending[recipe.kind]
    path = folder / f"model.{kinds[recipe.seed % len(kinds)]}"
    if recipe.kind == "hand":
        fitted.save(path)
    else:
        (fitted.booster_ if recipe.kind == "lightgbm" else fitted).save_model(path)
    return path


@lru_cache(maxsize=4)
def build(recipe: Recipe) -> Model:
    """The model of a recipe."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = draw_data(recipe)
        fitted = hand_made(recipe, data) if recipe.kind == "hand" else _fit(recipe, data)
        words: Words = {name: dict(enumerate(WORDS)) for name in recipe.names}
        scores = score_by(recipe, fitted, words)
        cuts = () if recipe.cutoff is None else _cuts(recipe, scores(data.X))
        return Model(
            recipe,
            fitted,
            data,
            words,
            _decider(recipe, fitted, scores, cuts, words),
            _looseness(recipe, fitted, cuts),
            _options(recipe, cuts),
        )


def _fit(recipe: Recipe, data: Data) -> Any:
    from traces.training import make

    words = {name: dict(enumerate(WORDS)) for name in recipe.names}
    X = as_frame(recipe, data.X, words) if "k" in recipe.columns else data.X
    return make(recipe, [NAMES[i] for i, x in enumerate(recipe.columns) if x == "k"]).fit(X, data.y)


def as_frame(recipe: Recipe, rows: Rows, words: Words) -> Any:
    """Rows as a frame, with words for categories of the library's own."""
    import pandas as pd

    frame = pd.DataFrame(rows, columns=recipe.column_names)
    for name, letter in zip(recipe.names, recipe.columns, strict=True):
        if letter == "k":
            said = [None if np.isnan(x) else words[name].get(x, UNSEEN) for x in frame[name].tolist()]
            frame[name] = _as_categories(said) if recipe.kind != "catboost" else np.array(said, dtype=object)
    return frame


def _as_categories(words: Sequence[str | None]) -> Any:
    import pandas as pd

    return pd.Categorical(words, categories=[*WORDS, *({UNSEEN} & {*words})])


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


def score_by(recipe: Recipe, fitted: Any, words: Words) -> Callable[[Rows], NDArray[Any]]:
    """What a cut-off is compared with: the probability of the second class, or the prediction."""

    def ask(rows: Rows) -> NDArray[Any]:
        table = as_frame(recipe, rows, words) if "k" in recipe.columns else rows
        return fitted.predict(table) if recipe.number else fitted.predict_proba(table)[:, recipe.positive]

    return ask


def _cuts(recipe: Recipe, scores: NDArray[Any]) -> tuple[float, ...]:
    """The cut-offs: numbers that scores reach exactly, so that there are ties."""
    assert recipe.cutoff is not None
    found = np.unique(scores.astype(np.float64))
    first = recipe.cutoff % len(found)
    cuts = (float(found[first]),)
    above = found[first + 1 :]
    if recipe.between and len(above):
        cuts += (float(above[(recipe.between - 1) % len(above)]),)
    return cuts


def _decider(
    recipe: Recipe,
    fitted: Any,
    scores: Callable[[Rows], NDArray[Any]],
    cuts: tuple[float, ...],
    words: Words,
) -> Decide:
    """Who takes the decision: the library itself, on plain rows."""
    if recipe.option.get("vote") == "majority":
        return lambda rows: _majority(_votes(fitted, rows).argmax(axis=2), recipe.classes)
    if recipe.jobs != 1:
        return lambda rows: _in_any_order(recipe, _votes(fitted, rows), cuts)
    if recipe.kind == "hand":
        return lambda rows: fitted.predict(rows).astype(np.int64)
    if recipe.number and len(cuts) == 2:
        return lambda rows: between(scores(rows).astype(np.float64), cuts)
    if cuts:
        return lambda rows: _reached(recipe, scores(rows).astype(np.float64) >= cuts[0])
    return lambda rows: _predicted(recipe, fitted, rows, words)


def _reached(recipe: Recipe, reached: NDArray[np.bool_]) -> Labels:
    """The label of what reaches the cut-off, and of what does not."""
    other = 0 if recipe.number else 1 - recipe.positive
    return np.where(reached, 1 - other, other).astype(np.int64)


def between(predictions: Rows, cuts: tuple[float, ...]) -> Labels:
    """0 below the first, 2 above the second, 1 between the two, ends included."""
    return (predictions >= cuts[0]).astype(np.int64) + (predictions > cuts[1])


def _predicted(recipe: Recipe, fitted: Any, rows: Rows, words: Words) -> Labels:
    table = as_frame(recipe, rows, words) if "k" in recipe.columns else rows
    found = np.asarray(fitted.predict(table)).ravel()
    return np.searchsorted(LABELS, found.astype(str)) if recipe.texts else found.astype(np.int64)


def _votes(fitted: Any, rows: Rows) -> Rows:
    """What each tree says about each class."""
    trees = getattr(fitted, "estimators_", [fitted])
    return np.array([tree.predict_proba(rows) for tree in trees])


def _majority(votes: Labels, classes: int) -> Labels:
    counts = (votes[:, :, None] == np.arange(classes)).sum(axis=0)
    return counts.argmax(axis=1)


def _in_any_order(recipe: Recipe, votes: Rows, cuts: tuple[float, ...]) -> Labels:
    """The decision if all orders of summation agree on it."""
    found = [_summed(recipe, votes[list(order)], cuts) for order in permutations(range(len(votes)))]
    alike = np.all(np.array(found) == found[0], axis=0)
    return np.where(alike, found[0], UNDECIDED)


def _summed(recipe: Recipe, votes: Rows, cuts: tuple[float, ...]) -> Labels:
    total = np.zeros(votes.shape[1:])
    for vote in votes:
        total += vote
    total /= len(votes)
    return _reached(recipe, total[:, recipe.positive] >= cuts[0]) if cuts else total.argmax(axis=1)


def _looseness(recipe: Recipe, fitted: Any, cuts: tuple[float, ...]) -> Callable[[Rows], NDArray[np.bool_]]:
    """Which rows are so near to a tie that they may count as undecided."""
    if recipe.jobs == 1:
        return lambda rows: np.zeros(len(rows), dtype=bool)

    def near(rows: Rows) -> NDArray[np.bool_]:
        mean = _votes(fitted, rows).mean(axis=0)
        if cuts:
            return np.abs(mean[:, recipe.positive] - cuts[0]) < NEAR
        ordered = np.sort(mean, axis=1)
        return ordered[:, -1] - ordered[:, -2] < NEAR

    return near


def _options(recipe: Recipe, cuts: tuple[float, ...]) -> dict[str, Any]:
    """What the explainer is told."""
    found: dict[str, Any] = recipe.option
    domain = {
        name: x for name, letter in zip(recipe.names, recipe.columns, strict=True) if (x := _declared(letter))
    }
    groups = {
        name: [f"{name}_{word}" for word in WORDS]
        for name, letter in zip(recipe.names, recipe.columns, strict=True)
        if letter == "h"
    }
    if "k" not in recipe.columns:
        found["feature_names"] = recipe.column_names
    found |= {"domain": domain} if domain else {}
    found |= {"groups": groups} if groups else {}
    found |= {"constraints": [state(recipe, one) for one in recipe.constraints]} if recipe.constraints else {}
    found |= {"immutable": [recipe.names[i] for i in recipe.immutable]} if recipe.immutable else {}
    if len(cuts) == 2:
        found["between"] = cuts
    elif cuts:
        found["threshold"] = cuts[0]
        if recipe.texts or recipe.positive == 0:
            found["positive"] = LABELS[recipe.positive] if recipe.texts else recipe.positive
    return found


def _declared(letter: str) -> Any:
    codes = dict(enumerate(WORDS))
    known = {"m": pw.Number(-2.0, 2.0), "w": "whole", "b": "boolean", "c": codes, "o": pw.ordered(codes)}
    return known.get(letter)


def state(recipe: Recipe, constraint: tuple[Any, ...]) -> str:
    """A constraint as the user writes it."""
    if constraint[0] == "order":
        _, lower, upper, constant, strict = constraint
        sign = "-" if constant < 0 else "+"
        return f"{NAMES[lower]} {'<' if strict else '<='} {NAMES[upper]} {sign} {abs(constant)!r}"
    _, i, x, j, y = constraint
    return f"{_condition(recipe, i, x)} -> {_condition(recipe, j, y)}"


def _condition(recipe: Recipe, place: int, value: float) -> str:
    if recipe.columns[place] in "nmw":
        return f"{NAMES[place]} <= {value!r}"
    return f"{NAMES[place]}={value if recipe.columns[place] in 'bi' else WORDS[int(value)]}"


def satisfied(recipe: Recipe, rows: Rows, words: Words | None = None) -> NDArray[np.bool_]:
    """Which rows meet all constraints of a recipe; `words` are those of codes, if they are not the usual ones."""
    found = np.ones(len(rows), dtype=bool)
    for constraint in recipe.constraints:
        if constraint[0] == "order":
            _, lower, upper, constant, strict = constraint
            low, high = rows[:, place_of(recipe, lower)], rows[:, place_of(recipe, upper)] + constant
            found &= np.isnan(low) | np.isnan(high) | ((low < high) if strict else (low <= high))
        else:
            _, i, x, j, y = constraint
            found &= ~_holds(recipe, rows, words, i, x) | _holds(recipe, rows, words, j, y)
    return found


def place_of(recipe: Recipe, feature: int) -> int:
    """The first column of a feature."""
    return sum(3 if letter == "h" else 1 for letter in recipe.columns[:feature])


def _holds(recipe: Recipe, rows: Rows, words: Words | None, feature: int, value: float) -> NDArray[np.bool_]:
    column, letter = place_of(recipe, feature), recipe.columns[feature]
    if letter == "h":
        return rows[:, column + int(value)] == 1
    if letter == "k" and words is not None:
        said = words[NAMES[feature]]
        return np.array([said.get(x) == WORDS[int(value)] for x in rows[:, column].tolist()], dtype=bool)
    return rows[:, column] <= value if letter in "nmw" else rows[:, column] == value
