"""A second, slow checker of certificates in exact fractions, written from
docs/reference/certificates.md alone."""

from __future__ import annotations

import hashlib
import math
import struct
import sys
import zlib
from collections.abc import Iterable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from certify.fraction_checker_more import check_compare, check_least, check_nearest, check_never, check_pairs
from certify.fraction_checker_proof import Means, Proof, Reader, Region
from certify.fraction_checker_rows import (
    Box,
    Margin,
    Model,
    Name,
    Rejected,
    Weights,
    World,
    array,
    decode,
    fields,
    integer,
    listed,
    must,
    number,
    read_box,
)

__all__ = ["Rejected", "check"]

FOREIGN = (ArithmeticError, AttributeError, EOFError, LookupError, MemoryError, OSError, RecursionError)
MALFORMED = (AssertionError, TypeError, ValueError, struct.error, zlib.error)
COMMON = ("format", "version", "kind", "model", "decision", "summation", "shift", "band", "carrier")
ROWS = ("features", "clauses", "orders", "chains", "blobs")
KINDS = {
    "explanation": ("claims", "prime"),
    "rule": ("claims",),
    "radius": ("claims", "radius"),
    "never": ("claims",),
    "nearest": ("claims", "costs"),
    "compare": ("second", "claims"),
    "pairs": ("second", "property", "parts"),
    "shortest": ("claims", "prime", "least"),
}


# Claims


def alike(weights: Weights, margin: Margin, t: int, one: Name, two: Name) -> bool:
    """Whether two leaves of a tree need not be told apart."""
    model = weights.model
    if t >= model.count:
        return one == two
    if margin.weights[t][one] != margin.weights[t][two]:
        return False
    assert isinstance(one, int) and isinstance(two, int)
    a, b = model.v[t][one], model.v[t][two]
    if model.cuts is None and model.link == "identity":
        return weights.band == 0 or all(a[o] == b[o] for o in (margin.label, margin.rival))
    return weights.band == 0 or a == b


def check_claim(
    claim: Any, world: World, weights: Weights, blobs: list[bytes], whole: bool
) -> tuple[list[int], int, int]:
    """Check a claim, of whole cells or not; its decisions, and the numbers of nodes and of cells."""
    fields(claim, "decided", "box", "proofs")
    model = weights.model
    decided = listed(claim["decided"], model.classes - 1)
    box = read_box(claim["box"], world.features)
    for literal in box.values() if whole else ():
        literal.must_keep_cells_whole()
    trees = world.trees(model, {}) + world.knowledge({})
    excluded, nodes, cells = set[int](), 0, 0
    for label, rival, unit, blob in array(claim["proofs"]):
        integer(label, 0, model.classes - 1)
        integer(rival, 0, model.classes - 1)
        must(rival in model.rivals(label), "not a rival of the label")
        margin = weights.margin(label, rival)
        region = Region(world.features, trees, box, partial(alike, weights, margin))

        def won(leaves: list[Name], label: int = label, rival: int = rival) -> bool:
            return model.prefers(model.scores([n for n in leaves if isinstance(n, int)]), label, rival)

        means = Means(won=None if weights.any_order else won)
        body = blobs[integer(blob, 0, len(blobs) - 1)]
        more = Proof(region, [margin], False, means).check(body, integer(unit, 1, 2**61))
        nodes, cells = nodes + more[0], cells + more[1]
        if model.cuts is None:
            excluded.add(rival)
        else:
            excluded |= set(range(rival, model.classes) if rival > label else range(rival + 1))
    must(excluded | set(decided) == set(range(model.classes)), "a class is not excluded")
    return decided, nodes, cells


# Primeness and radius


