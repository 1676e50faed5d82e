"""A tree ensemble with everything that its decisions depend on, and the reference `predict`."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, get_args
from typing import Literal as Choice

import numpy as np
from numpy.typing import NDArray

from primewood.ensemble.comparison import InputType, Operator, cuts_of
from primewood.ensemble.link import Link, Precision, apply_link, cut_at, first_float
from primewood.ensemble.tree import LEAF, Tree, round_rows
from primewood.errors import InvalidInput, quote_value
from primewood.fields import FieldCheck, flag, items, of_type, one_of, optional, real, several, text, wrong

Vote = Choice["majority", "mean", "sum"]
Form = Choice["any", "dense", "float64"]
PREDICTION = "prediction"
"""The only class of a regressor."""


@dataclass(frozen=True, slots=True)
class Group:
    """Trees that count together: their mean, times a weight, as a forest counts in a vote of several models.

    Attributes
    ----------
    size : int
        How many trees, the next ones in the ensemble's order.
    weight : float

    Examples
    --------
    >>> from primewood import Group
    >>> Group(size=100, weight=0.5)
    Group(size=100, weight=0.5)
    """

    size: int
    weight: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class ThresholdTests:
    """The tests of thresholds of all trees, sorted by column.

    Attributes
    ----------
    node : array of int
        The node of each test; the trees' nodes are counted one tree after the other.
    threshold, cut : arrays of float
        What it compares with, and the cut for the float64 numbers that users pass in.
    bounds : array of int
        Where each column's tests begin, and after the last one where they end.
    """

    node: NDArray[np.int64]
    threshold: NDArray[np.float64]
    cut: NDArray[np.float64]
    bounds: NDArray[np.int64]

    @property
    def columns(self) -> list[tuple[int, slice]]:
        """The columns that are tested, with the places of their tests."""
        ends = enumerate(pairwise(self.bounds.tolist()))
        return [(column, slice(low, high)) for column, (low, high) in ends if low < high]


@dataclass(frozen=True, slots=True)
class Level:
    """A bound that a prediction reaches if it is at least the value, or above it if `strictly`.

    Examples
    --------
    >>> from primewood import Level
    >>> Level(100.0, strictly=True)
    Level(value=100.0, strictly=True)
    """

    value: float
    strictly: bool = False


@dataclass(frozen=True, slots=True)
class Cutoff:
    """The number at which two classes part: class `positive` is decided iff its probability is at least `value`.

    Attributes
    ----------
    value : float
    positive : int
        Which of the two classes, by its place in `classes`.
    of : {"probability", "score"}
        What is compared: the probability, or the score before the link, which is negated for the first class.
    """

    value: float
    positive: int
    of: Choice["probability", "score"] = "probability"


@dataclass(frozen=True, slots=True)
class Categories:
    """The meaning of the numbers in a categorical column.

    Attributes
    ----------
    names : mapping from numbers to names
    others : float, optional
        A number that stands for all other categories, where the model accepts such.
    by_text : bool
        Whether 2 and "2" are the same category.
    missing_as : {"either", "nan", "none"}
        What counts as missing; the other of NaN and None is then something else to the model.
    complete : bool
        Whether these are all categories that the model was trained on; False if only those that it tests are known.

    Examples
    --------
    >>> from primewood import Categories
    >>> Categories({0.0: "red", 1.0: "green"}).names[1.0]
    'green'
    """

    names: Mapping[float, object]
    others: float | None = None
    by_text: bool = False
    missing_as: Choice["either", "nan", "none"] = "either"
    complete: bool = True


def _label(value: object, place: str) -> object:
    """A class or the name of a category: what can be compared, and written if it is text."""
    return text(value, place) if isinstance(value, str) else of_type(Hashable, "a label")(value, place)


def _categories(value: Any, place: str) -> None:
    for column, one in of_type(Mapping, "a mapping from columns to Categories")(value, place).items():
        names = of_type(Categories, "Categories")(one, f"{place}[{column}]").names
        items(_label)(list(of_type(Mapping, "a mapping")(names, "names").values()), "names")


CHECKS: dict[str, FieldCheck[Any]] = {
    "trees": items(of_type(Tree, "a Tree")),
    "feature_names": items(text),
    "classes": items(_label),
    "operator": one_of(get_args(Operator)),
    "dtype": one_of(get_args(InputType)),
    "allows_missing": flag,
    "never_missing": several,
    "vote": one_of(get_args(Vote)),
    "groups": items(of_type(Group, "a Group")),
    "divisor": optional(real),
    "start": items(real),
    "precision": one_of(get_args(Precision)),
    "link": one_of(get_args(Link)),
    "slope": real,
    "cuts": items(real),
    "levels": items(of_type(Level, "a Level")),
    "any_order": flag,
    "categories": _categories,
    "form": one_of(get_args(Form)),
    "largest_integer": real,
    "source": text,
}
"""How the fields of an ensemble are checked."""


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Trees that vote, with everything that their decision depends on.

    The leaves add up to scores. Without `cuts`, there is one score per class, the largest wins after the
    `link`, and ties go to the class that comes first in `classes`. With cuts, there is one score, and
    the class is the number of cuts that it reaches.

    Attributes
    ----------
    trees : tuple of Tree
    feature_names : tuple of str
        One name per column.
    classes : tuple
        The labels, in the order of the scores or between the cuts.
    operator : {"<=", "<"}
        The test that sends an input left.
    dtype : {"float32", "float64"}
        What an input is cast to before it is compared.
    allows_missing : bool
        Whether the model accepts NaN.
    never_missing : frozenset of int
        The columns in which it does not, though it does in others.
    vote : {"majority", "mean", "sum"}
        "majority": each tree one vote, for the largest value of its leaf (the first among equals).
        "mean": the leaves' values, added in the order of the trees and divided by their number, which is how
        scikit-learn's forests vote. "sum": added to `start`, which is how boosted trees vote.
    groups : tuple of Group
        Under "mean", what is averaged, if not simply the trees one by one.
    divisor : float, optional
        Under "mean", what sums are divided by in the end; by default the number of groups.
    start : tuple of float
        Under "sum", what each score begins with; by default 0.
    precision : {"float64", "float32"}
        What a sum is rounded to after each addition.
    link : Link
        What turns scores into what the library compares; see `primewood.ensemble.link`.
    slope : float
        What a score is multiplied by before the link; of a model with cuts.
    cuts : tuple of float
        Ascending; numbers of the given precision, before the link.
    cutoff : Cutoff, optional
        What the only cut says about the probability of a class, where that is not the model's own rule. If it is about
        the first class, a model that averages has the negated probability of that class for its score.
    levels : tuple of Level
        What the cuts say about the prediction of a regressor.
    any_order : bool
        Whether the order in which the model adds its scores is not fixed.
    categories : mapping from columns to Categories
        The columns that are categorical to the model.
    form : {"any", "dense", "float64"}
        What rows must be for the reading to hold: "dense" if the model takes the cells that a sparse matrix leaves
        out, or its zeros, for something else; "float64" if, besides, it computes in float32 with rows of that type.
    largest_integer : float
        Integers beyond this, in arrays of integers, are rounded by the library before it compares them.
    source : str
        What was read, for people.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from primewood import read
    >>> X, y = load_iris(return_X_y=True)
    >>> ensemble = read(RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y))
    >>> ensemble
    <Ensemble of scikit-learn RandomForestClassifier: 5 trees, 4 columns, classes 0, 1, 2>
    >>> ensemble.vote, ensemble.operator, ensemble.dtype
    ('mean', '<=', 'float32')
    >>> ensemble.predict(X[[0, 50, 100]])
    array([0, 1, 2])
    """

    trees: tuple[Tree, ...]
    feature_names: tuple[str, ...]
    classes: tuple[object, ...]
    operator: Operator = "<="
    dtype: InputType = "float64"
    allows_missing: bool = False
    never_missing: frozenset[int] = frozenset()
    vote: Vote = "majority"
    groups: tuple[Group, ...] = ()
    divisor: float | None = None
    start: tuple[float, ...] = ()
    precision: Precision = "float64"
    link: Link = "identity"
    slope: float = 1.0
    cuts: tuple[float, ...] = ()
    cutoff: Cutoff | None = None
    levels: tuple[Level, ...] = ()
    any_order: bool = False
    categories: Mapping[int, Categories] = field(default_factory=dict)
    form: Form = "any"
    largest_integer: float = 2.0**53
    source: str = "trees"

    def __repr__(self) -> str:
        classes = ", ".join(str(label) for label in self.classes[:5]) + (
            ", ..." if len(self.classes) > 5 else ""
        )
        size = f"{len(self.trees)} trees, {self.n_features} columns"
        return f"<Ensemble of {self.source}: {size}, classes {classes}>"

    def __post_init__(self) -> None:
        for name, check in CHECKS.items():
            check(getattr(self, name), name)
        if not self.trees:
            raise InvalidInput("an ensemble needs at least one tree")
        self._check_sums()
        if len(set(self.classes)) < len(self.classes):
            raise InvalidInput("class labels must differ")
        if len(set(self.feature_names)) < len(self.feature_names):
            raise InvalidInput("feature names must differ")
        if any(column not in range(self.n_features) for column in (*self.categories, *self.never_missing)):
            raise InvalidInput("categories or never_missing name a column that does not exist")
        for tree in self.trees:
            tree.check(len(self.feature_names))
            if tree.value.shape[1] != self.n_outputs:
                what = "one score" if self.cuts else f"{len(self.classes)} classes"
                raise InvalidInput(f"a leaf has {tree.value.shape[1]} values; there are {what}")

    def _check_sums(self) -> None:
        if self.groups and sum(group.size for group in self.groups) != len(self.trees):
            raise InvalidInput("the groups must hold every tree once")
        if any(group.size < 1 or not 0 <= group.weight < np.inf for group in self.groups) or (
            self.groups and not any(group.weight > 0 for group in self.groups)
        ):
            raise InvalidInput("a group has at least one tree, and a weight of at least 0, not all of them 0")
        if self.divisor is not None and not 0 < self.divisor < np.inf:
            raise InvalidInput(f"the divisor must be a number above 0, not {quote_value(self.divisor)}")
        if self.vote != "mean" and (self.groups or self.divisor is not None):
            raise InvalidInput('groups and a divisor are for vote="mean"')
        if self.vote != "sum" and (self.start or self.precision != "float64"):
            raise InvalidInput('start and precision are for vote="sum"')
        if self.start and (len(self.start) != self.n_outputs or not np.isfinite(self.start).all()):
            raise InvalidInput("start is one number per score")
        if self.n_outputs > 1 and self.link not in ("identity", "softmax", "softmax32"):
            raise InvalidInput(
                f"scores of several classes are compared as they are, or by softmax, not by {self.link}"
            )
        if self.precision == "float32":
            numbers = [np.array(self.start, dtype=np.float64), *(tree.value for tree in self.trees)]
            if any((x.astype(np.float32) != x).any() for x in numbers):
                raise InvalidInput("sums in float32 are of float32 numbers: start and leaves must be such")
        if not 0 < self.slope < np.inf or (self.slope != 1 and self.n_outputs > 1):
            raise InvalidInput(
                f"a slope must be a number above 0, for one score, not {quote_value(self.slope)}"
            )
        if self.cuts and (
            len(self.classes) != len(self.cuts) + 1
            or any(not a < b for a, b in pairwise((-np.inf, *self.cuts, np.inf)))
        ):
            raise InvalidInput("cuts ascend, are finite, and are one fewer than the classes")

    @property
    def n_outputs(self) -> int:
        """How many scores there are."""
        return 1 if self.cuts else len(self.classes)

    @property
    def n_features(self) -> int:
        """How many columns a row has."""
        return len(self.feature_names)

    @property
    def summands(self) -> tuple[Group, ...]:
        """What is added up: groups of trees, each tree by itself if nothing else is said."""
        by_itself = tuple(Group(1) for _ in self.trees)
        return by_itself if self.vote == "majority" or not self.groups else self.groups

    @cached_property
    def leaf_values(self) -> tuple[NDArray[np.float64], ...]:
        """Per tree, what each of its nodes adds to the scores if it is a leaf.

        The weight of a tree that is a group by itself is in it, multiplied as the library does.
        """
        weights = [g.weight if g.size == 1 else 1.0 for g in self.summands for _ in range(g.size)]
        return tuple(
            one_vote(tree) if self.vote == "majority" else tree.value * weight
            for tree, weight in zip(self.trees, weights, strict=True)
        )

    @property
    def total_divisor(self) -> float:
        """What sums are divided by in the end."""
        return 1.0 if self.vote == "sum" else self.divisor or len(self.summands)

    def scores(self, X: Sequence[Sequence[float]] | NDArray[np.float64]) -> NDArray[np.float64]:
        """The scores before the link, one row per row of X: summed and divided as the library does."""
        try:
            rows = np.asarray(X, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise wrong("X", "a table of numbers", X) from None
        if rows.ndim != 2 or rows.shape[1] != self.n_features:
            raise InvalidInput(f"rows have {self.n_features} columns; got an array of {rows.shape}")
        rows = round_rows(rows, self.dtype)
        leaves = (tree.descend(rows, self.operator) for tree in self.trees)
        return self.scores_at(leaves, len(rows))

    def scores_at(self, leaves: Iterable[NDArray[np.int64]], count: int) -> NDArray[np.float64]:
        """The scores of some rows by the leaves that they end in: tree after tree, one leaf per row."""
        total = np.zeros((count, self.n_outputs), dtype=self.precision)
        total += np.array(self.start or 0.0, dtype=self.precision)
        trees = zip(leaves, self.leaf_values, strict=True)
        for group in self.summands:
            part = np.zeros_like(total)
            for reached, values in islice(trees, group.size):
                part += values[reached].astype(self.precision)
            total += part if group.size == 1 else part / group.size * group.weight
        return total.astype(np.float64) / self.total_divisor

    def predict_proba(self, X: Sequence[Sequence[float]] | NDArray[np.float64]) -> NDArray[np.float64]:
        """The scores through the link, one row per row of X, as the library has them.

        With cuts it is one column: the probability of the last class, or what a regressor predicts.
        """
        return apply_link(self.slope * self.scores(X), self.link)

    def votes(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        """How many trees vote for each class by majority, one row per row of X."""
        counted = self.use_majority().scores(X) * len(self.trees)
        return np.rint(counted).astype(np.int64)

    @property
    def is_plain(self) -> bool:
        """Whether a decision is a count of votes, one per tree, which is what expressions can say."""
        return self.vote == "majority" or len(self.trees) == 1

    @property
    def is_regressor(self) -> bool:
        """Whether the model predicts a number and decides nothing by itself."""
        return self.classes == (PREDICTION,)

    @property
    def predicts_number(self) -> bool:
        """Whether the model predicts a number, whatever the decision rule."""
        return self.is_regressor or bool(self.levels)

    def use_majority(self) -> Ensemble:
        """The same trees under the paper's vote: each tree one."""
        if self.vote == "sum" or self.cuts:
            raise InvalidInput(
                f"the trees of this {self.source} have no votes to count: they add up to a score"
            )
        return replace(self, vote="majority", groups=(), divisor=None)

    def decide(self, scores: NDArray[np.float64]) -> NDArray[np.int64]:
        """The index of the class that each row of scores gets."""
        if self.cuts:
            return np.searchsorted(self.cuts, scores[:, 0], side="right").astype(np.int64)
        winners: NDArray[np.int64] = apply_link(scores, self.link).argmax(axis=1)
        return winners

    def predict(self, X: Sequence[Sequence[float]] | NDArray[np.float64]) -> NDArray[np.int64]:
        """The index of the class that each row gets: the reference that every test trusts."""
        return self.decide(self.scores(X))

    def leaf_classes(self, tree: Tree) -> NDArray[np.int64]:
        """The class that each node of a tree votes for, or, of a tree that is alone, decides for."""
        if self.vote == "majority":
            return np.asarray(tree.value.argmax(axis=1), dtype=np.int64)
        (alone,) = self.summands
        start = np.array(self.start or 0.0, dtype=self.precision)
        values = (tree.value * alone.weight).astype(self.precision)
        return self.decide((start + values).astype(np.float64) / self.total_divisor)

    @cached_property
    def threshold_tests(self) -> ThresholdTests:
        """What the trees compare columns with, tests of sets aside. Cost: one sort of the nodes."""
        feature = np.concatenate([np.where(tree.tests_sets, LEAF, tree.feature) for tree in self.trees])
        tests = np.flatnonzero(feature != LEAF)
        node = tests[np.argsort(feature[tests], kind="stable")]
        threshold = np.concatenate([tree.threshold for tree in self.trees])[node]
        bounds = np.searchsorted(feature[node], np.arange(self.n_features + 1))
        return ThresholdTests(node, threshold, cuts_of(threshold, self.operator, self.dtype), bounds)

    @cached_property
    def digest(self) -> str:
        """What tells this ensemble from any other: 16 hexadecimal digits."""
        from primewood.ensemble.file import digest_of

        return digest_of(self)

    @cached_property
    def file_digest(self) -> str:
        """The SHA-256 of the file that `save` writes; certificates name it. Cost: writing the file, to memory."""
        from primewood.ensemble.file import bytes_of

        return hashlib.sha256(bytes_of(self)).hexdigest()

    def save(self, path: str | Path) -> None:
        """Write the ensemble to a JSON file that `primewood.load` reads, every float exactly as it is."""
        from primewood.ensemble.file import save_ensemble

        save_ensemble(self, path)

    def cut_at_levels(self, levels: Sequence[Level], classes: Sequence[object]) -> Ensemble:
        """The same model deciding by how many levels its prediction reaches: one more class than levels.

        The prediction is what the library gives for the only score, or of two classes the probability of the second.
        """
        self._check_has_probability()
        trees = self.trees
        if self.n_outputs == 2:
            trees = tuple(replace(tree, value=tree.value[:, 1:].copy()) for tree in trees)
        cuts = [
            cut_at(x.value, self.link, self.precision, slope=self.slope, strictly=x.strictly) for x in levels
        ]
        cuts = _finite(cuts, self.precision)
        return replace(
            self, trees=trees, cuts=tuple(cuts), classes=tuple(classes), levels=tuple(levels), cutoff=None
        )

    def cut_at_probability(self, value: float, positive: int) -> Ensemble:
        """The same model of two classes deciding for one of them iff the library's probability of it reaches a value.

        The probability of the second class is what `cut_at_levels` compares. That of the first is a sum of its own in a
        model that averages: the score is then that sum, negated. In all others it is 1 minus that of the second,
        rounded as the library does.
        """
        cutoff = Cutoff(float(value), positive)
        if positive == 1:
            found = self.cut_at_levels([Level(cutoff.value)], self.classes)
            return replace(found, cutoff=cutoff, levels=())
        self._check_has_probability()
        trees = self.trees
        if self.n_outputs == 2:
            trees = tuple(replace(tree, value=-tree.value[:, :1]) for tree in trees)
            cut = cut_at(-cutoff.value, "identity", self.precision, strictly=True)
        else:
            cut = first_float(lambda score: self.complement(score) < cutoff.value, self.precision)
        return replace(self, trees=trees, cuts=tuple(_finite([cut], self.precision)), cutoff=cutoff)

    def cut_at_score(self, value: float, positive: int) -> Ensemble:
        """The same model of one score and two classes deciding for one of them iff its score reaches a value.

        The score of the second class is that of the model; that of the first is the same, negated.
        """
        if self.n_outputs != 1 or len(self.classes) != 2:
            raise InvalidInput(
                f"a cut-off on the score needs one score and two classes; this {self.source} has others"
            )
        cut = cut_at(value if positive else -value, "identity", self.precision, strictly=not positive)
        cuts = tuple(_finite([cut], self.precision))
        return replace(self, cuts=cuts, cutoff=Cutoff(float(value), positive, "score"))

    def complement(self, score: float) -> float:
        """Of a model with one score and two classes, the probability of the first class, as the library rounds it."""
        second = apply_link(self.slope * np.array([[score]]), self.link)[0, 0]
        number = np.float32 if self.link.endswith("32") else np.float64
        return float(number(1) - number(second))

    def _check_has_probability(self) -> None:
        """Raise unless there is one score, or two classes whose shares add up."""
        if self.vote == "majority" or self.n_outputs > 2 or (self.n_outputs == 2 and self.vote != "mean"):
            raise InvalidInput(
                "a cut-off needs a model with probabilities of two classes, or a regressor; "
                f"this {self.source} has none"
            )

    @cached_property
    def importance(self) -> NDArray[np.float64]:
        """How much of the trees each column decides: a test at depth d counts 2^−d."""
        weight = np.zeros(self.n_features)
        for tree in self.trees:
            inner = ~tree.is_leaf
            np.add.at(weight, tree.feature[inner], 0.5 ** tree.depths[inner])
        return weight


def one_vote(tree: Tree) -> NDArray[np.float64]:
    """The values of a tree that gives one vote to the largest class of a leaf, the first among equals."""
    votes = np.zeros_like(tree.value)
    votes[np.arange(len(tree)), tree.value.argmax(axis=1)] = 1.0
    return votes


def _finite(cuts: list[float], precision: Precision) -> list[float]:
    """Cuts as finite floats: a cut that every score reaches becomes very low, one that none reaches very high."""
    farthest = [np.finfo(precision).max]
    for _ in cuts:
        farthest.append(np.nextafter(farthest[-1], farthest[-1] * 0))
    always, never = cuts.count(-np.inf), cuts.count(np.inf)
    between = [cut for cut in cuts if np.isfinite(cut)]
    low, high = [-float(x) for x in farthest[:always]], [float(x) for x in farthest[:never]]
    return [*low, *between, *reversed(high)]
