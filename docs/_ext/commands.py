"""The reference of the command line, written from the commands themselves when the site is built."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from sphinx.application import Sphinx
from typer.main import get_command

PAGE = "reference/command-line"


def sections() -> str:
    """One section per command, in Markdown."""
    from primewood.cli.main import app

    commands: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined]
    return "\n".join(line for name, command in commands.items() for line in section(name, command))


def section(name: str, command: Any) -> Iterator[str]:
    """What a command does, examples, exit codes, and its arguments and options by groups."""
    from primewood.cli.help import split_help

    prose, more = split_help(command.help or "")
    yield f"## {name}\n\n{plain(prose)}\n"
    for title, language in (("Examples", "sh"), ("Exit codes", "text")):
        if title in more:
            yield "\n".join([f"**{title}**\n", f"```{language}", *more[title], "```\n"])
    for title, rows in grouped(name, command).items():
        yield f"**{title}**\n\n| | meaning |\n|---|---|"
        yield from (
            f"| `{typed.replace('|', chr(92) + '|')}` | {plain(meaning)} |" for typed, meaning in rows
        )
        yield ""


def grouped(name: str, command: Any) -> dict[str, list[tuple[str, str]]]:
    """The arguments and options with their help, under the headings that `--help` shows."""
    context = command.make_context(name, [], resilient_parsing=True)
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for parameter in command.params:
        record = parameter.get_help_record(context)
        if record is not None and parameter.name != "help":
            usual = "Arguments" if parameter.param_type_name == "argument" else "Options"
            found[getattr(parameter, "rich_help_panel", None) or usual].append(record)
    return found


def plain(text: str) -> str:
    """Text in which nothing is markup."""
    return re.sub(r"([\\|*_<>\[\]`])", r"\\\1", text)


def write(_app: Sphinx, page: str, source: list[str]) -> None:
    """Append the sections to the page that is theirs."""
    if page == PAGE:
        source[0] += "\n" + sections()


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
