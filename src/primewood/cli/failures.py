"""Errors become one line on stderr and an exit code, never a traceback."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from typing import Any

import typer

from primewood.cli import output
from primewood.errors import PrimewoodError, TooLarge

DONE, BAD_INPUT, UNDECIDED, STOPPED = 0, 2, 3, 130


def run_program(program: Callable[[], object], path: str) -> int:
    """Run a program and return its exit code; an error is reported first.

    `path` is what the program is called by, with its command: where to look for help.
    """
    try:
        program()
        if sys.stdout is not None:
            sys.stdout.flush()
    except typer.Exit as end:
        return end.exit_code
    except (KeyboardInterrupt, typer.Abort):
        output.talk("stopped")
        return STOPPED
    except TooLarge as problem:
        output.talk(f"primewood: {problem}")
        return UNDECIDED
    except PrimewoodError as problem:
        output.talk(f"primewood: {problem}")
        return BAD_INPUT
    except OSError as problem:
        return _report_system_error(problem)
    except Exception as problem:
        is_usage = hasattr(problem, "format_message")
        return _report_usage(problem, path) if is_usage else _report_unexpected(problem)
    return DONE


def _report_system_error(problem: OSError) -> int:
    """Report a file that cannot be read or written; a closed pipe is not an error."""
    if problem.filename is None and sys.stdout is not None:  # the rest of the output cannot be written
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if problem.errno == errno.EPIPE:
        return DONE
    about = f"{problem.filename}: " if problem.filename is not None else ""
    output.talk(f"primewood: {about}{problem.strerror or problem}")
    return BAD_INPUT


def _report_usage(problem: Any, path: str) -> int:
    """Report invalid arguments of the call: what is wrong with them, and where to find help."""
    message = " ".join(problem.format_message().replace("Value error, ", "").split())
    came = _find_input(problem)
    if came and came not in message:
        message = f"{message.rstrip('.')}; got {came}"
    end = "" if message.endswith((".", "?", "!")) else "."
    output.talk(f"{path}: {message}{end} Try {path} --help")
    return BAD_INPUT


def _find_input(problem: Any) -> str:
    """The invalid value of an option, if the error contains it."""
    errors = getattr(problem.__cause__, "errors", None)
    return repr(errors()[0]["input"]) if callable(errors) else ""


def _report_unexpected(problem: Exception) -> int:
    if os.environ.get("PRIMEWOOD_DEBUG"):
        raise problem
    words = " ".join(str(problem).split())
    output.talk(
        f"primewood: this should not have happened: {type(problem).__name__}: {words}. "
        "Please report it; PRIMEWOOD_DEBUG=1 shows where."
    )
    return BAD_INPUT
