"""``python -m records write FILE`` and ``python -m records compare A B``."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path


def main() -> int:
    asked = read_arguments()
    return compare(asked) if asked.command == "compare" else write(asked)


def compare(asked: argparse.Namespace) -> int:
    from records.comparison import Comparison, Records

    old, new = Records.read(asked.old), Records.read(asked.new)
    found = Comparison(old, new, ignore_nodes=asked.ignore_nodes)
    print(*found.lines(asked.most), sep="\n")
    return 0 if found.same else 1


def write(asked: argparse.Namespace) -> int:
    os.environ["OMP_NUM_THREADS"] = "1"  # the libraries read it when they are imported
    from records.models import RECIPES
    from records.recorder import find_commit, write_records

    path = asked.file or Path("build/records") / f"{find_commit() or 'unknown'}.jsonl"
    try:
        write_records(path, asked.kinds or tuple(RECIPES), asked.questions)
    except KeyboardInterrupt:
        print("\nstopped; nothing was written", file=sys.stderr)
        return 130
    print(path)
    return 0


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="records", description="Record answers, and compare two records.")
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write", help="ask the questions and write the answers")
    writing.add_argument("file", type=Path, nargs="?", help="default: build/records/COMMIT.jsonl")
    writing.add_argument("--kinds", nargs="+", metavar="KIND", help="only these kinds of models")
    writing.add_argument("--questions", type=int, default=2000, metavar="N")
    comparing = commands.add_parser("compare", help="say what differs; exit code 1 if anything does")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    comparing.add_argument(
        "--ignore-nodes", action="store_true", help="allow other counts of nodes and queries"
    )
    comparing.add_argument("--most", type=int, default=20, metavar="N", help="how many differences to show")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
