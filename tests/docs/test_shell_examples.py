"""The shell examples of the documentation and of the README are run, and what they show is what comes.

A ``console`` block shows commands after ``$`` and their output, which is compared; ``...`` stands for any text. The
commands of an ``sh`` block must be answered: exit code 0, or 1 where the answer is no. All find the files that the page
about the command line makes. (The examples of `--help`, which the reference shows, are run by tests/cli/test_help.py.)
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from primewood.cli import main

ROOT = Path(__file__).parents[2]
MAKING = ROOT / "docs" / "how-to" / "command-line.md"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(sh|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
NOT_RUN = {
    "make demo": "sets up an environment of its own",
    "make test": "runs these tests",
    "pip install '.[pandas]'": "builds the core again",
}
ANSWERED = (0, 1)
LENGTHY = re.compile(r"\| primewood|-o answers|primewood (audit|report)")
"""Commands that take long: a run of the tests takes some of them, another run others."""


def commands_of(page: Path) -> list[str]:
    """The commands of the sh blocks of a page, without comments."""
    blocks = [body for kind, body in BLOCK.findall(page.read_text(encoding="utf-8")) if kind == "sh"]
    lines = [re.sub(r"\s+#.*", "", line).strip() for body in blocks for line in body.splitlines()]
    return [line for line in lines if line]


def sessions_of(page: Path) -> list[tuple[str, str]]:
    """The commands of the console blocks of a page, each with the output that is shown."""
    blocks = [body for kind, body in BLOCK.findall(page.read_text(encoding="utf-8")) if kind == "console"]
    steps = [step for body in blocks for step in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]]
    return [(command, shown) for command, _, shown in (step.partition("\n") for step in steps)]


WRITTEN = [(page, line) for page in PAGES for line in commands_of(page)]
SHOWN = {page: sessions_of(page) for page in PAGES if sessions_of(page)}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder with the files that the pages speak of, made by the code on the page about the command line."""
    folder = tmp_path_factory.mktemp("files")
    (making,) = re.findall(
        r"^```python\n(.*?)^```", MAKING.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    subprocess.run([sys.executable, "-W", "error", "-c", making], cwd=folder, check=True)
    return folder


@pytest.fixture
def shell(files, monkeypatch, capfd):
    """Runs a line there: in this process if it is one command of ours, else with a shell. Its exit code and output."""
    monkeypatch.chdir(files)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    monkeypatch.setenv("COLUMNS", "100")

    def run(line: str) -> tuple[int, str]:
        words = list(shlex.shlex(line, posix=False, punctuation_chars=True))
        if words[0] != "primewood" or {"|", ">", "&&", ";"} & set(words):
            done = subprocess.run(["bash", "-o", "pipefail", "-c", line], stdout=subprocess.PIPE, text=True)
            return done.returncode, done.stdout
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main.run(shlex.split(line)[1:])
        return ended.value.code or 0, capfd.readouterr().out

    return run


@pytest.mark.parametrize(
    ("page", "line"),
    [
        pytest.param(
            page, line, id=f"{page.name}: {line}", marks=[pytest.mark.slow] if LENGTHY.search(line) else []
        )
        for page, line in WRITTEN
    ],
)
def test_a_command_that_is_shown_is_answered(shell, page, line):
    if line in NOT_RUN:
        return
    code, _ = shell(line)
    assert code in ANSWERED, f"{page.name}: exit code {code}"


@pytest.mark.slow
@pytest.mark.parametrize("page", SHOWN, ids=[page.name for page in SHOWN])
def test_a_session_shows_what_comes(shell, page):
    code = 0
    for command, shown in SHOWN[page]:
        if command == "echo $?":
            assert shown.split() == [str(code)], f"after the command before, $? is {code}"
            continue
        code, output = shell(command)
        pattern = re.escape(shown.rstrip("\n")).replace(re.escape("..."), ".*")
        assert re.fullmatch(pattern, output.rstrip("\n"), re.DOTALL), f"$ {command}\n{output}"


def test_what_is_not_run_is_still_shown():
    assert set(NOT_RUN) <= {line for _, line in WRITTEN}
