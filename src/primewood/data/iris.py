"""A small model with its explainer, for examples: iris flowers, as scikit-learn has them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from primewood.explainer import Explainer

FEATURES = ["sl", "sw", "pl", "pw"]
"""Sepal length and width, petal length and width, in centimetres."""


def load_iris_explainer(trees: int = 1) -> tuple[Explainer, NDArray[np.float64]]:
    """Return the explainer that the examples ask, and its 150 training rows.

    Parameters
    ----------
    trees
        1 for a decision tree, more for a random forest of that many trees; their depth is 3.

    Returns
    -------
    tuple
        The explainer and the rows: 50 each of setosa, versicolor and virginica, in this order. The features are "sl",
        "sw", "pl" and "pw": the length and width of sepals and petals, in centimetres.

    Examples
    --------
    >>> explainer, X = load_iris_explainer()
    >>> explainer.decide(X[50])
    'versicolor'
    """
    iris = load_iris()
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    model = tree if trees == 1 else RandomForestClassifier(trees, max_depth=3, random_state=0)
    model.fit(iris.data, iris.target)
    return Explainer(model, iris.data, feature_names=FEATURES, class_names=iris.target_names), iris.data
