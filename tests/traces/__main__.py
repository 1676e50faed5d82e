"""Run traces: ``python -m traces --seed 17 --count 1000``."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from traces.running import Tally, run


def main() -> int:
    parser = argparse.ArgumentParser(prog="traces", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=1000, help="how many seeds")
    parser.add_argument("--seconds", type=float, help="stop after so many seconds")
    parser.add_argument("--out", type=Path, default=Path("build/traces"), help="where failing scripts go")
    asked = parser.parse_args()
    progress = Progress()
    try:
        tally = run(asked.seed, asked.count, asked.out, seconds=asked.seconds, say=progress)
    except KeyboardInterrupt:
        tally = progress.last
    sys.stdout.write(f"\r{tally}\n")
    return 1 if tally.failures else 0


class Progress:
    """A line on the terminal, once a second."""

    def __init__(self) -> None:
        self.last, self._said = Tally(), 0.0

    def __call__(self, tally: Tally) -> None:
        self.last = tally
        if time.monotonic() > self._said + 1:
            self._said = time.monotonic()
            sys.stdout.write(f"\r{tally}")
            sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
