"""Clocks: a part of a run has seconds of its own, and the other limits of the run; the core gets them all."""

from __future__ import annotations

import time

from primewood.engines.protocol import Clock
from primewood.engines.search.oracle import native_budget


def test_a_clock_has_no_limits_and_one_thread_unless_it_is_told():
    clock = Clock()
    assert (clock.left(), clock.work(), clock.threads) == (-1, -1, 1)
    given = Clock(5.0, 100)
    assert (given.limit, given.work_limit, given.threads) == (5.0, 100, 1)


def test_a_part_begins_now_and_keeps_the_nodes_and_the_threads():
    clock = Clock(5.0, 100, 3, start=time.monotonic() - 4)
    part = clock.part(2.0)
    assert (part.limit, part.work_limit, part.threads) == (2.0, 100, 3)
    assert clock.left() < 1.1 < 1.9 < part.left()
    assert clock.part(None).left() == -1


def test_the_core_gets_all_limits():
    budget = native_budget(Clock(5.0, 100, 3))
    assert 4.9 < budget.seconds <= 5 and (budget.nodes, budget.threads) == (100, 3)
    assert native_budget(None).threads == native_budget(Clock(1.0)).threads == 1
