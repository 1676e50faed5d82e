"""The program `primewood`: its commands in groups, and how it runs and ends.

Exit codes: 0 done, or the statement holds; 1 it fails; 2 bad input; 3 undecided at the time limit, or too large; 130
stopped by Ctrl-C. A correct answer that a limit stopped early also has 0: its status says so.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from typing import Annotated

import typer

from primewood.cli import output
from primewood.cli.commands import (
    adverse_action,
    bench,
    certificates,
    contrast,
    demo,
    encode,
    explain,
    explain_group,
    info,
    knowledge,
    logic,
    report,
    summarise,
    verify,
)
from primewood.cli.failures import run_program
from primewood.cli.help import Command, HelpGroup
from primewood.cli.shared_options import spread
from primewood.errors import RowsWarning

app = typer.Typer(
    name="primewood",
    cls=HelpGroup,
    add_completion=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
COMPLETING = "_PRIMEWOOD_COMPLETE"
_noted: set[str] = set()


def _show_version(wanted: bool) -> None:
    if wanted:
        from primewood import __version__

        output.write_line(f"primewood {__version__}")
        raise typer.Exit


@app.callback()
def program(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Explain the decisions of tree ensembles, with proof.

    Answers are printed on stdout, progress and errors on stderr. Each command has its own --help with examples.

    Exit codes
    ----------
    0    done, or the statement holds
    1    it fails, and what is printed shows why
    2    bad input
    3    undecided at the time limit, or too large
    130  stopped by Ctrl-C; what was printed stays

    Examples
    --------
    primewood demo
    primewood explain forest.skops rows.csv --row 3
    primewood verify forest.skops --rule 'age < 18 -> not approved'
    """


COMMANDS: dict[str, dict[str, Callable[..., None]]] = {
    "About one decision": {
        "explain": explain.explain,
        "contrast": contrast.contrast,
        "flip": contrast.flip,
        "check": explain.check,
        "adverse-action": adverse_action.adverse_action,
    },
    "About many decisions": {"explain-group": explain_group.explain_group, "summarise": summarise.summarise},
    "About a model": {
        "info": info.info,
        "knowledge": knowledge.knowledge,
        "verify": verify.verify,
        "compare": verify.compare,
        "rules": verify.rules,
        "compile": info.compile_model,
        "report": report.report,
        "export": certificates.export,
    },
    "About a proof": {"confirm": certificates.confirm},
    "About logic": {"primes": logic.primes, "encode": encode.encode, "audit": logic.audit},
    "More": {"demo": demo.demo, "bench": bench.bench},
}
for _title, _commands in COMMANDS.items():
    for _name, _command in _commands.items():
        app.command(_name, cls=Command, rich_help_panel=_title)(spread(_command))


def run(arguments: list[str] | None = None) -> None:
    """Run the command line; errors are one clear message and an exit code, never a traceback."""
    output.keep_stdout_clean()
    _noted.clear()
    warnings.showwarning = _note
    warnings.filterwarnings("default", category=RowsWarning)
    if os.environ.get(COMPLETING):
        app(prog_name="primewood", complete_var=COMPLETING)
    given = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    known = [name for commands in COMMANDS.values() for name in commands]
    path = " ".join(["primewood", *(name for name in given[:1] if name in known)])
    sys.exit(run_program(lambda: _call(given), path))


def _call(arguments: list[str]) -> None:
    command = typer.main.get_command(app)
    with command.make_context("primewood", list(arguments)) as context:
        command.invoke(context)


def _note(message: Warning | str, *_: object, **__: object) -> None:
    """Show a library's warning as one line, once."""
    line = f"primewood: note: {' '.join(str(message).split())}"
    if line not in _noted:
        _noted.add(line)
        output.talk(line)
