"""Warnings of libraries stay unheard in every thread, and everybody else's are heard afterwards."""

from __future__ import annotations

import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

from primewood.readers.quiet import ignore_warnings


def test_a_thread_does_not_bring_back_the_warnings_of_another():
    """The second thread comes while the first is inside, and warns when the first has left."""
    came, left = threading.Event(), threading.Event()

    def warn_late():
        with ignore_warnings("of a library"):
            came.set()
            assert left.wait(60)
            warnings.warn("of a library", stacklevel=1)

    before = list(warnings.filters)
    with ThreadPoolExecutor(1) as pool:
        with ignore_warnings("of a library"):
            second = pool.submit(warn_late)
            came.wait(0.2)
        left.set()
        second.result()
    assert warnings.filters == before


def test_only_what_is_named_is_ignored():
    with pytest.warns(UserWarning, match="something else"), ignore_warnings("of a library"):
        warnings.warn("something else", stacklevel=1)
