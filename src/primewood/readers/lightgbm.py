"""Reading LightGBM's classifiers, regressors, boosters and model files.

Everything is read from the text that the library itself writes of a model, in which thresholds and leaves have
all their digits. How LightGBM computes, from its sources and by measurement (3.3 to 4.7):

- Inputs are float64, and a number of at most 1e-35 (as a float32) in size is taken as 0 at once. Therefore a
  threshold within this *zone* of zero lies at one of its ends: which, depends on where 0 goes. (Only in
  sparse rows of the CSR kind are such numbers that are stored compared as they are.)
- A node sends ``x <= threshold`` left. By its *missing type*, NaN goes where 0 does (none); NaN and 0 both
  go to the default side (zero); or NaN alone does (NaN).
- A test of categories casts to int, towards zero, and looks the result up in a set of codes: 2.9 is category 2, and
  −0.9 is category 0. NaN, negative numbers, unseen and huge ones go right.
- A score is the sum of the leaves in the order of the trees, in float64, from 0 on: the average that training
  starts with is in the first tree. A random forest divides it by the number of iterations.
- A classifier with one score says its second class if p > 1 − p, with p the score through the link; one with a
  score per class says the largest after the softmax, the first among equals.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from primewood.ensemble import PREDICTION, Categories, Ensemble, Tree
from primewood.ensemble.link import Link, apply_link, first_float
from primewood.errors import InvalidInput, MissingDependency, UnsupportedModel, format_list
from primewood.readers.quiet import NO_NAMES, ignore_warnings

LINKS: dict[str, Link] = {
    "binary": "logistic",
    "cross_entropy": "logistic",
    "multiclass": "softmax",
    "poisson": "exponential",
    "gamma": "exponential",
    "tweedie": "exponential",
    "regression": "identity",
    "regression_l1": "identity",
    "huber": "identity",
    "fair": "identity",
    "quantile": "identity",
    "mape": "identity",
}
"""Per objective that is read, what turns scores into predictions."""
NOT_READ = {
    "multiclassova": "its probabilities saturate, so classes tie where scores differ; objective='multiclass' is read",
    "cross_entropy_lambda": "there is no link for its predictions; objective='cross_entropy' is read",
    "lambdarank": "a ranker orders rows, it decides nothing about one",
    "rank_xendcg": "a ranker orders rows, it decides nothing about one",
}
"""Per objective that is not supported, why, and what to do."""

VERSIONS = ("v3", "v4")
NUMBERS_IN_HEADER = {
    "num_class",
    "num_tree_per_iteration",
    "label_index",
    "max_feature_idx",
    "monotone_constraints",
    "tree_sizes",
}
OPTIONAL_HEADER = {"objective", "average_output", "monotone_constraints"}
HEADER = {"tree", "version", "feature_names", "feature_infos", *NUMBERS_IN_HEADER, *OPTIONAL_HEADER}
UNUSED_PER_TEST = ("split_gain", "internal_value", "internal_weight", "internal_count")
UNUSED_PER_LEAF = ("leaf_weight", "leaf_count")
PER_TEST = ("split_feature", "threshold", "decision_type", "left_child", "right_child", *UNUSED_PER_TEST)
PER_LEAF = ("leaf_value", *UNUSED_PER_LEAF)
OPTIONAL_FIELDS = {
    "cat_boundaries",
    "cat_threshold",
    "is_linear",
    "shrinkage",
    *UNUSED_PER_TEST,
    *UNUSED_PER_LEAF,
}
FIELDS = {"num_leaves", "num_cat", *PER_TEST, *PER_LEAF, *OPTIONAL_FIELDS}
"""What a tree consists of in the texts of the versions that are read here."""

CATEGORICAL, DEFAULT_LEFT = 1, 2
ZERO, NAN = 1, 2
"""The bits of a test's kind (its decision type), and the missing types, which are its next two bits; 0 is none."""
LAST_KIND = CATEGORICAL + DEFAULT_LEFT + (NAN << 2)
ZONE_END = float(np.float32(1e-35))
ZONE_START = float(np.nextafter(-ZONE_END, -np.inf))
"""Numbers above the start, up to the end, are taken as 0."""
NUMBER = r"-?(?:\d+(?:\.\d*)?(?:e[-+]?\d+)?|inf|nan)"
NUMBERS = re.compile(rf"(?:{NUMBER}(?: {NUMBER})*)?", re.ASCII)
OTHERS = -1.0
"""A code that is in no set of categories: negative ones never are."""
PROBES = 64


