"""Help as plain text: options and commands in groups, then exit codes and examples as written.

A command's docstring is its help: prose first, then sections under underlined titles, which are shown as they are
written. The panel of an option (`rich_help_panel`) is its heading.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

from typer.core import TyperCommand, TyperGroup

from primewood.cli.setting_names import list_settings

QUESTION, ROWS, MODEL, LIMITS, BATCHES, OUTPUT = (
    "What is asked",
    "Which rows",
    "How the model is read",
    "Limits",
    "All rows of a file",
    "Output",
)
"""The groups of options, in the order in which help shows them."""
TITLE = re.compile(r"^(.+)\n-{3,}$", re.MULTILINE)


def split_help(text: str) -> tuple[str, dict[str, list[str]]]:
    r"""Split a help text into its prose, and the lines of the sections after it by their titles.

    >>> split_help("Says hello.\n\nExamples\n--------\nprimewood hello\nprimewood hello --json\n")
    ('Says hello.', {'Examples': ['primewood hello', 'primewood hello --json']})
    """
    prose, *rest = TITLE.split(text)
    titles, bodies = rest[::2], rest[1::2]
    return prose.strip(), {
        title: body.strip("\n").splitlines() for title, body in zip(titles, bodies, strict=True)
    }


class Command(TyperCommand):
    """A command whose help is grouped."""

    def format_help_text(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write the prose."""
        _write_prose(self, formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options by their groups."""
        _write_options(self, ctx, formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write the names of settings, then the sections."""
        _write_settings(self, formatter)
        _write_sections(self, formatter)


class HelpGroup(TyperGroup):
    """The program, whose help groups the commands."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """The commands in the order of their definition."""
        return list(self.commands)

    def format_help_text(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write the prose."""
        _write_prose(self, formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the commands by their groups, then the options."""
        groups: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for name in self.list_commands(ctx):
            command: Any = self.get_command(ctx, name)
            first, _, _ = (command.help or "").partition("\n\n")
            groups[command.rich_help_panel].append((name, " ".join(first.split())))
        widest = max(len(name) for rows in groups.values() for name, _ in rows)
        for title, rows in groups.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(widest), words) for name, words in rows])
        _write_options(self, ctx, formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write the sections."""
        _write_sections(self, formatter)


def _write_prose(command: Any, formatter: Any) -> None:
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(split_help(command.help or "")[0])


def _write_options(command: Any, ctx: Any, formatter: Any) -> None:
    groups: dict[str, list[tuple[str, str]]] = {"Arguments": []}
    groups |= {title: [] for title in (QUESTION, ROWS, MODEL, LIMITS, BATCHES, OUTPUT)}
    for parameter in command.get_params(ctx):
        shown = parameter.get_help_record(ctx)
        is_argument = parameter.param_type_name == "argument"
        title = "Arguments" if is_argument else getattr(parameter, "rich_help_panel", None) or OUTPUT
        if shown is not None:
            groups[title].append(shown)
    for title, rows in groups.items():
        if rows:
            with formatter.section(title if isinstance(command, TyperCommand) else "Options"):
                formatter.write_dl(rows)


def _write_settings(command: Any, formatter: Any) -> None:
    """List the settings that the command takes."""
    if any(parameter.name == "assignments" for parameter in command.params):
        with formatter.section("Settings, for --set and --settings"):
            formatter.write_text(", ".join(list_settings(command.name)))
            formatter.write_text('Their values are on the page "The command line" of the documentation.')


def _write_sections(command: Any, formatter: Any) -> None:
    for title, lines in split_help(command.help or "")[1].items():
        with formatter.section(title):
            formatter.write("".join(f"  {line}".rstrip() + "\n" for line in lines))
