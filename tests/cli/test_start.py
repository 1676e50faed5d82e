"""Help and completion come at once, and completion knows commands, options and choices."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from cli.terminal import PROGRAM
from primewood.cli import main

HEAVY = ("numpy", "scipy", "sklearn", "pandas", "pysat", "oxidd", "primewood.explainer", "primewood.core")
LISTED = f"import sys; print(*(name for name in {HEAVY} if name in sys.modules), file=sys.stderr)"


def complete(shell, **environment):
    done = subprocess.run(
        PROGRAM,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "_PRIMEWOOD_COMPLETE": f"complete_{shell}", **environment},
    )
    assert done.returncode == 0 and done.stderr == ""
    return done.stdout.split()


def in_bash(*words):
    return complete("bash", COMP_WORDS=" ".join(words), COMP_CWORD=str(len(words) - 1))


def test_commands_options_and_choices_are_completed():
    assert in_bash("primewood", "") == [name for group in main.COMMANDS.values() for name in group]
    assert in_bash("primewood", "ex") == ["explain", "explain-group", "export"]
    assert in_bash("primewood", "explain", "--goal", "") == [
        "readable",
        "prime",
        "shortest",
        "wide",
        "widest",
    ]
    assert in_bash("primewood", "flip", "m.skops", "rows.csv", "--norm", "l") == ["l0", "l1", "linf"]
    assert set(in_bash("primewood", "explain", "--t")) >= {"--train", "--threshold", "--time-limit"}


def test_files_are_left_to_the_shell():
    """No word is offered, so that the shell offers its files."""
    assert in_bash("primewood", "explain", "fo") == []
    assert complete("zsh", _TYPER_COMPLETE_ARGS="primewood explain fo") == ["_files"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_shown_and_installed(shell, tmp_path):
    alone = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1", "HOME": str(tmp_path)}
    options = {"capture_output": True, "text": True, "timeout": 60, "env": {**os.environ, **alone}}
    shown = subprocess.run([*PROGRAM, "--show-completion", shell], **options)
    assert shown.returncode == 0 and f"_PRIMEWOOD_COMPLETE=complete_{shell}" in shown.stdout
    installed = subprocess.run([*PROGRAM, "--install-completion", shell], **options)
    assert installed.returncode == 0 and "installed" in installed.stdout
    written = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert any(f"complete_{shell}" in text for text in written)


def test_help_and_completion_import_nothing_heavy():
    program = f"import atexit; atexit.register(lambda: exec({LISTED!r}, {{}})); {PROGRAM[2]}"
    calls = {("--help",): {}, ("explain", "--help"): {}, ("--version",): {}, ("explain", "--nothing"): {}}
    calls[()] = {
        "_PRIMEWOOD_COMPLETE": "complete_bash",
        "COMP_WORDS": "primewood explain --goal ",
        "COMP_CWORD": "3",
    }
    for arguments, environment in calls.items():
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments],
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, **environment},
        )
        assert done.stderr.splitlines()[-1] == "", (arguments, done.stderr)
