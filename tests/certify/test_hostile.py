"""Hostile files: what a checker accepts is true, whatever was changed; it never crashes, hangs or grows."""

from __future__ import annotations

import copy
import gzip
import json
import resource
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from certify.answers import TRUE, Rows, ask_everything
from certify.models import ask
from certify.test_certificates import pack, unpack
from primewood.certify import check as checker
from primewood.certify import check_more
from primewood.ensemble.file import bytes_of

VALUES = (
    None,
    True,
    -1,
    0,
    1,
    2,
    7,
    2**31,
    2**70,
    0.5,
    -0.0,
    1e300,
    "",
    "x",
    "inf",
    [],
    [0],
    [[]],
    {},
    {"a": 1},
)
Path = tuple[Any, ...]


def list_paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """The places of everything in a JSON value; of long lists only the first and the last."""
    yield path
    items = (
        list(value.items())
        if isinstance(value, dict)
        else list(enumerate(value))
        if isinstance(value, list)
        else []
    )
    for key, inner in items if len(items) < 8 or isinstance(value, dict) else [items[0], items[-1]]:
        yield from list_paths(inner, (*path, key))


def change(value: Any, path: Path, new: Any) -> Any:
    """A copy of a JSON value with something else in one place; `...`: without it."""
    found = copy.deepcopy(value)
    *way, last = path
    held = found
    for key in way:
        held = held[key]
    if new is ...:
        del held[last]
    else:
        held[last] = new
    return found


def list_certificates(kind: str, seed: int = 3) -> tuple[Any, bytes, dict[str, bytes]]:
    """A model, its file, and a certificate of each kind about it."""
    asked = ask(kind, "orders" if kind == "forest" else "plain", seed)
    assert asked.explainer.ensemble is not None
    found: dict[str, bytes] = {}
    for answer in (*asked.explanations(("sets", "values")), *ask_everything(asked)):
        certificate = answer.certificate()
        found.setdefault(certificate.kind, certificate.content)
    compared = asked.explainer.compare(asked.explainer.ensemble).certificate()
    return asked.explainer, bytes_of(asked.explainer.ensemble), {**found, "compare": compared.content}


def accepts(files: list[checker.EnsembleFile], content: bytes) -> bool:
    try:
        check_more.check(*files, content)
    except checker.Rejected:
        return False
    return True


SLOW = [
    pytest.param(kind, marks=pytest.mark.slow)
    for kind in ("forest", "three classes", "xgboost 3", "any order")
]


@pytest.mark.parametrize("kind", ["categories", *SLOW])
def test_every_field_of_a_header_can_be_anything(kind: str) -> None:
    explainer, raw, certificates = list_certificates(kind)
    model, rng = checker.EnsembleFile(raw), np.random.default_rng(0)
    for name, content in certificates.items():
        files = [model] * (2 if name == "compare" else 1)
        header, rest = unpack(content)
        paths = [path for path in list_paths(header) if path]
        for path in paths:
            for new in (..., *(VALUES[k] for k in rng.choice(len(VALUES), 4, replace=False))):
                changed = change(header, path, new)
                if accepts(files, pack(changed, rest)) and changed != header:
                    assert path[0] not in ("format", "version", "kind", "model")
                    if path[0] not in ("decision", "second"):
                        assert TRUE[changed["kind"]](Rows(explainer, changed)), (name, path, new)


@pytest.mark.parametrize("kind", ["forest", "categories", "xgboost"])
def test_every_field_of_an_ensemble_file_can_be_anything(kind: str) -> None:
    _, raw, certificates = list_certificates(kind)
    record, rng = json.loads(raw), np.random.default_rng(0)
    header, rest = unpack(certificates["explanation"])
    record["trees"] = record["trees"][:2]
    for path in [path for path in list_paths(record) if path]:
        for new in (..., *(VALUES[k] for k in rng.choice(len(VALUES), 6, replace=False))):
            changed = json.dumps(change(record, path, new)).encode()
            try:
                model = checker.EnsembleFile(changed)
            except checker.Rejected:
                continue
            accepts([model], pack({**header, "model": model.digest}, rest))


