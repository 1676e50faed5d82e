"""What holds for all tests: Ctrl-C is heard, no module is compiled twice, and a run takes a part of the slow tests."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

import primewood
from rotation import PARTS, choose_part, divide

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # threads that spin while they wait starve other workers

# Tests start many processes: without bytecode each of them would compile the package anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

for (
    name
) in primewood.__all__:  # so that doctests are collected from the modules that tests use, not from copies
    getattr(primewood, name)

settings.register_profile("default", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("default")

PART = pytest.StashKey[int]()


@pytest.fixture(scope="session", autouse=True)
def hear_interrupts() -> Iterator[None]:
    """Ctrl-C is heard by the tests and by the processes that they start.

    A shell lets jobs in the background ignore it (``nohup make test &``), and what is ignored stays so in their
    children; a handler is not inherited, so that children begin with the default.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rotate-slow",
        action="store_true",
        help=f"also run one in {PARTS} of the slow tests; the hash of the commit chooses which",
    )
    parser.addoption(
        "--slow-part",
        type=int,
        choices=range(PARTS),
        metavar=f"0..{PARTS - 1}",
        help="also run this part of the slow tests, whatever the commit",
    )


def pytest_configure(config: pytest.Config) -> None:
    part = config.getoption("--slow-part")
    if part is None and config.getoption("--rotate-slow"):
        part = choose_part(config.rootpath)
    if part is not None:
        config.stash[PART] = part
        config.option.markexpr = ""


def pytest_report_header(config: pytest.Config) -> str | None:
    if PART not in config.stash:
        return None
    part = config.stash[PART]
    return f"slow tests: part {part} of 0..{PARTS - 1}; the same again with --slow-part {part}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if PART not in config.stash:
        return
    items[:], left_out = divide(items, config.stash[PART])
    config.hook.pytest_deselected(items=left_out)


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()  # modules and tests stay until the end: looking through them again and again costs time
