"""The core passes the tests that are written in C++, and it has the same names of languages and links as Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from primewood.core import _native
from primewood.ensemble.link import Link, native_link
from primewood.logic.language import Language
from sanitizers.cores import find_tool

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "core-tests"


def run(*command: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


def build_or_skip() -> None:
    """Build the tests with asserts; skip without doctest, unless PRIMEWOOD_REQUIRE_DOCTEST is set."""
    options = {
        "PRIMEWOOD_TESTS": "ON",
        "CMAKE_BUILD_TYPE": "Debug",
        "CMAKE_CXX_FLAGS_DEBUG": "-O0",
        "CMAKE_MAKE_PROGRAM": find_tool("ninja"),
        "Python_EXECUTABLE": sys.executable,
    }
    defined = [f"-D{name}={value}" for name, value in options.items()]
    configured = run(find_tool("cmake"), "-S", ROOT, "-B", BUILD, "-G", "Ninja", *defined)
    if "doctest is missing" in configured.stderr and not os.environ.get("PRIMEWOOD_REQUIRE_DOCTEST"):
        pytest.skip("doctest is missing; on Debian and Ubuntu: apt install doctest-dev")
    assert configured.returncode == 0, configured.stderr
    built = run(find_tool("cmake"), "--build", BUILD, "--target", "core_tests")
    assert built.returncode == 0, built.stdout


def test_the_core_passes_its_own_tests():
    build_or_skip()
    ran = run(BUILD / "core_tests")
    assert ran.returncode == 0, ran.stdout
    assert "0 failed" in ran.stdout


def test_the_core_has_all_languages():
    assert [one.name.lower() for one in _native.Language] == list(get_args(Language))


def test_the_core_has_all_links_but_that_of_scipy():
    names = [name for name in get_args(Link) if name != "expit"]
    assert [native_link(name) for name in names] == list(_native.Link)
