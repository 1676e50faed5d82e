"""Certificates of explanations: both checkers accept them, and nothing that is false is accepted."""

from __future__ import annotations

import gzip
import itertools
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import primewood as pw
from certify import fraction_checker
from certify.answers import TRUE, Rows
from certify.models import CASES, KINDS, ask
from primewood.certify import check as checker
from primewood.certify import check_more
from primewood.domain.knowledge import Order
from primewood.ensemble.file import bytes_of
from primewood.errors import CertificateRejected, NoCertificate

LANGUAGES = ("sets", "intervals", "values")
QUICK = [(kind, case, 0) for kind, case in itertools.product(KINDS, CASES)]
MANY = [(kind, case, seed) for kind, case in itertools.product(KINDS, CASES) for seed in range(1, 13)]


def both_accept(explainer: pw.Explainer, certificate: pw.Certificate) -> None:
    assert explainer.ensemble is not None
    raw = bytes_of(explainer.ensemble)
    header = unpack(certificate.content)[0]
    check = check_more.check if header["clauses"] or header["orders"] else checker.check
    first = check(checker.EnsembleFile(raw), certificate.content)
    second = fraction_checker.check(raw, certificate.content)
    assert (first.nodes, first.cells, first.witnesses) == (
        second["nodes"],
        second["cells"],
        second["witnesses"],
    )


@pytest.mark.parametrize(("kind", "case", "seed"), QUICK)
def test_both_checkers_accept_the_certificates_of_small_models(kind: str, case: str, seed: int) -> None:
    asked = ask(kind, case, seed)
    count = 0
    for why in asked.explanations(LANGUAGES):
        both_accept(asked.explainer, why.certificate())
        count += 1
    assert count >= 3


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "case", "seed"), MANY)
def test_both_checkers_accept_the_certificates_of_many_small_models(kind: str, case: str, seed: int) -> None:
    asked = ask(kind, case, seed)
    for why in asked.explanations(LANGUAGES):
        both_accept(asked.explainer, why.certificate())


def unpack(content: bytes) -> tuple[dict[str, Any], bytes]:
    line, _, rest = gzip.decompress(content).partition(b"\n")
    return json.loads(line), rest


def pack(header: dict[str, Any], rest: bytes) -> bytes:
    return gzip.compress(json.dumps(header).encode() + b"\n" + rest, mtime=0)


def mutations(content: bytes, rng: np.random.Generator) -> list[bytes]:
    """What another certificate might look like: fields, boxes, witnesses and bytes are changed."""
    found = []

    def change(edit: Any) -> None:
        header, rest = unpack(content)
        edited = edit(header, bytearray(rest))
        found.append(pack(header, edited if isinstance(edited, bytes) else rest))

    header = unpack(content)[0]
    for _ in range(12):
        change(lambda _, rest: _flip(rest, rng))
    change(lambda h, _: h.update(band=0))
    change(lambda h, _: h.update(shift=h["shift"] - 1))
    change(lambda h, _: h.update(carrier=0 if h["carrier"] is None else None))
    change(lambda h, _: h.update(summation="any" if h["summation"] == "sequential" else "sequential"))
    change(lambda h, _: h["claims"][0].update(decided=[1 - min(1, h["claims"][0]["decided"][0])]))
    change(lambda h, _: h["claims"][0]["proofs"][0].__setitem__(2, h["claims"][0]["proofs"][0][2] * 2))
    change(lambda h, _: h["claims"][0]["proofs"].pop())
    change(lambda h, _: h.update(clauses=[], orders=[], chains=[]))
    for key in header["claims"][0]["box"]:
        change(lambda h, _, key=key: h["claims"][0]["box"].pop(key))
        change(lambda h, _, key=key: _widen(h["claims"][0]["box"][key]))
    for feature in range(len(header["features"])):
        change(lambda h, _, i=feature: h["features"][i].update(missing=not h["features"][i]["missing"]))
        change(lambda h, _, i=feature: h["features"][i].update(whole=False, low=None, high=None))
    return found


def _flip(rest: bytearray, rng: np.random.Generator) -> bytes:
    if rest:
        rest[int(rng.integers(len(rest)))] ^= 1 << int(rng.integers(8))
    return bytes(rest)


def _widen(literal: dict[str, Any]) -> None:
    """Allow more: an end is open, or a value is added."""
    if literal.get("runs"):
        literal["runs"][0][0] = None
    elif literal.get("values") is not None:
        literal["values"] = sorted({*literal["values"], 0})


def is_true(explainer: pw.Explainer, header: dict[str, Any]) -> bool:
    """Whether the claims hold on rows of all cells that the header speaks of, by the reference `predict` alone."""
    return TRUE[header["kind"]](Rows(explainer, header))


SLOWER = [
    pytest.param(kind, marks=pytest.mark.slow)
    for kind in (
        "forest",
        "three classes",
        "any order",
    )
]


