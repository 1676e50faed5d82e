"""Every command explains itself, in plain text, with examples that work."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest
from typer.main import get_command

from primewood.cli import main
from primewood.cli.help import split_help

PROGRAM = f"{shlex.quote(sys.executable)} -c 'from primewood.cli.main import run; run()'"
NAMES = [name for commands in main.COMMANDS.values() for name in commands]
DESIGNED = {
    *("demo", "info", "explain", "contrast", "flip", "primes", "encode", "audit", "compile", "verify"),
    *(
        "compare",
        "report",
        "bench",
        "check",
        "rules",
        "explain-group",
        "summarise",
        "adverse-action",
        "knowledge",
        "export",
        "confirm",
    ),
}
SHOWS_ITS_CODES = {
    *("explain", "contrast", "flip", "check", "verify", "compare", "rules", "compile", "report"),
    *("primes", "audit", "encode", "adverse-action", "explain-group", "confirm"),
}
LENGTHY = re.compile(r"\| primewood|primewood (audit|bench)")
"""Examples that take long: a run of the tests takes some of them, another run others."""


def doc_of(name):
    commands = {name: command for group in main.COMMANDS.values() for name, command in group.items()}
    return split_help("\n".join(line.removeprefix("    ") for line in commands[name].__doc__.splitlines()))


def examples():
    """The examples of all commands; one that goes on after a backslash is one line."""
    texts = {name: "\n".join(doc_of(name)[1]["Examples"]).replace("\\\n", "") for name in NAMES}
    return [(name, example) for name, text in texts.items() for example in text.splitlines()]


def test_all_commands_are_there():
    assert set(NAMES) == DESIGNED


@pytest.mark.parametrize("name", NAMES)
def test_help_is_plain_text_for_a_terminal_of_80_columns(call, name):
    done = call(name, "--help")
    assert done.code == 0 and not done.err and "\033" not in done.out
    assert not set(done.out) & set("╭╮╰╯│─")
    assert max(map(len, done.out.splitlines())) <= 80
    prose, sections = doc_of(name)
    assert " ".join(prose.split()) in " ".join(done.out.split())
    for example in sections["Examples"]:
        assert f"  {example}\n" in done.out
    assert ("\nExit codes:\n" in done.out) == (name in SHOWS_ITS_CODES)
    assert "  --json" in done.out.split("\nOutput:\n")[1]


def test_options_stand_in_groups(call):
    told = call("explain", "--help").out
    titles = ["Arguments", "What is asked", "Which rows", "How the model is read", "Limits", "Output"]
    places = [told.index(f"\n{title}:\n") for title in titles]
    assert places == sorted(places)
    rows = told[places[2] : places[3]]
    assert "--row N" in rows and "--every-row" in rows and "--goal" not in rows


def parameters_of(name, kind):
    command = get_command(main.app).commands[name]
    return [parameter for parameter in command.params if parameter.param_type_name == kind]


@pytest.mark.parametrize("name", NAMES)
def test_a_command_has_few_options(name):
    assert len(parameters_of(name, "option")) <= 28  # rare ones are settings


@pytest.mark.parametrize("name", NAMES)
def test_the_model_comes_first_and_then_the_rows(name):
    words = [argument.metavar for argument in parameters_of(name, "argument")]
    if "MODEL" in words:
        assert words[0] == "MODEL" and words[2 if name == "compare" else 1] == "ROWS"


def test_the_program_groups_its_commands_and_tells_its_exit_codes(call):
    done = call("--help")
    assert done.code == 0
    for title, commands in main.COMMANDS.items():
        body = done.out.split(f"\n{title}:\n")[1].split("\n\n")[0]
        assert [line.split()[0] for line in body.splitlines()] == list(commands)
        assert all(line.endswith(".") for line in body.splitlines())
    codes = done.out.split("\nExit codes:\n")[1].split("\n\n")[0]
    assert [line.split()[0] for line in codes.splitlines()] == ["0", "1", "2", "3", "130"]


def test_no_command_at_all_shows_help(call):
    assert call() == call("--help")


def test_the_version_is_told(call):
    from primewood import __version__

    assert call("--version") == (0, f"primewood {__version__}\n", "")


@pytest.mark.parametrize(
    ("name", "example"),
    [
        pytest.param(name, example, marks=[pytest.mark.slow] if LENGTHY.search(example) else [])
        for name, example in examples()
    ],
)
def test_examples_work(files, call, name, example):
    _, pipe, words = example.rpartition("| ") if "| primewood" in example else ("", "", example)
    assert words.startswith(f"primewood {name}")
    if pipe:
        command = example.replace("primewood", PROGRAM, 1)
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
        code, out, err = done.returncode, done.stdout, done.stderr
    else:
        code, out, err = call(*shlex.split(words)[1:])
    assert code in (0, 1) and out and "primewood" not in err, (code, err)
    assert code == 0 or name in ("verify", "check", "compare", "report")


@pytest.mark.parametrize("example", split_help(main.program.__doc__.replace("\n    ", "\n"))[1]["Examples"])
def test_examples_of_the_program_work(files, call, example):
    code, out, _ = call(*shlex.split(example)[1:])
    assert code in (0, 1) and out
