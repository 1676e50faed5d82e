"""One browser for all tests of pages. Without Chromium they are skipped, unless PRIMEWOOD_REQUIRE_BROWSER is set."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from browser.page_checks import Browser, browsing, installed


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    found = installed()
    if found is None:
        reason = "Chromium and its driver are not installed (Debian: apt install chromium chromium-driver)"
        if os.environ.get("PRIMEWOOD_REQUIRE_BROWSER"):
            pytest.fail(reason)
        pytest.skip(reason)
    with browsing(found, tmp_path_factory.mktemp("profile")) as opened:
        yield opened
