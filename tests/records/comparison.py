"""What differs between two files of records, in plain words."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from records import FORMAT

Record = Mapping[str, Any]
ABSENT = "(absent)"
COUNTS = ("work", "queries")
"""Keys that count what a search did: how an answer was found, not what it is."""


@dataclass(frozen=True)
class Records:
    """A file of records: its header, and the questions by their ids."""

    header: Record
    questions: Mapping[str, Record]

    @classmethod
    def read(cls, path: Path) -> Records:
        try:
            header, *questions = map(json.loads, path.read_text(encoding="utf-8").splitlines())
            if header["format"] != FORMAT:
                raise ValueError(header["format"])
        except (OSError, ValueError, KeyError, TypeError) as problem:
            raise SystemExit(f"{path} is not a file that `make record` wrote: {problem}") from None
        return cls(header, {record["id"]: record for record in questions})


class Comparison:
    """Two files of records side by side.

    Parameters
    ----------
    old, new
        The two files.
    ignore_nodes
        Whether counts of search nodes and queries may differ.
    """

    def __init__(self, old: Records, new: Records, *, ignore_nodes: bool = False) -> None:
        self.old, self.new = old, new
        self.shared = [name for name in old.questions if name in new.questions]
        self.missing = [name for name in old.questions if name not in new.questions]
        self.added = [name for name in new.questions if name not in old.questions]
        ignored = COUNTS if ignore_nodes else ()
        self.differing = {
            name: found
            for name in self.shared
            if (found := first_difference(old.questions[name], new.questions[name], ignored))
        }

    @property
    def same(self) -> bool:
        return not (self.differing or self.missing or self.added)

    def lines(self, most: int = 20) -> Iterator[str]:
        """The comparison in words; of many differences the first."""
        yield from self._header_lines()
        equal = len(self.shared) - len(self.differing)
        yield f"{equal:,} of {len(self.shared):,} shared questions have the same record."
        for names, which in ((self.missing, "first"), (self.added, "second")):
            if names:
                yield f"{len(names):,} questions are only in the {which} file: {shorten(', '.join(names), 300)}"
        for name, (key, before, after) in list(self.differing.items())[:most]:
            yield f"{name}: {key}"
            yield f"    first:  {shorten(before)}"
            yield f"    second: {shorten(after)}"
        if len(self.differing) > most:
            yield f"... and {len(self.differing) - most:,} more questions differ"
        yield from self._kind_lines()

    def _header_lines(self) -> Iterator[str]:
        """What the answers depend on besides the code, where it differs."""
        if self.old.header["models"] != self.new.header["models"]:
            names = self.old.header["models"].keys() | self.new.header["models"].keys()
            changed = sorted(
                name
                for name in names
                if self.old.header["models"].get(name) != self.new.header["models"].get(name)
            )
            yield f"The models differ, so their answers may: {', '.join(changed)}"
        for key in ("seed", "python", "machine", "libraries"):
            found = first_difference(self.old.header[key], self.new.header[key], (), key)
            if found:
                yield f"{found[0]} differs: {found[1]} and {found[2]}"

    def _kind_lines(self) -> Iterator[str]:
        """Search nodes per kind of model."""
        before, after, changed = Counter[str](), Counter[str](), Counter[str]()
        for name in self.shared:
            old, new = self.old.questions[name], self.new.questions[name]
            before[old["kind"]] += old["work"]["nodes"]
            after[old["kind"]] += new["work"]["nodes"]
            changed[old["kind"]] += old["work"] != new["work"]
        yield "Search nodes per kind of model:"
        for kind in before:
            ratio = f"{after[kind] / before[kind]:.3f} times" if before[kind] else "none before"
            told = f"{ratio}, {changed[kind]} questions differ" if changed[kind] else "the same"
            yield f"    {kind}: {before[kind]:,} -> {after[kind]:,} ({told})"


def first_difference(
    old: Any, new: Any, ignored: tuple[str, ...], key: str = ""
) -> tuple[str, str, str] | None:
    """The key under which two records first differ, with what each has there."""
    if isinstance(old, dict) and isinstance(new, dict):
        names = [name for name in sorted(old.keys() | new.keys()) if name not in ignored]
        pairs = [
            (f"{key}.{name}".lstrip("."), old.get(name, ABSENT), new.get(name, ABSENT)) for name in names
        ]
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = [(f"{key}[{i}]", *pair) for i, pair in enumerate(zip(old, new, strict=True))]
    else:
        texts = (json.dumps(old, sort_keys=True), json.dumps(new, sort_keys=True))
        return (key, *texts) if texts[0] != texts[1] else None
    return next(
        (found for name, a, b in pairs if (found := first_difference(a, b, ignored, name))),
        None,
    )


def shorten(text: str, most: int = 160) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."
