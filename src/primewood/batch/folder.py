"""The folder of a batch: parts, each written atomically, and a manifest that lists the finished parts.

    manifest.json              the question, the data, and the finished parts with their SHA-256
    part-00000.parquet         the explanations of the first block (or .jsonl)
    part-00000.timings.jsonl   the time of each row; it differs between runs, so it is not in the manifest
    part-00000.boxes.jsonl     with `reuse`: the explanations that later blocks reuse
    part-00000.certificates.zip  with `certificates`: those of its rows, each named by its SHA-256
    ensemble.json              with `certificates`: the file that they are about
    lock                       held by the run that writes here

A part is listed after it is written, so every listed part exists. Everything but the timings is the same in every run
that reaches no time limit.
"""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from hashlib import file_digest, sha256
from io import BufferedReader
from pathlib import Path
from typing import Any, Self, get_args
from typing import Literal as Choice

from primewood.errors import InvalidInput, MissingDependency
from primewood.fields import FieldCheck, Fields, flag, items, mapping, one_of, optional, text, whole, wrong
from primewood.files import check_header, open_handle, open_plain, parse_json, report_damage, write_whole

MANIFEST, LOCK, VERSION = "manifest.json", "lock", 1
BOXES, CERTIFICATES, ENSEMBLE = ".boxes.jsonl", ".certificates.zip", "ensemble.json"
PartFormat = Choice["parquet", "jsonl"]
"""The format of parts."""
LARGEST_MANIFEST, LARGEST_PART = 2**28, 2**32
"""The most bytes that are read."""
DIGEST = re.compile("[0-9a-f]{64}")
KNOWN_AS = {
    "primewood": "the version of primewood",
    "model": "the model",
    "training": "the training rows",
    "reading": "how the model is read (names, domain, groups, constraints, engine)",
    "data": "the data file",
    "dialect": "how the data file is read (sheet, decimal mark)",
    "kind": "the format of the parts",
}
"""The names of a question's entries in messages."""


def _any_object(value: Any, place: str) -> dict[str, Any]:
    return mapping(lambda held, _: held)(value, place)


ASKED: dict[str, FieldCheck[Any]] = {
    "primewood": text,
    "model": text,
    "training": optional(text),
    "reading": text,
    "data": text,
    "dialect": _any_object,
    "kind": one_of(get_args(PartFormat)),
    "settings": _any_object,
}
"""The types of a question's entries."""


@dataclass(frozen=True)
class Part:
    """A finished block.

    Attributes
    ----------
    rows : int
        How many rows it has.
    files : mapping from names to SHA-256
        Its files.
    """

    rows: int
    files: Mapping[str, str]

    @property
    def main(self) -> str:
        """The file with its explanations."""
        return next(name for name in self.files if not name.endswith((BOXES, CERTIFICATES)))


@dataclass(frozen=True)
class BatchQuestion:
    """The question of a batch, in plain types: equal questions have equal answers.

    Attributes
    ----------
    primewood : str
        The version.
    model, training, reading, data : str
        Digests of the model, the training rows, how the model is read, and the file of rows.
    dialect : mapping
        How the file of rows is read.
    kind : {"parquet", "jsonl"}
        The format of parts.
    settings : mapping
        How rows are explained.
    """

    primewood: str
    model: str | None
    training: str | None
    reading: str
    data: str
    dialect: Mapping[str, Any]
    kind: PartFormat
    settings: Mapping[str, Any]

    @classmethod
    def read(cls, fields: Fields) -> Self:
        """The question in a manifest; every field is checked."""
        return cls(**{name: fields.read(name, check) for name, check in ASKED.items()})

    def list_changes(self, now: BatchQuestion) -> list[str]:
        """What has changed in the question, in words."""
        changed = [words for name, words in KNOWN_AS.items() if getattr(self, name) != getattr(now, name)]
        return changed + [
            f"{name} ({json.dumps(self.settings.get(name))} then, {json.dumps(value)} now)"
            for name, value in now.settings.items()
            if self.settings.get(name) != value
        ]


@dataclass(frozen=True)
class Manifest:
    """The state of a batch.

    Attributes
    ----------
    question : BatchQuestion
        The question.
    features : tuple of str
        The features that the model tests.
    parts : tuple of Part
    finished : bool
        Whether these are all parts.
    """

    question: BatchQuestion
    features: tuple[str, ...]
    parts: tuple[Part, ...] = field(default=())
    finished: bool = False

    @property
    def rows(self) -> int:
        """How many rows the finished parts have."""
        return sum(part.rows for part in self.parts)

    def with_part(self, number: int, part: Part) -> Self:
        """The same with another part, added at the end or in place of a damaged part."""
        return replace(self, parts=(*self.parts[:number], part, *self.parts[number + 1 :]))

    def check_same(self, question: BatchQuestion) -> None:
        """Raise if the question has changed, and say how."""
        changed = self.question.list_changes(question)
        if changed:
            raise InvalidInput(
                f"this batch cannot be continued: {', '.join(changed)} changed since it began; "
                "ask as before, or pass another folder"
            )

    def to_dict(self) -> dict[str, Any]:
        """The manifest in plain types."""
        return {
            "format": "primewood batch",
            "version": VERSION,
            **asdict(self.question),
            "features": list(self.features),
            "rows": self.rows,
            "finished": self.finished,
            "parts": [{"rows": part.rows, "files": dict(part.files)} for part in self.parts],
        }

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> Self:
        """The manifest that `to_dict` gave; every field is checked."""
        fields = Fields(document)
        asked = BatchQuestion.read(fields)
        parts = fields.read("parts", items(_read_part))
        for number, part in enumerate(parts):
            _check_names(part, number, asked.kind)
        return cls(asked, fields.read("features", items(text)), parts, fields.read("finished", flag))


