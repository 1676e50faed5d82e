"""What is proved about an answer."""

from __future__ import annotations

import enum


class Status(enum.StrEnum):
    """What is proved about an answer; "failed" is for rows of a batch that could not be explained.

    Examples
    --------
    >>> from primewood.data.iris import load_iris_explainer
    >>> explainer, X = load_iris_explainer()
    >>> explainer.explain(X[50]).status
    <Status.PROVED: 'proved'>
    >>> explainer.explain(X[50], avoid=["pw"]).status
    <Status.IMPOSSIBLE: 'impossible'>
    """

    PROVED = "proved"
    INTERRUPTED = "interrupted"
    IMPOSSIBLE = "impossible"
    FAILED = "failed"