@pytest.mark.parametrize("kind", ["forest", "categories", "xgboost 3"])
def test_random_bytes_are_rejected_and_nothing_else_happens(kind: str) -> None:
    _, raw, certificates = list_certificates(kind)
    model, rng = checker.EnsembleFile(raw), np.random.default_rng(1)
    for name, content in certificates.items():
        files = [model] * (2 if name == "compare" else 1)
        for _ in range(60):
            changed = bytearray(gzip.decompress(content))
            for _ in range(int(rng.integers(1, 4))):
                changed[int(rng.integers(len(changed)))] = int(rng.integers(256))
            accepts(files, gzip.compress(bytes(changed)))
        for junk in (
            b"",
            b"\x1f\x8b",
            content[:-3],
            content + b"x",
            gzip.compress(b"{}"),
            gzip.compress(b"null\n"),
        ):
            assert not accepts(files, junk)


def test_pieces_of_proofs_cannot_be_exchanged() -> None:
    explainer, raw, _ = list_certificates("three classes")
    model = checker.EnsembleFile(raw)
    asked = ask("three classes", "plain", 3)
    headers = [unpack(why.certificate().content) for why in asked.explanations(("sets", "intervals"))]
    tried = 0
    for (one, _), (_, other) in ((a, b) for a in headers for b in headers if a is not b):
        one = {**one, "blobs": one["blobs"]}
        if sum(one["blobs"]) != len(other):
            other = other[: sum(one["blobs"])].ljust(sum(one["blobs"]), b"\0")
        if accepts([model], pack(one, other)):
            assert TRUE[one["kind"]](Rows(explainer, one))
        tried += 1
    for header, rest in headers:
        for field in ("claims", "prime"):
            for other, _ in headers:
                mixed = {**header, field: other[field]}
                if mixed != header and accepts([model], pack(mixed, rest)):
                    assert TRUE["explanation"](Rows(explainer, mixed))
                tried += 1
    assert tried > 20


def limited(run: Any) -> tuple[float, int]:
    """CPU seconds and additional bytes that something takes."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.process_time()
    run()
    after = resource.getrusage(resource.RUSAGE_SELF)
    return time.process_time() - start, (after.ru_maxrss - before.ru_maxrss) * 1024


def test_large_claims_in_small_files_are_refused_soon() -> None:
    _, raw, certificates = list_certificates("forest")
    model = checker.EnsembleFile(raw)
    header, rest = unpack(certificates["explanation"])
    zeros = gzip.compress(bytes(2**29))
    deep = gzip.compress(b"[" * 10**6 + b"\n")
    many = {**header, "blobs": [2**27] * 4}
    lengths = pack({**header, "blobs": [2**62] * 4}, rest)
    counted = {**header, "blobs": [10]}
    counted["claims"][0]["proofs"] = [[*proof[:3], 0] for proof in counted["claims"][0]["proofs"]]
    long_count = pack(counted, b"\xff\xff\xff\xff\xff\xff\xff\x7f\x00\x00")
    endless = pack({**counted, "blobs": [2 * 10**6 + 1]}, b"\x00" + b"\x00\x00" * 10**6)
    for content in (zeros, deep, pack(many, rest), lengths, long_count, endless):
        seconds, grown = limited(lambda content=content: accepts([model], content))
        assert not accepts([model], content)
        assert seconds < 10 and grown < 2**31


def test_trees_that_share_their_nodes_are_refused() -> None:
    _, raw, _ = list_certificates("forest")
    record = json.loads(raw)
    depth = 60
    feature = [0] * depth + [-1]
    shared = {
        "feature": feature,
        "threshold": [float(k) for k in range(depth)] + [0.0],
        "left": [*range(1, depth + 1), -1],
        "right": [*range(1, depth + 1), -1],
        "missing_left": [False] * (depth + 1),
        "value": [[0.0, 1.0]] * (depth + 1),
        "set_of": None,
        "sets": [],
    }
    record["trees"][0] = shared
    with pytest.raises(checker.Rejected, match="child"):
        checker.EnsembleFile(json.dumps(record).encode())
