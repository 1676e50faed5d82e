"""Warnings of libraries that do not concern the caller, ignored safely in several threads.

`warnings.catch_warnings` replaces the filters of the whole process: of two threads inside it, the one that leaves first
brings the warnings of the other back, and the last one may leave them ignored for good. So threads take turns.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

NO_NAMES = "X does not have valid feature names"
"""What scikit-learn says about an array where a model was fitted to a frame."""

_turn = threading.RLock()


@contextmanager
def ignore_warnings(message: str = "") -> Iterator[None]:
    """Ignore warnings that begin with a message; without one, all.

    >>> with ignore_warnings("old"):
    ...     warnings.warn("old things", stacklevel=1)
    """
    with _turn, warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=message)
        yield
