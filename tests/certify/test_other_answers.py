"""Certificates of all answers but explanations: both checkers accept them, and nothing that is false."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import primewood as pw
from certify import fraction_checker
from certify.answers import TRUE, Rows, ask_everything
from certify.models import CASES, KINDS, ask
from certify.test_certificates import pack, unpack
from primewood.certify import check as checker
from primewood.certify import check_more
from primewood.ensemble.file import bytes_of
from primewood.errors import NoCertificate

CASES_HERE = tuple(case for case in CASES if case not in ("near", "fixed", "values"))
QUICK = [(kind, case, 0) for kind, case in itertools.product(KINDS, CASES_HERE)]
MANY = [(kind, case, seed) for kind, case in itertools.product(KINDS, CASES_HERE) for seed in range(1, 9)]


def judge(raw: bytes, content: bytes, other: bytes | None = None) -> tuple[int, int, int] | None:
    """What both checkers count; None if both reject."""
    files = [raw] if other is None else [raw, other]
    try:
        first = check_more.check(*map(checker.EnsembleFile, files), content)
    except checker.Rejected:
        with pytest.raises(fraction_checker.Rejected):
            fraction_checker.check(raw, content, other)
        return None
    second = fraction_checker.check(raw, content, other)
    assert (first.nodes, first.cells, first.witnesses) == tuple(
        second[x] for x in ("nodes", "cells", "witnesses")
    )
    return first.nodes, first.cells, first.witnesses


def accept_all(kind: str, case: str, seed: int) -> set[str]:
    asked = ask(kind, case, seed)
    assert asked.explainer.ensemble is not None
    raw, kinds = bytes_of(asked.explainer.ensemble), set()
    for answer in ask_everything(asked):
        certificate = answer.certificate()
        assert judge(raw, certificate.content) is not None
        assert TRUE[certificate.kind](Rows(asked.explainer, certificate.header))
        kinds.add(certificate.kind)
    return kinds


@pytest.mark.parametrize(("kind", "case", "seed"), QUICK)
def test_both_checkers_accept_the_certificates_of_all_answers(kind: str, case: str, seed: int) -> None:
    assert {"nearest", "radius"} <= accept_all(kind, case, seed)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "case", "seed"), MANY)
def test_both_checkers_accept_the_certificates_of_all_answers_about_many_models(
    kind: str, case: str, seed: int
) -> None:
    accept_all(kind, case, seed)


def mutations(content: bytes, rng: np.random.Generator) -> list[bytes]:
    """The same certificate with other claims, and with other bytes."""
    found = []

    def change(edit: Any) -> None:
        header, rest = unpack(content)
        edit(header)
        found.append(pack(header, rest))

    header, rest = unpack(content)
    for _ in range(8):
        flipped = bytearray(rest)
        if flipped:
            flipped[int(rng.integers(len(flipped)))] ^= 1 << int(rng.integers(8))
        found.append(pack(header, bytes(flipped)))
    change(lambda h: h.update(band=0))
    change(lambda h: h.update(clauses=[], orders=[], chains=[]))
    for claim in header.get("claims", []):
        for key in claim["box"]:
            change(lambda h, key=key: h["claims"][0]["box"].pop(key, None))
    if "costs" in header:
        change(lambda h: h["costs"].update(distance=h["costs"]["distance"] * 1.01 + 0.01))
        change(lambda h: h["costs"].update(grain=h["costs"]["grain"] - 1))
        change(lambda h: [m.update(jump=0.0) for m in h["costs"]["moves"]])
    if "property" in header and "monotone" in header["property"]:
        ways = {"increasing": "decreasing", "decreasing": "increasing"}
        change(lambda h: h["property"].update(direction=ways[h["property"]["direction"]]))
        change(lambda h: h["property"].update(order=[0]))
    if "parts" in header:
        change(lambda h: h["parts"][0]["claims"].pop() if h["parts"][0]["claims"] else h["parts"].pop())
        change(lambda h: h["second"].update(paired=False))
    if "least" in header:
        count = len(header["features"])
        change(lambda h: h["least"].update(weights=[1.0, 3.0, 1.0, 0.25][:count]))
        change(lambda h: h["least"].update(contrasts=max(0, h["least"]["contrasts"] - 1)))
        change(lambda h: h["least"].update(avoided=[0]))
    return found


SLOWER = [
    pytest.param(kind, marks=pytest.mark.slow)
    for kind in (
        "xgboost",
        "three classes",
        "any order",
    )
]


@pytest.mark.parametrize("kind", ["forest", *SLOWER])
def test_what_is_changed_is_rejected_unless_it_is_still_true(kind: str) -> None:
    asked = ask(kind, "plain", 3)
    assert asked.explainer.ensemble is not None
    raw, rng = bytes_of(asked.explainer.ensemble), np.random.default_rng(0)
    rejected = 0
    for answer in ask_everything(asked):
        for content in mutations(answer.certificate().content, rng):
            if judge(raw, content) is None:
                rejected += 1
                continue
            header = unpack(content)[0]
            assert TRUE[header["kind"]](Rows(asked.explainer, header))
    assert rejected > 50


def test_two_models_that_decide_alike_are_certified() -> None:
    asked = ask("xgboost", "plain", 0)
    other = ask("xgboost", "plain", 0).explainer
    assert asked.explainer.ensemble is not None and other.ensemble is not None
    found = asked.explainer.compare(other)
    certificate = found.certificate()
    files = [bytes_of(one.ensemble) for one in (asked.explainer, other)]
    assert judge(files[0], certificate.content, files[1]) is not None
    assert "decide alike" in str(pw.confirm(asked.explainer.ensemble, certificate, other.ensemble))
    third = ask("xgboost", "plain", 4).explainer
    assert third.ensemble is not None
    assert judge(files[0], certificate.content, bytes_of(third.ensemble)) is None


def test_two_forests_that_differ_in_leaves_that_never_decide_are_certified(tmp_path: Path) -> None:
    asked = ask("forest", "plain", 0)
    ensemble = asked.explainer.ensemble
    assert ensemble is not None
    raw, certified = bytes_of(ensemble), 0
    for tree in range(len(ensemble.trees)):
        record = json.loads(raw)
        leaf = record["trees"][tree]["feature"].index(-1)
        value = record["trees"][tree]["value"][leaf]
        record["trees"][tree]["value"][leaf] = [value[0] + 1e-3, value[1] - 1e-3]
        (tmp_path / "other.json").write_text(json.dumps(record))
        other = pw.load(tmp_path / "other.json")
        assert isinstance(other, pw.Ensemble)
        found = asked.explainer.compare(other)
        if not found.equivalent:
            with pytest.raises(NoCertificate, match="only what holds"):
                found.certificate()
            continue
        assert judge(raw, found.certificate().content, bytes_of(other)) is not None
        certified += 1
    assert certified > 0


def test_groups_of_one_tree_each_are_no_groups(tmp_path: Path) -> None:
    asked = ask("forest", "plain", 0)
    assert asked.explainer.ensemble is not None
    raw = bytes_of(asked.explainer.ensemble)
    record = json.loads(raw)
    record["groups"] = [[1, 1.0]] * len(record["trees"])
    (tmp_path / "other.json").write_text(json.dumps(record))
    other = pw.load(tmp_path / "other.json")
    assert isinstance(other, pw.Ensemble)
    content = asked.explainer.compare(other).certificate().content
    assert judge(raw, content, bytes_of(other)) is not None


def test_what_does_not_hold_has_no_certificate() -> None:
    asked = ask("forest", "plain", 0)
    fails = asked.explainer.verify("a > -9 -> 1")
    with pytest.raises(NoCertificate, match="only what holds"):
        fails.certificate()
    everywhere = asked.explainer.verify(pw.robust_everywhere(1e-12, confidence=0.999))
    assert everywhere.holds
    with pytest.raises(NoCertificate, match="not covered"):
        everywhere.certificate()
