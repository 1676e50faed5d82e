"""Programs in a process of their own: whatever ends them is an error here, and nothing of them stays."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from primewood.errors import InvalidInput
from primewood.readers.child import ProcessLimits, run_limited

LIMITS = ProcessLimits(seconds=20, memory=2**30, written=2**20)


@pytest.fixture
def program(tmp_path):
    def write(text):
        (tmp_path / "program.py").write_text(text)
        return tmp_path / "program.py"

    return write


def test_a_program_gets_its_arguments_and_the_packages_of_this_process(program, tmp_path):
    text = "import sys, primewood; open(sys.argv[1], 'w').write(primewood.__file__ + str(sys.flags.isolated))"
    run_limited(program(text), [str(tmp_path / "out")], LIMITS)
    import primewood

    assert (tmp_path / "out").read_text() == f"{primewood.__file__}1"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import os; os.abort()", "it crashed"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "it crashed"),
        ("import sys; sys.exit(3)", "it crashed"),
        ("import sys; sys.exit('no such model')", "no such model"),
        ("raise ValueError('a tree is missing')", "ValueError: a tree is missing"),
        ("held = bytearray(2**31)", "it needed more than 1 GB of memory"),
    ],
)
def test_how_a_program_ended_is_in_the_message(program, text, words):
    with pytest.raises(InvalidInput, match=words):
        run_limited(program(text), [], LIMITS)


def test_a_program_that_does_not_end_is_ended(program):
    begin = time.monotonic()
    with pytest.raises(InvalidInput, match="it took more than 1 s"):
        run_limited(program("while True: pass"), [], ProcessLimits(1, 2**30, 2**20))
    assert time.monotonic() - begin < 10


@pytest.mark.skipif(os.name != "posix", reason="sends a signal to itself")
def test_ctrl_c_ends_the_program_too(program, tmp_path):
    text = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(60)"
    noted = tmp_path / "pid"

    def interrupt():
        while not (noted.exists() and noted.read_text()):
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        run_limited(program(text), [str(noted)], LIMITS)
    with pytest.raises(ProcessLookupError):
        os.kill(int(noted.read_text()), 0)
