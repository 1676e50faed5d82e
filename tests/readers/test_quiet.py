"""Warnings of libraries stay unheard in every thread, and everybody else's are heard afterwards."""

from __future__ import annotations

import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

from primewood.readers.quiet import ignore_warnings


def test_threads_do_not_bring_back_each_others_warnings():
    before, both = list(warnings.filters), threading.Barrier(4)

    def warn_quietly(_):
        both.wait(60)
        for _ in range(200):
            with ignore_warnings("of a library"):
                warnings.warn("of a library", stacklevel=1)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(warn_quietly, range(4)))
    assert warnings.filters == before


def test_only_what_is_named_is_ignored():
    with pytest.warns(UserWarning, match="something else"), ignore_warnings("of a library"):
        warnings.warn("something else", stacklevel=1)