def part_name(number: int) -> str:
    """What the files of a part begin with.

    >>> part_name(3)
    'part-00003'
    """
    return f"part-{number:05d}"


def _read_part(value: Any, place: str) -> Part:
    fields = Fields(value, place)
    return Part(fields.read("rows", whole()), fields.read("files", mapping(_read_digest)))


def _read_digest(value: Any, place: str) -> str:
    if not DIGEST.fullmatch(text(value, place)):
        raise wrong(place, "a SHA-256 in 64 hexadecimal digits", value)
    return str(value)


def _check_names(part: Part, number: int, kind: str) -> None:
    """Raise unless a part names only its own files, so that no other file is opened."""
    main = f"{part_name(number)}.{kind}"
    others = part.files.keys() - {main, part_name(number) + BOXES, part_name(number) + CERTIFICATES}
    if others or main not in part.files:
        named = f"names {min(others)!r}" if others else f"does not name {main}"
        raise InvalidInput(f"parts[{number}].files {named}; a part has only its own files ({main})")


class Folder:
    """The folder of a batch."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Create the folder if needed, and lock it against other runs until this run ends."""
        try:
            import fcntl
        except ImportError:
            raise MissingDependency("batches are written where files can be locked: Linux or macOS") from None
        self._check_free()
        self.path.mkdir(parents=True, exist_ok=True)
        with os.fdopen(open_handle(self.path / LOCK, os.O_RDWR | os.O_CREAT), "rb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InvalidInput(
                    f"another run is writing to {self.path}; wait for its end, or pass another folder"
                ) from None
            yield

    def _check_free(self) -> None:
        """Raise if the folder contains something other than a batch."""
        if os.path.lexists(self.path) and not self.path.is_dir():
            raise InvalidInput(f"{self.path} is not a folder; a batch is written to a folder")
        held = {path.name for path in self.path.iterdir()} if self.path.exists() else set()
        strange = {name for name in held if name != LOCK and not name.startswith(MANIFEST)}
        if strange and MANIFEST not in held:
            raise InvalidInput(f"{self.path} is not empty; pass a new folder")

    def begin(self, fresh: Manifest, *, resume: bool) -> Manifest:
        """The manifest to start from: a new one, or that of the batch to resume."""
        if os.path.lexists(self.path / MANIFEST):
            begun = self.manifest()
            if not resume:
                state = "a finished batch" if begun.finished else "a batch that is not finished"
                raise InvalidInput(
                    f"{self.path} holds {state} of {begun.rows:,} rows; resume (--resume) goes on with it"
                )
            begun.check_same(fresh.question)
            self._tidy()
            return begun
        self._tidy()
        self.write_manifest(fresh)
        return fresh

    def _tidy(self) -> None:
        """Remove the unfinished files of a run that was killed."""
        for path in (*self.path.glob("part-*.part"), *self.path.glob(f"{MANIFEST}*.part")):
            path.unlink()

    def manifest(self) -> Manifest:
        """The manifest of the folder."""
        path = self.path / MANIFEST
        if not os.path.lexists(path):
            raise InvalidInput(f"{self.path} is not a folder of a batch: there is no {MANIFEST} in it")
        with open_plain(path, LARGEST_MANIFEST) as file:
            content = file.read()
        with report_damage(path, "write to a new folder"):
            document = parse_json(content)
        check_header(document, path, "batch", VERSION)
        with report_damage(path, "write to a new folder"):
            return Manifest.from_dict(document)

    def write_manifest(self, manifest: Manifest) -> None:
        """Write the manifest."""
        self.write(MANIFEST, json.dumps(manifest.to_dict(), indent=1).encode())

    def write_part(self, rows: int, files: Mapping[str, bytes], besides: Mapping[str, bytes]) -> Part:
        """Write the files of a part, and other files that its digests do not cover."""
        for name, content in {**besides, **files}.items():
            self.write(name, content)
        return Part(rows, {name: sha256(content).hexdigest() for name, content in files.items()})

    def write(self, name: str, content: bytes) -> None:
        """Write a file; it is there whole or not at all."""
        path = self.path / name
        try:
            write_whole(path, lambda file: file.write(content))
        except OSError as problem:
            raise OSError(problem.errno, problem.strerror or str(problem), str(path)) from problem

    def intact(self, manifest: Manifest) -> frozenset[int]:
        """The numbers of the finished parts whose files are unchanged; warns about the others."""
        found = set()
        for number, part in enumerate(manifest.parts):
            bad = [name for name, digest in part.files.items() if self._digest(name) != digest]
            if bad:
                warnings.warn(f"{self.path / bad[0]} is damaged or gone: it is done again", stacklevel=2)
            else:
                found.add(number)
        return frozenset(found)

    def _digest(self, name: str) -> str | None:
        try:
            with self.open(name) as file:
                return file_digest(file, "sha256").hexdigest()
        except (FileNotFoundError, InvalidInput):
            return None

    def open(self, name: str) -> BufferedReader:
        """Open a file of a part for reading; it must be a regular file, not a link."""
        return open_plain(self.path / name, LARGEST_PART)
