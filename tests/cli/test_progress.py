"""Progress: nothing for a while, then a live line on a terminal, lines elsewhere, never on stdout."""

from __future__ import annotations

import io
import sys
import time

import pytest

from primewood.cli import output, progress
from primewood.cli.progress import CLEAR, Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def quick(monkeypatch):
    for name, seconds in (("PATIENCE", 0.05), ("LIVE", 0.02), ("LOGGED", 0.1)):
        monkeypatch.setattr(progress, name, seconds)
    monkeypatch.setenv("TERM", "xterm")


def watched(monkeypatch, stream, seconds):
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress("searching") as told:
        time.sleep(seconds / 2)
        told.say("row 2 of 3")
        time.sleep(seconds / 2)
    return stream.getvalue()


def test_what_is_quick_is_not_talked_about(monkeypatch):
    assert watched(monkeypatch, io.StringIO(), 0) == ""
    assert watched(monkeypatch, Terminal(), 0) == ""


def test_a_terminal_has_a_live_line_that_goes(quick, monkeypatch):
    shown = watched(monkeypatch, Terminal(), 0.4)
    first, *_, last, nothing = shown.split(CLEAR)[1:]
    assert first.startswith("searching, 0 s; Ctrl-C stops") and last.startswith("row 2 of 3, ")
    assert nothing == "" and "\n" not in shown


def test_elsewhere_there_is_a_line_now_and_then(quick, monkeypatch):
    shown = watched(monkeypatch, io.StringIO(), 0.5)
    assert "\033" not in shown and "\r" not in shown
    lines = shown.splitlines()
    assert 2 <= len(lines) <= 6 and lines[0] == "searching, 0 s; Ctrl-C stops"
    assert lines[-1].startswith("row 2 of 3")


def test_a_terminal_that_knows_no_codes_gets_lines(quick, monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    assert "\033" not in watched(monkeypatch, Terminal(), 0.2)


def test_a_live_line_is_cut_to_the_terminal(quick, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    shown = watched(monkeypatch, Terminal(), 0.2)
    assert {len(line) for line in shown.split(CLEAR)[1:-1]} == {19}


def test_data_is_written_when_the_line_is_out_of_the_way(quick, monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(sys, "stdout", stream)

    def slowly():
        for i in range(3):
            time.sleep(0.12)
            yield f"thing {i}"

    output.write_all(slowly(), "things", output.data)
    shown = stream.getvalue()
    for i in range(3):
        before = shown[: shown.index(f"thing {i}\n")]
        assert before.endswith(CLEAR)
    assert "2 things, 0 s" in shown


def test_an_interrupted_list_says_how_much_there_is(capsys):
    def broken():
        yield "one"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        output.write_all(broken(), "things", output.data)
    told = capsys.readouterr()
    assert told.out == "one\n" and told.err == "stopped after 1 things\n"


def test_a_closed_stderr_is_no_error(quick, monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    with Progress("searching"):
        time.sleep(0.2)
