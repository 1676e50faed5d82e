"""Readers: a fitted model of some library becomes an `Ensemble`.

One short file per library, imported only when such a model comes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from primewood.ensemble import Ensemble
from primewood.errors import InvalidInput, MissingDependency, UnsupportedModel

__all__ = ["load_model", "read"]


def read(model: Any) -> Ensemble:
    """The ensemble of a fitted model; an `Ensemble` is returned as it is."""
    if isinstance(model, Ensemble):
        return model
    kind = model if isinstance(model, type) else type(model)
    if any(base.__module__.partition(".")[0] == "sklearn" for base in kind.__mro__):
        from primewood.readers import scikit_learn

        return scikit_learn.read(model)
    raise UnsupportedModel(
        f"{kind.__module__}.{kind.__name__} is no model that primewood knows; it reads scikit-learn's "
        "DecisionTreeClassifier, RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier and "
        "VotingClassifier"
    )


def load_model(path: str | Path, *, trust_pickle: bool = False) -> Any:
    """A fitted scikit-learn model from a file.

    Parameters
    ----------
    path
        A ``.skops`` file. A pickle or joblib file only with `trust_pickle`.
    trust_pickle
        Loading a pickle runs code that is in the file: allow it only for files of your own.
    """
    path = Path(path)
    if not path.is_file():
        raise InvalidInput(f"there is no file {path}")
    if path.suffix == ".skops":
        return _load_skops(path)
    if path.suffix in (".pkl", ".pickle", ".joblib"):
        if not trust_pickle:
            raise InvalidInput(
                f"{path.name} is a pickle: loading it runs whatever code it contains. If the file is your "
                "own, say --trust-pickle (trust_pickle=True); else ask for a .skops file"
            )
        import joblib

        try:
            return joblib.load(path)
        except Exception as problem:
            raise InvalidInput(f"{path.name} cannot be loaded: {problem}") from problem
    raise InvalidInput(f"{path.name}: the ending says nothing; a model is a .skops file")


def _load_skops(path: Path) -> Any:
    try:
        import skops.io
    except ImportError:
        raise MissingDependency("reading .skops files needs skops: pip install 'primewood[skops]'") from None
    # The type holds plain node arrays, which Tree.check verifies before anything walks them.
    trusted = ["sklearn.tree._tree.Tree"]
    try:
        return skops.io.load(path, trusted=trusted)
    except Exception as problem:
        raise InvalidInput(f"{path.name} cannot be read as a skops file: {problem}") from problem
