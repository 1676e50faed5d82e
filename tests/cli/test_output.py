"""Data on stdout and nothing else there; cards on terminals, plain text elsewhere; files whole or not at all."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import primewood as pw
from cli.terminal import PROGRAM, on_terminal

ASKED = ("explain", "forest.json", "rows.csv", "--row", "3", "--train", "rows.csv")


def run(*arguments, before="", **options):
    program = [sys.executable, "-c", f"{before}\nfrom primewood.cli.main import run; run()"]
    return subprocess.run(
        [*program, *map(str, arguments)], capture_output=True, text=True, timeout=120, **options
    )


def test_a_pipe_gets_plain_text(files):
    done = run(*ASKED, env={**os.environ, "TERM": "xterm-256color"})
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.startswith("IF income") and "\033" not in done.stdout and "│" not in done.stdout


@pytest.mark.parametrize("columns", [80, 60])
def test_a_terminal_gets_a_card_that_fits(files, columns):
    code, shown, _ = on_terminal(ASKED, columns=columns)
    assert code == 0 and "\033[" in shown and "◆" in shown
    plain = [bare(line) for line in shown.splitlines()]
    assert max(map(len, plain)) <= columns
    assert any("IF" in line for line in plain) and any("denied" in line for line in plain)


def bare(line):
    """A line without its escape codes."""
    return re.sub(r"\033\[[0-9;]*m", "", line).rstrip("\r")


def test_a_terminal_gets_plain_text_if_asked_and_no_colours_if_told(files):
    code, shown, _ = on_terminal([*ASKED, "--set", "plain=true"])
    assert code == 0 and shown.startswith("IF income") and "\033" not in shown
    code, shown, _ = on_terminal(ASKED, NO_COLOR="1")
    colours = [f"\033[{style}{colour}m" for style in ("", "1;", "2;", "1;2;") for colour in range(30, 38)]
    assert code == 0 and "◆" in shown and not any(colour in shown for colour in colours)


def test_a_terminal_shows_json_as_a_pipe_does(files):
    code, shown, _ = on_terminal([*ASKED, "--json"])
    assert code == 0 and json.loads(shown) == json.loads(run(*ASKED, "--json").stdout)


def test_what_libraries_print_does_not_reach_stdout(files):
    """HiGHS writes to file descriptor 1, at once or when the process ends."""
    noise = """
import ctypes, os, sys
from primewood.explainer import Explainer
explain = Explainer.explain
def noisy(self, *arguments, **options):
    os.write(1, b"at once\\n")
    ctypes.CDLL(None).printf(b"buffered until the end\\n")
    return explain(self, *arguments, **options)
Explainer.explain = noisy
"""
    done = run(*ASKED, "--json", before=noise)
    assert done.returncode == 0
    assert json.loads(done.stdout)["decision"] == "denied" and len(done.stdout.splitlines()) == 1
    assert "at once" in done.stderr and "buffered until the end" in done.stderr


def test_warnings_of_libraries_are_one_line(files):
    before = """
import warnings
from primewood.explainer import Explainer
count = Explainer.count
def warned(self, *arguments, **options):
    warnings.warn("this is\\n  old")
    return count(self, *arguments, **options)
Explainer.count = warned
"""
    done = run(*ASKED, "--count", before=before)
    assert done.returncode == 0 and done.stderr == "primewood: note: this is old\n"


def test_json_is_what_the_library_reads(files, call):
    (line,) = call(*ASKED, "--json", "--witnesses").out.splitlines()
    why = pw.Explainer(files / "forest.json", pd.read_csv("rows.csv")).explain(
        pd.read_csv("rows.csv").iloc[3]
    )
    read = pw.Explanation.from_json(line)
    assert str(read) == str(why) and read.to_dict(witnesses=True)["excludes"]
    assert read.what_would_change_it == why.what_would_change_it


def test_exact_has_all_digits(files, call):
    (document,) = [json.loads(line) for line in call(*ASKED, "--json").out.splitlines()]
    ends = [piece[end] for x in document["literals"] for piece in x["intervals"] for end in ("low", "high")]
    told = call(*ASKED, "--set", "exact=true").out
    assert all(repr(end) in told for end in ends if end is not None) and told != call(*ASKED).out


def test_the_page_is_whole_and_replaces_an_old_one(files, call, tmp_path):
    page = tmp_path / "why.html"
    page.write_text("old")
    done = call(*ASKED, "--html", page)
    assert done.code == 0 and done.err == f"written to {page}\n" and done.out == call(*ASKED).out
    text = page.read_text()
    assert text.lstrip().lower().startswith("<!doctype html>") and "income" in text and "old" != text
    assert [path.name for path in tmp_path.iterdir()] == ["why.html"]


@pytest.mark.parametrize(
    "arguments",
    [
        [*ASKED, "--html"],
        ["compile", "forest.skops", "-o"],
        ["compile", "forest.skops", "--picture"],
        ["report", "forest.skops", "rows.csv", "-o"],
    ],
)
def test_a_file_that_cannot_be_written_is_known_before_time_is_spent(
    files, call, tmp_path, monkeypatch, arguments
):
    kind = "svg" if "--picture" in arguments else "html"
    missing = call(*arguments, tmp_path / "none" / f"file.{kind}")
    assert missing.code == 2 and "there is no folder" in missing.err and not missing.out
    (tmp_path / f"a.{kind}").mkdir()
    folder = call(*arguments, tmp_path / f"a.{kind}")
    assert folder.code == 2 and "it is a folder" in folder.err and not folder.out
    monkeypatch.setattr(os, "access", lambda _, mode: mode != os.W_OK)
    closed = call(*arguments, tmp_path / f"b.{kind}")
    assert closed.code == 2 and "does not allow it" in closed.err and not closed.out


def test_a_closed_pipe_ends_quietly(files):
    program = " ".join(
        f"'{part}'"
        for part in (*PROGRAM, "explain", "forest.json", "train.csv", "--every-row", "--train", "train.csv")
    )
    script = f"{program} | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=120)
    assert done.stdout == "row 0:\n0\n" and done.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_disk_is_one_line(files):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*PROGRAM, *ASKED], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 2 and done.stderr == "primewood: No space left on device\n"


@pytest.mark.parametrize(("closed", "shown"), [(">&-", ""), ("2>&-", "IF income")])
def test_closed_streams_are_no_error(files, closed, shown):
    program = " ".join(f"'{part}'" for part in (*PROGRAM, *ASKED))
    done = subprocess.run(["bash", "-c", f"{program} {closed}"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.startswith(shown) and done.stderr == ""


def test_letters_that_stdout_does_not_take_are_no_error():
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    asked = ("encode", "X=ä", "--var", "X=ä,o")
    assert run(*asked, env=ascii_only).returncode == 0
    told = run(*asked, "--json", env=ascii_only).stdout
    assert told.isascii() and json.loads(told)["variables"]["X_1"] == "X=ä"


def test_ctrl_c_on_a_terminal_stops_cleanly(files):
    """Typed as a person does, while a live line is shown."""
    code, shown, _ = on_terminal(["audit", "--functions", "1000000"], until=b"auditing, ", send=b"\x03")
    assert code == 130 and "Traceback" not in shown
    assert shown.endswith("\r\033[Kstopped\r\n")