def things_to_show(language: str, world: World, box: Box, fixed: set[int]) -> list[tuple[int, int | None]]:
    """The features and atoms outside the box that need a witness; None: an atom of choice."""
    things: list[tuple[int, int | None]] = []
    for j, literal in box.items():
        feature, cells = world.features[j], literal.cells
        interval = language == "intervals" and feature.ordered
        if interval and cells:
            must(cells == list(range(cells[0], cells[-1] + 1)), "a literal with more than one interval")
        if j in fixed:
            continue
        outside: Iterable[int] = [k for k in range(feature.atoms) if not literal.has_atom(k)]
        if language == "values" or (interval and not cells):
            things.append((j, None))
            continue
        if interval:
            near = (cells[0] - 1, cells[-1] + 1, len(feature.samples))
            outside = [k for k in outside if k in near]
        things += [(j, k) for k in outside]
    return things


def check_prime(data: Any, world: World, weights: Weights, box: Box, label: int, blobs: list[bytes]) -> int:
    """Check that no literal can be relaxed; the number of witnesses."""
    fields(data, "language", "row", "fixed", "bases", "numbers", "blob")
    must(data["language"] in ("sets", "intervals", "values"), "unknown language")
    last = len(world.features) - 1
    fixed, numbers = set(listed(data["fixed"], last)), listed(data["numbers"], last)
    must(all(world.features[j].numeric for j in numbers), "numbers of a listed feature")
    row = world.row(data["row"])
    world.must_be_possible(row)
    must(world.inside(row, box), "the row is not in the box")
    things = things_to_show(data["language"], world, box, fixed)
    reader = Reader(blobs[integer(data["blob"], 0, len(blobs) - 1)])
    bases = reader.points(integer(data["bases"], 0), world.atoms(row), world.features)
    points = []
    for j, given in things:
        index = reader.number()
        must(index < len(bases), "no such base")
        atom = reader.number() if given is None else given
        must(atom < world.features[j].atoms and not box[j].has_atom(atom), "an atom that is not outside")
        points.append([*bases[index][:j], atom, *bases[index][j + 1 :]])
    for (j, _), point in zip(things, points, strict=True):
        witness = world.sample(point)
        for f in numbers:
            x, feature = reader.float64(), world.features[f]
            if point[f] == len(feature.samples):
                must(math.isnan(x), "a number where a value is missing")
            else:
                low, high = feature.intervals[point[f]]
                must(low <= x <= high, "a number outside its cell")
            witness[feature.columns[0]] = x
        world.must_be_possible(witness)
        for f, literal in box.items():
            must(literal.has(world.held(witness, f)) == (f != j), "a witness on the wrong side of the box")
        must(weights.shows_other(witness, label), "a witness that is decided like the claim")
    reader.must_end()
    return len(points)


def check_radius(data: Any, world: World, weights: Weights, box: Box, decided: list[int]) -> None:
    """Check that the box has all rows near the row."""
    fields(data, "row", "norm", "distance", "scales", "witness")
    must(data["norm"] == "linf", "unknown norm")
    row = world.row(data["row"])
    world.must_be_possible(row)
    must(world.inside(row, box), "the row is not in the box")
    distance = Fraction(number(data["distance"]))
    scales = [Fraction(number(x)) for x in array(data["scales"], world.model.columns)]
    must(distance >= 0 and all(x >= 0 for x in scales), "a negative distance")
    for j, feature in enumerate(world.features):
        if not feature.numeric:
            must(all(scales[c] == 0 for c in feature.columns), "a listed feature with a scale")
            continue
        x, reach = row[feature.columns[0]], distance * scales[feature.columns[0]]
        if reach == 0 or math.isnan(x) or j not in box:
            continue
        for k, (low, high) in enumerate(feature.intervals):
            first = Fraction(x) - reach
            first = feature.next_number(max(first, Fraction(low)) if math.isfinite(low) else first)
            near = first is not None and first <= high and first <= Fraction(x) + reach
            must(box[j].has_atom(k) or not near, "the box leaves out a number within the radius")
    if data["witness"] is not None:
        witness = world.row(data["witness"])
        world.must_be_possible(witness)
        for c, (x, y) in enumerate(zip(row, witness, strict=False)):
            same = x == y or (math.isnan(x) and math.isnan(y))
            must(same or scales[c] > 0, "the witness differs where it must not")
            must(math.isnan(x) == math.isnan(y), "the witness is missing elsewhere than the row")
        must(len(decided) == 1, "a radius with a witness and several decisions")
        must(weights.shows_other(witness, decided[0]), "the witness is decided like the claim")