@dataclass(frozen=True, slots=True)
class _Nodes:
    """One tree as LightGBM writes it: tests from 0 on, and leaves, as children, from −1 downwards."""

    feature: NDArray[np.int64]
    threshold: NDArray[np.float64]
    kind: NDArray[np.int64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    leaves: NDArray[np.float64]
    codes: Mapping[int, NDArray[np.int64]]
    """Per test of categories, the codes that go left."""


@dataclass(frozen=True)
class _Written:
    """What the text of a model says."""

    names: tuple[str, ...]
    infos: tuple[str, ...]
    objective: str | None
    parts: dict[str, str]
    """The parts of the objective, such as ``sigmoid``."""
    outputs: int
    averaged: bool
    blocks: tuple[str, ...]
    """The text of each tree."""
    categorical: frozenset[int]
    """The columns that training was told to take as categorical."""

    @property
    def iterations(self) -> int:
        """How many trees each score is a sum of."""
        return len(self.blocks) // self.outputs

    @cached_property
    def trees(self) -> tuple[_Nodes, ...]:
        """The trees, in order."""
        return tuple(_nodes(block, i) for i, block in enumerate(self.blocks))


def read(model: Any) -> Ensemble:
    """The ensemble of a fitted LGBMClassifier or LGBMRegressor, or of a Booster. Cost: linear in its nodes.

    It is what ``predict`` uses by default: the iterations up to the best one, if training stopped early. For
    other iterations, pass ``Booster(model_str=booster.model_to_string(num_iteration, start_iteration))``.
    """
    booster = _booster(model)
    written = _written(booster)
    link, slope = _link(booster, written)
    classes = _classes(model, written)
    two = written.outputs == 1 and len(classes) == 2
    width = 1 if two else len(classes)
    places = [i % written.outputs - written.outputs for i in range(len(written.trees))]  # from the end
    return Ensemble(
        trees=tuple(_tree(nodes, place, width) for nodes, place in zip(written.trees, places, strict=True)),
        feature_names=written.names,
        classes=classes,
        operator="<=",
        dtype="float64",
        allows_missing=True,
        vote="mean" if written.averaged else "sum",
        divisor=float(written.iterations) if written.averaged else None,
        categories=_categories(written, booster.pandas_categorical),
        link=link,
        slope=slope,
        cuts=(_cut(link, slope),) if two else (),
        form="dense",  # tiny numbers in sparse rows do not become 0
        largest_integer=2.0**24,  # arrays of integers are cast to float32
        source=f"LightGBM {type(model).__name__}",
    )


def scores_of(model: Any, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The library's own scores before the link, one row per row; divided where `predict` divides them."""
    booster = _booster(model)
    written = _written(booster)
    return _scores(booster, written, rows)


def decisions_of(model: Any, rows: NDArray[np.float64]) -> NDArray[Any]:
    """What the library's own `predict` says: labels, or numbers of a regressor.

    Of a Booster, what an LGBMClassifier would make of it: labels from 0 on.
    """
    booster = _booster(model)
    if model is not booster:
        with ignore_warnings(NO_NAMES):
            return np.asarray(model.predict(rows))
    predicted = np.asarray(booster.predict(rows))
    if not _decides(_written(booster)):
        return predicted
    shares = predicted if predicted.ndim == 2 else np.column_stack([1.0 - predicted, predicted])
    decided: NDArray[Any] = shares.argmax(axis=1)
    return decided


def load(path: str | Path) -> Any:
    """The Booster of a file that `save_model` wrote.

    The text is checked first, because the library trusts it, to the point of reading outside of its memory.
    """
    library, path = _library(), Path(path)
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as problem:
        raise InvalidInput(f"{path.name} cannot be read: {problem}") from None
    except UnicodeDecodeError:
        text = ""
    if not text.startswith("tree\n"):
        raise InvalidInput(f'{path.name} is not a LightGBM model: the first line must be "tree"')
    try:
        _check_file(text)
        booster = library.Booster(model_str=text.rstrip() + "\n")
        frames = booster.pandas_categorical
        if frames is not None and not (isinstance(frames, list) and all(isinstance(x, list) for x in frames)):
            _report_damage("pandas_categorical is not a list of lists")
    except UnsupportedModel as problem:
        raise UnsupportedModel(f"{path.name}: {problem}") from None
    except (ValueError, library.basic.LightGBMError) as problem:
        raise InvalidInput(f"{path.name} cannot be read as a LightGBM model: {problem}") from None
    return booster


def _library() -> Any:
    try:
        import lightgbm
    except ImportError:
        raise MissingDependency(
            "reading LightGBM models needs lightgbm: pip install 'primewood[lightgbm]'"
        ) from None
    return lightgbm


def _booster(model: Any) -> Any:
    """The booster of a model of one of the kinds that are read."""
    library = _library()
    known = (library.LGBMClassifier, library.LGBMRegressor, library.Booster)
    if isinstance(model, type):
        raise UnsupportedModel(f"{model.__name__} is a class; pass a fitted {model.__name__}(...)")
    kind = next((kind for kind in known if isinstance(model, kind)), None)
    name = type(model).__name__
    if kind is None:
        raise UnsupportedModel(
            f"lightgbm.{name} is not supported; pass one of {format_list(k.__name__ for k in known)}"
        )
    methods = ("predict", "predict_proba")
    if any(getattr(type(model), method, None) is not getattr(kind, method, None) for method in methods):
        raise UnsupportedModel(
            f"{name} has a predict of its own; pass a {kind.__name__} (of a Dask model: to_local())"
        )
    if kind is library.Booster:
        return model
    if not hasattr(model, "booster_"):
        raise InvalidInput(f"this {name} is not fitted; call fit first")
    if model.get_params().get("pred_early_stop") not in (None, False):
        raise UnsupportedModel(
            f"this {name} stops adding trees when a score is large (pred_early_stop), so its score is not a sum over "
            "trees; set_params(pred_early_stop=False)"
        )
    return model.booster_


def _written(booster: Any) -> _Written:
    """The text of a booster, as far as its `predict` uses it by default."""
    if not booster.num_trees():
        raise InvalidInput("this Booster has no trees; train it first")
    return _parse(booster.model_to_string(num_iteration=booster.best_iteration))


def _scores(booster: Any, written: _Written, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    added = np.asarray(booster.predict(rows, raw_score=True), dtype=np.float64)
    scores: NDArray[np.float64] = added.reshape(len(rows), -1)
    return scores / written.iterations if written.averaged else scores


def _decides(written: _Written) -> bool:
    """Whether a Booster is a classifier, by its objective; cross-entropy is for numbers from 0 to 1."""
    return written.objective in ("binary", "multiclass")


def _classes(model: Any, written: _Written) -> tuple[object, ...]:
    """The labels of a classifier, or the name of the one number that a regressor predicts."""
    name = type(model).__name__
    if isinstance(model, _library().LGBMClassifier):
        classes = tuple(model.classes_.tolist())
        if len(classes) < 2:
            raise UnsupportedModel(f"this {name} has only one class, so there is nothing to explain")
        if len(classes) != (2 if written.outputs == 1 else written.outputs):
            raise UnsupportedModel(f"this {name} has {len(classes)} classes, but {written.outputs} scores")
        return classes
    if isinstance(model, _library().Booster) and _decides(written):
        return tuple(range(max(written.outputs, 2)))
    if written.outputs != 1:
        raise UnsupportedModel(f"this {name} predicts {written.outputs} numbers per row, a regressor one")
    return (PREDICTION,)


def _link(booster: Any, written: _Written) -> tuple[Link, float]:
    """What turns scores into predictions, and what they are multiplied by before."""
    name, parts = written.objective, dict(written.parts)
    if name is None:
        raise UnsupportedModel(
            "a model with a custom objective is not supported: nothing says what its scores mean"
        )
    if name not in LINKS:
        why = NOT_READ.get(name, f"primewood reads {format_list(LINKS)}")
        raise UnsupportedModel(f"the objective {name} is not supported: {why}")
    slope = parts.pop("sigmoid", None)
    parts.pop("num_class", None)
    if parts:
        raise UnsupportedModel(
            f"the objective {name} with {format_list(parts)} is not supported; without it, it is"
        )
    return LINKS[name], 1.0 if slope is None else _slope(booster, written, slope)


def _slope(booster: Any, written: _Written, rounded: str) -> float:
    """The factor of the sigmoid: a text has six digits of it, but a model that was just trained may have all.

    Which of the two it is shows in what the booster predicts for some rows.
    """
    given = booster.params.get("sigmoid") or rounded
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(PROBES, len(written.names)))
    rows *= 10.0 ** generator.integers(-3, 5, (PROBES, 1))
    scores, predicted = _scores(booster, written, rows), booster.predict(rows)
    fits = [
        slope
        for slope in {_as_parsed(rounded), _as_parsed(f"{given}")}
        if (apply_link(slope * scores, LINKS["binary"])[:, 0] == predicted).all()
    ]
    if len(fits) != 1:
        raise UnsupportedModel(
            f"sigmoid is {rounded} or near it, and more cannot be seen; save and load the model"
        )
    return fits[0]


def _as_parsed(text: str) -> float:
    """The number that LightGBM makes of a text: it adds the parts before and after the point, and rounds both."""
    digits, power = _pair(text, "e")
    whole, fraction = _pair(digits, ".")
    number = _sort_by_digits(whole) + _sort_by_digits(fraction) / 10.0 ** len(fraction)
    exponent = int(power or 0)
    return number / 10.0**-exponent if exponent < 0 else number * 10.0**exponent


def _sort_by_digits(digits: str) -> float:
    total = 0.0
    for digit in digits:
        total = total * 10.0 + int(digit)
    return total


def _cut(link: Link, slope: float) -> float:
    """The least score for which a classifier says its second class."""

    def is_second(score: float) -> bool:
        share = float(apply_link(np.array([[slope * score]]), link)[0, 0])
        return share > 1.0 - share

    return first_float(is_second, "float64")


def _tree(nodes: _Nodes, output: int, width: int) -> Tree:
    """A tree whose leaves add to one of `width` scores: the one at the place `output`.

    A test that sends the zone of zero to one side and numbers on both sides of it to the other is turned
    around: what goes right is a set that begins at a number, and no set needs to begin at minus infinity.
    """
    inner, size = len(nodes.feature), len(nodes.feature) + len(nodes.leaves)
    t, missing = nodes.threshold, (nodes.kind >> 2) & 3
    default_left, categorical = nodes.kind & DEFAULT_LEFT > 0, nodes.kind & CATEGORICAL > 0
    zero_left = np.where(missing == ZERO, default_left, t >= 0)
    torn = ~categorical & np.where(zero_left, t < ZONE_START, t > ZONE_END)
    missing_left = ~categorical & np.where(missing == NAN, default_left, zero_left)
    left, right = (np.where(child < 0, inner + ~child, child) for child in (nodes.left, nodes.right))
    sets = {node: _bounds(codes) for node, codes in nodes.codes.items()}
    sets |= {node: np.sort([t[node], ZONE_START, ZONE_END]) for node in np.flatnonzero(torn).tolist()}
    set_of = np.full(size, -1)
    set_of[list(sets)] = range(len(sets))
    threshold = np.where(zero_left, np.maximum(t, ZONE_END), np.minimum(t, ZONE_START))
    value = np.zeros((size, width))
    value[inner:, output] = nodes.leaves
    return Tree(
        feature=_pad(nodes.feature, size, -1),
        threshold=_pad(np.where(set_of[:inner] < 0, threshold, 0.0), size, 0.0),
        left=_pad(np.where(torn, right, left), size, -1),
        right=_pad(np.where(torn, left, right), size, -1),
        missing_left=_pad(missing_left ^ torn, size, False),
        value=value,
        set_of=set_of if sets else None,
        sets=tuple(sets.values()),
    )


def _pad(tests: NDArray[Any], size: int, filler: float) -> NDArray[Any]:
    """What tests have, followed by what leaves have."""
    whole = np.full(size, filler, dtype=tests.dtype)
    whole[: len(tests)] = tests
    return whole


def _bounds(codes: NDArray[np.int64]) -> NDArray[np.float64]:
    """The set of the numbers that are cast to one of some codes, which ascend: half-open intervals (a, b]."""
    starts = codes[np.diff(codes, prepend=-2) > 1]
    ends = codes[np.diff(codes, append=np.iinfo(np.int64).max) > 1]
    below = np.where(starts == 0, -1.0, np.nextafter(starts.astype(np.float64), -np.inf))
    return np.column_stack([below, np.nextafter(ends + 1.0, -np.inf)]).ravel()


def _categories(written: _Written, frames: Sequence[Sequence[Any]] | None) -> dict[int, Categories]:
    """The categorical columns; their names are codes, or what a frame that the model was trained on had."""
    codes: dict[int, set[int]] = {column: set() for column in written.categorical if frames}
    for column, info in enumerate(written.infos):
        if info[0] in "-0123456789":
            codes.setdefault(column, set()).update(_numbers(info.replace(":", " "), int))
    as_numbers: set[int] = set()
    for nodes in written.trees:
        as_numbers.update(nodes.feature[nodes.kind & CATEGORICAL == 0].tolist())
        for node, left in nodes.codes.items():
            codes.setdefault(int(nodes.feature[node]), set()).update(left.tolist())
    both = sorted(as_numbers & codes.keys())
    if both:
        raise UnsupportedModel(
            f"{format_list(written.names[c] for c in both)}: a category to some trees, or to the training data, and "
            "a number to other trees; train them all alike"
        )
    if frames:
        return _find_frame_names(written, codes, frames)
    return {
        column: Categories({float(code): code for code in sorted(seen) if code >= 0}, OTHERS, complete=False)
        for column, seen in sorted(codes.items())
    }


def _find_frame_names(
    written: _Written, codes: Mapping[int, set[int]], frames: Sequence[Sequence[Any]]
) -> dict[int, Categories]:
    """The categories of pandas columns. A category that is not among them becomes NaN, which goes right as well."""
    columns = sorted(codes)
    matches = len(columns) == len(frames) and all(
        max(codes[column], default=0) < len(names) for column, names in zip(columns, frames, strict=True)
    )
    if not matches:
        raise UnsupportedModel(
            f"the frame had {len(frames)} columns of categories, but {format_list(written.names[c] for c in columns)} "
            "are categorical to the model, so their names are not known: train it on a frame in which these "
            "columns, and no others (no ordered ones), are of the type category"
        )
    return {
        column: Categories({float(code): _plain(name) for code, name in enumerate(names)}, OTHERS)
        for column, names in zip(columns, frames, strict=True)
    }


def _plain(name: Any) -> object:
    return name.item() if isinstance(name, np.generic) else name


def _parse(text: str) -> _Written:
    """What a text says, after a check of all that the library relies on when it loads it."""
    start = text.find("\nTree=") + 1
    if not start or "\0" in text:
        _report_damage("it holds NUL" if start else "it has no trees")
    header = _header(text[:start])
    blocks, rest = _blocks(text, start, _numbers(header["tree_sizes"], int))
    columns = _parameters(rest).get("categorical_feature", "")
    objective, parts = _pair(header.get("objective", ""), " ")
    written = _Written(
        names=tuple(header["feature_names"].split(" ")),
        infos=tuple(header["feature_infos"].split(" ")),
        objective=objective if "objective" in header else None,
        parts=dict(_pair(part, ":") for part in parts.split(" ") if part),
        outputs=_whole(header["num_tree_per_iteration"]),
        averaged="average_output" in header,
        blocks=blocks,
        categorical=frozenset(map(int, columns.split(",") if re.fullmatch(r"[0-9,]*[0-9]", columns) else ())),
    )
    _check_counts(written, header)
    return written


def _check_file(text: str) -> None:
    """Raise if the library would stumble over a text: where it expects a number, another word ends the process."""
    written = _parse(text)
    if not re.search(r"\nend of parameters\s*(pandas_categorical:.*)?\s*\Z", text):
        _report_damage("it is cut short")
    if written.objective is not None and written.objective not in {*LINKS, *NOT_READ}:
        _report_damage(f"there is no objective {written.objective!r}")
    if not all(NUMBERS.fullmatch(value) for value in written.parts.values()):
        _report_damage("the objective's parameters are not numbers")
    for i, block in enumerate(written.blocks):
        for line in block.rstrip("\n").split("\n"):
            key, value = _pair(line)
            if not NUMBERS.fullmatch(value):
                _report_damage(f"{key} of tree {i} holds something that is not a number")
    for nodes in written.trees:
        _tree(nodes, 0, 1).check(len(written.names))


def _parameters(text: str) -> dict[str, str]:
    """What a model was trained with, if the text of it says so: lines such as ``[learning_rate: 0.1]``."""
    _, begins, after = text.partition("\nparameters:\n")
    inside, ends, _ = after.partition("\nend of parameters")
    lines = [line for line in inside.split("\n") if line]
    if (begins and not ends) or not all(re.fullmatch(r"\[[a-z0-9_]+: .*\]", line) for line in lines):
        _report_damage("its parameters are cut short or not clear")
    return dict(_pair(line[1:-1], ": ") for line in lines)


def _header(text: str) -> dict[str, str]:
    header = dict(_pair(line) for line in text.split("\n") if line)
    _check_keys(header, HEADER, OPTIONAL_HEADER, "the header")
    if header["version"] not in VERSIONS:
        raise UnsupportedModel(
            f"LightGBM's version {header['version']} of texts is not supported; {format_list(VERSIONS)} are"
        )
    for key in NUMBERS_IN_HEADER & header.keys():
        if not NUMBERS.fullmatch(header[key]):
            _report_damage(f"{key} is not a number")
    return header


def _check_counts(written: _Written, header: Mapping[str, str]) -> None:
    """Raise if columns, classes or trees are not as many as the library takes them to be."""
    columns = {_whole(header["max_feature_idx"]) + 1, len(written.names), len(written.infos)}
    if len(columns) > 1 or not all(written.infos):
        _report_damage("the number of columns is not clear")
    classes = {written.outputs, _whole(header["num_class"])}
    if "num_class" in written.parts:
        classes.add(_whole(written.parts["num_class"]))
    if len(classes) > 1 or written.outputs < 1:
        _report_damage("the number of classes is not clear")
    if not written.blocks or len(written.blocks) % written.outputs:
        _report_damage("the number of trees is not clear")


def _blocks(text: str, start: int, sizes: Sequence[int]) -> tuple[tuple[str, ...], str]:
    """The text of each tree, and the rest after them."""
    blocks = []
    for i, size in enumerate(sizes):
        block = text[start : start + size]
        if size < 1 or not block.startswith(f"Tree={i}\n") or not block.endswith("\n") or not block.isascii():
            _report_damage(f"tree {i} is not where it should be, or is cut short")
        blocks.append(block)
        start += size
    if not text.startswith("end of trees\n", start):
        _report_damage("the end of the trees is not where it should be")
    return tuple(blocks), text[start:]


def _nodes(block: str, number: int) -> _Nodes:
    """One tree of a text, with its arrays as long as the library takes them to be."""
    fields = dict(_pair(line) for line in block.rstrip("\n").split("\n")[1:])
    if fields.get("is_linear", "0") != "0":
        raise UnsupportedModel("linear trees have no fixed value in a leaf; linear_tree=False is read")
    _check_keys(fields, FIELDS, OPTIONAL_FIELDS, f"tree {number}")
    leaves = _whole(fields["num_leaves"])
    sizes = {**dict.fromkeys(PER_TEST, leaves - 1), **dict.fromkeys(PER_LEAF, leaves)}
    used = ("leaf_value",) if leaves == 1 else sizes
    if leaves < 1 or any(_count(fields[key]) != sizes[key] for key in used if key in fields):
        _report_damage(f"tree {number} has arrays of another length than its {leaves} leaves need")
    feature, kind, left, right = (
        _integers(fields[key]) for key in ("split_feature", "decision_type", "left_child", "right_child")
    )
    threshold, values = (np.array(_numbers(fields[key], float)) for key in ("threshold", "leaf_value"))
    if ((kind < 0) | (kind > LAST_KIND)).any():
        raise UnsupportedModel(f"tree {number} has tests of a kind that primewood does not know")
    if np.maximum(left, right).max(initial=0) > max(0, leaves - 2):
        _report_damage(f"tree {number} has tests that lead nowhere")
    return _Nodes(feature, threshold, kind, left, right, values, _codes(fields, threshold, kind, number))


def _codes(
    fields: Mapping[str, str], threshold: NDArray[np.float64], kind: NDArray[np.int64], number: int
) -> dict[int, NDArray[np.int64]]:
    """Per test of categories, the codes that go left: its threshold says which of the tree's sets of bits."""
    tests = np.flatnonzero(kind & CATEGORICAL).tolist()
    n_sets = _whole(fields["num_cat"])
    if not n_sets and not tests:
        return {}
    bounds = _integers(fields.get("cat_boundaries", ""))
    words = _numbers(fields.get("cat_threshold", ""), int)
    sound = (
        n_sets > 0
        and len(bounds) == n_sets + 1
        and bounds[0] == 0
        and bounds[-1] == len(words)
        and (np.diff(bounds) >= 0).all()
        and all(0 <= word < 2**32 for word in words)
        and {*threshold[tests].tolist()} <= {*range(n_sets)}
    )
    if not sound:
        _report_damage(f"the categories of tree {number} are not clear")
    bits = np.unpackbits(np.array(words, dtype="<u4").view(np.uint8), bitorder="little")
    return {
        test: np.flatnonzero(bits[32 * bounds[i] : 32 * bounds[i + 1]])
        for test, i in zip(tests, threshold[tests].astype(np.int64).tolist(), strict=True)
    }


def _pair(text: str, mark: str = "=") -> tuple[str, str]:
    key, _, value = text.partition(mark)
    return key, value


def _check_keys(found: Mapping[str, str], known: set[str], optional: set[str], where: str) -> None:
    absent = sorted(known - optional - found.keys())
    if absent:
        _report_damage(f"{where} is missing {format_list(absent)}")
    unknown = sorted(found.keys() - known)
    if unknown:
        raise UnsupportedModel(
            f"{where} holds {format_list(unknown)}, which primewood does not know; it is not guessed at"
        )


def _count(numbers: str) -> int:
    return numbers.count(" ") + 1 if numbers else 0


def _numbers(text: str, kind: type[Any]) -> list[Any]:
    try:
        return list(map(kind, text.split(" "))) if text else []
    except ValueError:
        _report_damage(f"{text[:40]!r} are not numbers")


def _integers(text: str) -> NDArray[np.int64]:
    try:
        return np.array(_numbers(text, int), dtype=np.int64)
    except OverflowError:
        _report_damage(f"{text[:40]!r} are too large")


def _whole(text: str) -> int:
    numbers: list[int] = _numbers(text, int)
    return numbers[0] if len(numbers) == 1 else _report_damage(f"{text[:40]!r} is not a number")


def _report_damage(what: str) -> NoReturn:
    raise InvalidInput(f"the model's text is damaged: {what}")
