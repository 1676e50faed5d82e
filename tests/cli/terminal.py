"""A program run on a real terminal (a pseudo-terminal): what it writes, and how it ends."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time

from children import run_child

PROGRAM = [sys.executable, "-c", "from primewood.cli.main import run; run()"]


def on_terminal(arguments, *, columns=80, stdout=True, until=b"", send=b"", **environment):
    """Run the command line with stderr, and if `stdout` is true stdout, on a terminal.

    When `until` has been shown, `send` is typed. Returns the exit code, what the terminal showed, and what a stdout
    that is no terminal got.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("NO_COLOR", "COLUMNS", "FORCE_COLOR")
    }
    with run_child(
        [*PROGRAM, *arguments],
        stdin=theirs,
        stdout=theirs if stdout else subprocess.PIPE,
        stderr=theirs,
        env={**kept, "TERM": "xterm-256color", **environment},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    ) as process:
        os.close(theirs)
        try:
            shown = _read(ours, process, until, send)
            rest = b"" if stdout else process.stdout.read()
        finally:
            os.close(ours)
        return process.wait(10), shown.decode(), rest.decode()


def _read(terminal, process, until, send):
    shown, typed, end = b"", False, time.monotonic() + 120
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                part = os.read(terminal, 65536)
            except OSError:  # the other side is closed
                return shown
            shown += part
        elif process.poll() is not None:
            return shown
        if send and not typed and until in shown:
            os.write(terminal, send)
            typed = True
    raise TimeoutError(shown)
