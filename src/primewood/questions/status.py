"""What is proved about an answer."""

from __future__ import annotations

import enum


class Status(enum.StrEnum):
    """What is proved about an answer; "failed" is for rows of a batch that could not be explained.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from primewood import Explainer
    >>> iris = load_iris()
    >>> tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(iris.data, iris.target)
    >>> names = {"feature_names": ["sl", "sw", "pl", "pw"], "class_names": iris.target_names}
    >>> explainer = Explainer(tree, iris.data, **names)
    >>> explainer.explain(iris.data[50]).status
    <Status.PROVED: 'proved'>
    >>> explainer.explain(iris.data[50], avoid=["pw"]).status
    <Status.IMPOSSIBLE: 'impossible'>
    """

    PROVED = "proved"
    INTERRUPTED = "interrupted"
    IMPOSSIBLE = "impossible"
    FAILED = "failed"
