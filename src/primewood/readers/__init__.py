"""Readers: a fitted model of some library becomes an `Ensemble`.

One file per library, imported only when such a model comes. Each has `read`; `scores_of`, the library's own scores, and
`decisions_of`, what its `predict` says, to compare a reading with; and `load` where the library has files of its own.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primewood.ensemble import Categories, Ensemble
from primewood.ensemble.file import FORMAT, load_ensemble
from primewood.errors import InvalidInput, MissingDependency, PrimewoodError, UnsupportedModel, first_line
from primewood.fields import file_path
from primewood.files import read_json

__all__ = ["decisions_of", "load_model", "read", "scores_of"]

LIBRARIES = ("xgboost", "lightgbm", "catboost")
KNOWN = (
    "scikit-learn's decision trees, random forests, extra trees, bagging, voting, GradientBoosting and "
    "HistGradientBoosting, and models of XGBoost, LightGBM and CatBoost; alone, in a Pipeline, or in a search such as "
    "GridSearchCV"
)
"""The models that are read, for messages."""
TRUSTED = (
    "sklearn.tree._tree.Tree",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.utils._bunch.Bunch",
    "sklearn.utils.validation.check_array",
    "functools.partial",
    "numpy.dtype",
)
"""What skops does not trust by itself in models of scikit-learn: arrays, which are checked before anything walks them,
and functions, whose parts skops checks."""
UNEXPECTED = (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError)
"""Errors that come from a model whose parts are not as its library makes them."""
PICKLES = (".pkl", ".pickle", ".joblib")
LIBRARY_OF = {".ubj": "xgboost", ".txt": "lightgbm", ".cbm": "catboost"}


def read(model: Any, data: Any = None, *, trust_pickle: bool = False) -> Ensemble:
    """Read a fitted model or a model file as an `Ensemble`.

    Cost: linear in the nodes of the trees.

    Parameters
    ----------
    model
        A fitted model, a wrapper around one that only passes rows on (`GridSearchCV` and other searches,
        `FrozenEstimator`), one that decides at a cut-off of its own (`FixedThresholdClassifier`,
        `TunedThresholdClassifierCV`), or a path; see `load_model`. An `Ensemble` is returned unchanged.
    data
        Training rows. Only CatBoost models with categories need them, because they keep no names.
    trust_pickle
        Whether a path may be a pickle or joblib file. Loading one runs code that is in the file: allow it only for
        files of your own.

    Returns
    -------
    Ensemble
        The trees, and everything else that the decision depends on.

    Raises
    ------
    UnsupportedModel
        If the model is not supported, or cannot be read exactly.
    InvalidInput
        If the model is not fitted, there is no such file, or the file cannot be read.
    MissingDependency
        If reading needs a package that is not installed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from primewood import read
    >>> X, y = load_iris(return_X_y=True)
    >>> read(DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y))
    <Ensemble of scikit-learn DecisionTreeClassifier: 1 trees, 4 columns, classes 0, 1, 2>
    """
    if isinstance(model, str | Path):
        model = load_model(model, trust_pickle=trust_pickle)
    if isinstance(model, Ensemble):
        return model
    try:
        return _read(_unwrap(model), data)
    except PrimewoodError:
        raise
    except UNEXPECTED as problem:
        raise UnsupportedModel(
            f"this {type(model).__name__} is damaged, or laid out as in no version of its library that is known "
            f"({type(problem).__name__}: {first_line(problem)})"
        ) from problem


def _read(model: Any, data: Any) -> Ensemble:
    reader = _reader(model)
    ensemble: Ensemble = reader.read(model, data) if _keeps_no_names(reader) else reader.read(model)
    return ensemble


def scores_of(
    model: Any, rows: NDArray[np.float64], categories: Mapping[int, Categories] | None = None
) -> NDArray[np.float64] | None:
    """The library's own scores before any link, one row per row; None for a model that has none.

    `categories` are those of the ensemble, which tell what the codes in the rows stand for.
    """
    if isinstance(model, Ensemble):
        return model.scores(rows)
    model = _unwrap(model)
    reader = _reader(model)
    more = [categories or {}] if _keeps_no_names(reader) else []
    scores: NDArray[np.float64] | None = reader.scores_of(model, rows, *more)
    return scores


def decisions_of(
    model: Any, rows: NDArray[np.float64], categories: Mapping[int, Categories] | None = None
) -> NDArray[Any]:
    """What the model's own `predict` says, added in the order of its trees; see `scores_of`."""
    if isinstance(model, Ensemble):
        return np.array([*model.classes, None], dtype=object)[model.predict(rows)]
    model = _unwrap(model)
    reader = _reader(model)
    more = [categories or {}] if _keeps_no_names(reader) else []
    return np.asarray(reader.decisions_of(model, rows, *more))