@pytest.mark.parametrize("kind", ["xgboost", "lightgbm", *SLOWER])
def test_what_is_changed_is_rejected_unless_it_is_still_true(kind: str) -> None:
    asked = ask(kind, "plain", 3)
    rng = np.random.default_rng(0)
    assert asked.explainer.ensemble is not None
    raw = bytes_of(asked.explainer.ensemble)
    model = checker.EnsembleFile(raw)
    rejected = 0
    for why in asked.explanations(("sets", "intervals")):
        for content in mutations(why.certificate().content, rng):
            accepted = {}
            for name, run in (("first", checker.check), ("second", fraction_checker.check)):
                try:
                    run(model if name == "first" else raw, content)  # type: ignore[operator]
                    accepted[name] = True
                except (checker.Rejected, fraction_checker.Rejected):
                    accepted[name] = False
            assert accepted["first"] == accepted["second"]
            rejected += not accepted["first"]
            if accepted["first"]:
                assert is_true(asked.explainer, unpack(content)[0])
    assert rejected > 20


def test_a_certificate_is_about_one_ensemble_file() -> None:
    asked, other = ask("forest", "plain", 0), ask("forest", "plain", 2)
    certificate = next(asked.explanations(("intervals",))).certificate()
    assert other.explainer.ensemble is not None
    with pytest.raises(CertificateRejected, match="another ensemble file"):
        pw.confirm(other.explainer.ensemble, certificate)


def test_random_bytes_are_rejected_and_nothing_else_happens() -> None:
    asked = ask("forest", "plain", 0)
    assert asked.explainer.ensemble is not None
    model = checker.EnsembleFile(bytes_of(asked.explainer.ensemble))
    content = next(asked.explanations(("intervals",))).certificate().content
    rng = np.random.default_rng(1)
    for _ in range(300):
        raw = bytearray(gzip.decompress(content))
        for _ in range(int(rng.integers(1, 4))):
            raw[int(rng.integers(len(raw)))] = int(rng.integers(256))
        try:
            checker.check(model, gzip.compress(bytes(raw)))
        except checker.Rejected:
            continue
    for junk in (b"", b"\x1f\x8b", content[:-3], gzip.compress(b"{}"), gzip.compress(b"null\n")):
        with pytest.raises(checker.Rejected):
            checker.check(model, junk)


def test_the_same_explanation_gives_the_same_bytes() -> None:
    contents = {
        next(ask("forest", "plain", 0).explanations(("sets",))).certificate().content for _ in range(2)
    }
    assert len(contents) == 1


def test_the_checker_runs_alone(tmp_path: Path) -> None:
    asked = ask("forest", "plain", 0)
    assert asked.explainer.ensemble is not None
    asked.explainer.ensemble.save(tmp_path / "ensemble.json")
    next(asked.explanations(("intervals",))).certificate().save(tmp_path / "case.pwcert")
    shutil.copy(checker.__file__, tmp_path / "check.py")
    call = [sys.executable, "-I", "check.py", "ensemble.json", "case.pwcert"]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Confirmed")
    assert "Assumes:" in done.stdout and "Trusts:" in done.stdout
    shortest = asked.explainer.explain(asked.rows[0], goal="shortest").certificate()
    shortest.save(tmp_path / "shortest.pwcert")
    done = subprocess.run(
        [*call[:-1], "shortest.pwcert"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and "check_more.py" in done.stdout
    shutil.copy(check_more.__file__, tmp_path / "check_more.py")
    more = [sys.executable, "check_more.py", "ensemble.json", "shortest.pwcert"]
    clean = {"PATH": "", "PYTHONPATH": ""}
    done = subprocess.run(more, cwd=tmp_path, capture_output=True, text=True, check=False, env=clean)
    assert done.returncode == 0, done.stderr
    assert "No set of features that is smaller suffices" in done.stdout
    (tmp_path / "case.pwcert").write_bytes(gzip.compress(b"{}\n"))
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout.startswith("Not confirmed")


def test_the_checker_imports_only_numpy_and_the_standard_library() -> None:
    for module, others in ((checker, {"numpy"}), (check_more, {"numpy"})):
        lines = Path(module.__file__).read_text(encoding="utf-8").splitlines()
        imported = {x.split()[1].partition(".")[0] for x in lines if x.startswith(("import ", "from "))}
        assert imported - sys.stdlib_module_names == others


def test_an_answer_without_a_certificate_says_why() -> None:
    asked = ask("forest", "plain", 0)
    interrupted = asked.explainer.explain(asked.rows[0], goal="prime", work_limit=1, literals="sets")
    if interrupted.status is not pw.Status.PROVED:
        with pytest.raises(NoCertificate, match="interrupted"):
            interrupted.certificate()
    near = asked.explainer.explain(asked.rows[0], near_features=1)
    with pytest.raises(NoCertificate, match="near_features"):
        near.certificate()
    a = pw.Variable("A", [1, 2, 3])
    of_expression = pw.Explainer(a == 1).explain({"A": 1})
    with pytest.raises(NoCertificate, match="expression"):
        of_expression.certificate()


def test_a_chain_of_orders_is_strict_only_where_rounding_keeps_it_strict() -> None:
    upper = Order("y < z", "y", "z", (0.0,), strict=True)
    lower = Order("x <= y + 1", "x", "y", (1.0,))
    chain = upper.chain(lower)
    z = np.nextafter(0.1, 1.0)
    assert lower.holds(1.1, 0.1) and upper.holds(0.1, z)
    assert chain.holds(1.1, z)
    assert Order("x < y", "x", "y", (0.0,), strict=True).chain(Order("w <= x", "w", "x", (0.0,))).strict