# The file


def unpack(certificate: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """The header and the blobs."""
    stream = zlib.decompressobj(wbits=31)
    content = stream.decompress(certificate, 2**28 + 1)
    must(len(content) <= 2**28, "the certificate is too large")
    must(stream.eof and not stream.unused_data, "not one whole gzip stream")
    line, newline, rest = content.partition(b"\n")
    must(newline == b"\n" and len(line) <= 2**26, "no header")
    header = decode(line)
    must(type(header) is dict and type(header.get("kind")) is str and header["kind"] in KINDS, "unknown kind")
    fields(header, *COMMON, *ROWS, *KINDS[header["kind"]])
    lengths = [integer(x, 0) for x in array(header["blobs"])]
    must(sum(lengths) == len(rest), "the blobs have other lengths")
    blobs, place = [], 0
    for length in lengths:
        blobs.append(rest[place : place + length])
        place += length
    return header, blobs


def check_all(ensemble: bytes, certificate: bytes, other: bytes | None) -> dict[str, Any]:
    """Check a certificate; exceptions of any kind reject it."""
    header, blobs = unpack(certificate)
    must(header["format"] == "primewood certificate" and integer(header["version"]) == 1, "not a certificate")
    must(header["model"] == hashlib.sha256(ensemble).hexdigest(), "about another model")
    kind, file = header["kind"], decode(ensemble)
    first = Weights(Model(file, header["decision"]), header)
    nodes, cells, witnesses = 0, 0, 0
    if kind == "compare":
        second = fields(header["second"], *COMMON[3:], "paired")
        if other is None:
            raise Rejected("a second file is needed")
        must(second["model"] == hashlib.sha256(other).hexdigest(), "about another second model")
        nodes, cells = check_compare(header, file, first, decode(other), blobs)
    elif kind == "pairs":
        second = fields(header["second"], *COMMON[3:], "paired")
        must(second["model"] == header["model"], "pairs of rows with two files")
        must(second["decision"] == header["decision"], "pairs of rows with two decisions")
        nodes, cells = check_pairs(header, file, first, blobs)
    elif kind == "never":
        nodes, cells = check_never(header, first, blobs)
    elif kind == "nearest":
        nodes, cells = check_nearest(header, first, blobs)
    else:
        world = World(header, [first.model])
        claims = array(header["claims"])
        must(len(claims) == 1 or (kind == "rule" and len(claims) > 1), "not exactly one claim")
        for claim in claims:
            decided, more_nodes, more_cells = check_claim(claim, world, first, blobs, kind != "radius")
            nodes, cells = nodes + more_nodes, cells + more_cells
        if kind in ("explanation", "shortest"):
            must(len(decided) == 1, "an explanation of several decisions")
            box = read_box(claims[0]["box"], world.features)
            witnesses = check_prime(header["prime"], world, first, box, decided[0], blobs)
            if kind == "shortest":
                prime = header["prime"]
                check_least(
                    header["least"],
                    world,
                    first,
                    box,
                    decided[0],
                    world.row(prime["row"]),
                    prime["fixed"],
                    blobs,
                )
        if kind == "radius":
            box = read_box(claims[0]["box"], world.features)
            check_radius(header["radius"], world, first, box, decided)
    return {"kind": kind, "nodes": nodes, "cells": cells, "witnesses": witnesses}


def check(
    ensemble_bytes: bytes, certificate_bytes: bytes, other_bytes: bytes | None = None
) -> dict[str, Any]:
    """What a certificate shows about one ensemble or two; Rejected if it breaks any rule."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 20000))
    try:
        with np.errstate(all="ignore"):
            return check_all(ensemble_bytes, certificate_bytes, other_bytes)
    except (*FOREIGN, *MALFORMED) as error:
        raise Rejected(f"{type(error).__name__}: {error}") from error
    finally:
        sys.setrecursionlimit(limit)