def decode_categories(
    model: Any, rows: NDArray[np.float64], categories: Mapping[int, Categories] | None = None
) -> Any:
    """Rows as the model's own methods take them: with names instead of codes where it needs names; see `scores_of`."""
    model = _unwrap(model)
    reader = _reader(model)
    if not hasattr(reader, "decode_categories"):
        return rows
    more = [categories or {}] if _keeps_no_names(reader) else []
    return reader.decode_categories(model, rows, *more)


def _keeps_no_names(reader: Any) -> bool:
    """Whether models keep hashes of categories only, so that their names must be given."""
    return bool(getattr(reader, "KEEPS_NO_NAMES", False))


def _libraries(model: Any) -> set[str]:
    """The packages that the class of a model, or a class itself, comes from."""
    kind = model if isinstance(model, type) else type(model)
    return {base.__module__.partition(".")[0] for base in kind.__mro__}


def _unwrap(model: Any) -> Any:
    """The model that a wrapper of scikit-learn passes its rows on to; any other model as it is."""
    if "sklearn" not in _libraries(model):
        return model
    from primewood.readers.wrappers import unwrap

    return unwrap(model)


def _reader(model: Any) -> Any:
    """The module that reads a model."""
    libraries = _libraries(model)
    for library in LIBRARIES:
        if library in libraries:
            return importlib.import_module(f"primewood.readers.{library}")
    if "sklearn" not in libraries:
        kind = model if isinstance(model, type) else type(model)
        raise UnsupportedModel(
            f"{kind.__module__}.{kind.__name__} is not supported; primewood explains {KNOWN}"
        )
    from sklearn.pipeline import Pipeline

    from primewood.readers import scikit_learn, scikit_learn_scores, wrappers

    if isinstance(model, Pipeline):
        return importlib.import_module("primewood.readers.pipeline")
    if wrappers.has_cutoff(model):
        return importlib.import_module("primewood.readers.cutoffs")
    return scikit_learn_scores if isinstance(model, scikit_learn_scores.KNOWN) else scikit_learn


def load_model(path: str | Path, *, trust_pickle: bool = False) -> Any:
    """A fitted model from a file.

    Parameters
    ----------
    path
        A ``.skops`` file of scikit-learn, a native file of XGBoost (``.json``, ``.ubj``), LightGBM (``.txt``) or
        CatBoost (``.cbm``, ``.json``), or a file that `Ensemble.save` wrote. A pickle or joblib file only with
        `trust_pickle`.
    trust_pickle
        Loading a pickle runs code that is in the file: allow it only for files of your own.
    """
    path = file_path(path)
    if not path.is_file():
        raise InvalidInput(f"there is no file {path}")
    if path.suffix == ".skops":
        return _load_skops(path)
    if path.suffix in PICKLES:
        return _load_pickle(path, trust_pickle=trust_pickle)
    library = LIBRARY_OF.get(path.suffix)
    if path.suffix == ".json":
        library = _library_of_json(path)
        if library is None:
            return load_ensemble(path)
    if library is None:
        raise InvalidInput(
            f"{path.name}: unrecognised file extension {path.suffix!r}; expected .skops, .json, .ubj, .txt or .cbm, "
            "or .pkl, .pickle or .joblib with trust_pickle=True"
        )
    return importlib.import_module(f"primewood.readers.{library}").load(path)


def _library_of_json(path: Path) -> str | None:
    """The library that a JSON file comes from; None for our own."""
    document = read_json(path, infinite=True)
    keys = set(document) if isinstance(document, dict) else set()
    if "learner" in keys:
        return "xgboost"
    if keys & {"oblivious_trees", "trees"} and "model_info" in keys:
        return "catboost"
    if isinstance(document, dict) and document.get("format") == FORMAT:
        return None
    raise InvalidInput(
        f"{path.name} is JSON, but no model of XGBoost, of CatBoost or of primewood; LightGBM's models are .txt files"
    )


def _load_pickle(path: Path, *, trust_pickle: bool) -> Any:
    if not trust_pickle:
        raise InvalidInput(
            f"{path.name} is a pickle: loading it runs whatever code it contains. If the file is your own, pass "
            "trust_pickle=True (--trust-pickle); else ask for a .skops file or the library's own format"
        )
    import joblib

    try:
        return joblib.load(path)
    except Exception as problem:
        raise InvalidInput(f"{path.name} cannot be loaded: {first_line(problem)}") from problem


def _load_skops(path: Path) -> Any:
    try:
        import skops.io
    except ImportError:
        raise MissingDependency("reading .skops files needs skops: pip install 'primewood[skops]'") from None
    from primewood.readers.skops_file import check_archive
    from primewood.readers.wrappers import list_trusted_parts

    try:
        check_archive(path)
        return skops.io.load(path, trusted=[*TRUSTED, *list_trusted_parts()])
    except Exception as problem:  # whatever the constructors of other libraries bring about
        raise InvalidInput(f"{path.name} cannot be read as a skops file: {first_line(problem)}") from problem
