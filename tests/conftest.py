"""Shared fixtures, and the rotation of slow tests."""

from __future__ import annotations

import datetime
import zlib

import pytest
from hypothesis import settings

import primewood

PARTS = 8

for (
    name
) in primewood.__all__:  # so that doctests are collected from the modules that tests use, not from copies
    getattr(primewood, name)

settings.register_profile("default", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("default")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rotate-slow",
        action="store_true",
        help=f"also run one in {PARTS} of the slow tests, another part each day",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--rotate-slow"):
        config.option.markexpr = ""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--rotate-slow"):
        return
    today = datetime.date.today().toordinal() % PARTS
    kept, left_out = [], []
    for item in items:
        turn = zlib.crc32(item.nodeid.encode()) % PARTS == today
        (left_out if "slow" in item.keywords and not turn else kept).append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept
