"""``python -m sanitizers [BLOCK ...]``: all blocks of tests, or some, under their sanitizers."""

from __future__ import annotations

import argparse
import sys
import time

from sanitizers.blocks import BLOCKS
from sanitizers.cores import NoSanitizer, build


def main() -> int:
    parser = argparse.ArgumentParser(prog="sanitizers", description="Run tests of the core under sanitizers.")
    parser.add_argument("blocks", nargs="*", metavar="BLOCK", help=f"of {', '.join(BLOCKS)}; default: all")
    names = parser.parse_args().blocks or list(BLOCKS)
    if unknown := [name for name in names if name not in BLOCKS]:
        parser.error(f"unknown blocks: {', '.join(unknown)}; the blocks are {', '.join(BLOCKS)}")
    failed = [name for name in names if not passes(name)]
    print(f"failed: {', '.join(failed)}" if failed else "no findings")
    return 1 if failed else 0


def passes(name: str) -> bool:
    """Run a block; what it said is shown if it fails."""
    block, started = BLOCKS[name], time.monotonic()
    try:
        build(block.sanitizer)
        ran = block.run()
    except NoSanitizer as problem:
        raise SystemExit(str(problem)) from None
    verdict = "passed" if ran.returncode == 0 else f"failed with exit code {ran.returncode}"
    print(f"{name} ({block.sanitizer.name}): {verdict} in {time.monotonic() - started:.0f} s", flush=True)
    if ran.returncode != 0:
        print(ran.stdout, ran.stderr, sep="\n")
    return ran.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
