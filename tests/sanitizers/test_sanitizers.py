"""The core has no finding of a sanitizer; and the sanitizers, as they are set up, do find what is planted."""

from __future__ import annotations

import os

import pytest

from sanitizers.blocks import BLOCKS
from sanitizers.cores import ADDRESS, THREAD, NoSanitizer, build, run_watched

PLANTED = {
    "read_out_of_bounds(10)": (ADDRESS, "AddressSanitizer: heap-buffer-overflow"),
    "cast_overflow(1e20)": (ADDRESS, "outside the range of representable values"),
    "shift_too_far(40)": (ADDRESS, "shift exponent 40 is too large"),
    "race()": (THREAD, "ThreadSanitizer: data race"),
}


def build_or_skip(sanitizer):
    """Build the core; skip without a runtime for it, unless PRIMEWOOD_REQUIRE_SANITIZERS is set."""
    try:
        build(sanitizer)
    except NoSanitizer as problem:
        if os.environ.get("PRIMEWOOD_REQUIRE_SANITIZERS"):
            raise
        pytest.skip(str(problem))


def call_planted(sanitizer, call):
    name, _, argument = call.rstrip(")").partition("(")
    kind = "c_double" if name == "cast_overflow" else "c_int"
    given = f"ctypes.{kind}({argument})" if argument else ""
    code = f"import ctypes; ctypes.CDLL({str(sanitizer.planted)!r}).{name}({given})"
    return run_watched(sanitizer, ["-c", code], capture_output=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_of_tests_has_no_finding(name):
    build_or_skip(BLOCKS[name].sanitizer)
    ran = BLOCKS[name].run()
    assert ran.returncode == 0, f"{ran.stdout}\n{ran.stderr}"


@pytest.mark.slow
def test_planted_errors_are_found():
    for call, (sanitizer, finding) in PLANTED.items():
        build_or_skip(sanitizer)
        ran = call_planted(sanitizer, call)
        assert ran.returncode != 0, call
        assert finding in ran.stderr
    for sanitizer in (ADDRESS, THREAD):
        assert call_planted(sanitizer, "nothing_wrong(3)").returncode == 0


@pytest.mark.slow
def test_the_usual_core_is_refused():
    build_or_skip(ADDRESS)
    code = (
        "from primewood.core import _native; from sanitizers.run import check_watched;"
        "check_watched('address')"
    )
    ran = run_watched(ADDRESS, ["-c", code], capture_output=True)
    assert ran.returncode == 1
    assert "is not instrumented by the address sanitizer" in ran.stderr
