from __future__ import annotations

import json

import pytest

import primewood as pw
from primewood.errors import InvalidInput, TooLarge

X = pw.Variable("X", ["x1", "x2", "x3"])
Y = pw.Variable("Y", ["y1", "y2", "y3"])


@pytest.fixture(scope="module")
def audit():
    return pw.random_audit(functions=200, seed=1)


def test_only_negative_one_hot_with_psi_implies_is_right(audit):
    for row in audit.rows:
        right = (row.encoding, row.formula, row.keep) == ("one-hot", "Ψ⇒Δ_b", "negative")
        assert (row.missing + row.wrong + row.undecodable == 0) == right, row
    best = audit.row("one-hot", "Ψ⇒Δ_b", "negative")
    assert best.reported == audit.primes > 600 and best.exact_functions == audit.functions == 200


def test_the_other_ways_fail_as_the_paper_says(audit):
    assert audit.row("one-hot", "Ψ⇒Δ_b", "all").wrong > 0
    assert audit.row("one-hot", "Ψ∧Δ_b", "negative").missing > 0.8 * audit.primes
    assert audit.row("one-hot", "Ψ∧Δ_b", "all").missing > 0.8 * audit.primes
    assert audit.row("prefix", "Ψ⇒Δ_b", "all").missing > 0
    assert audit.row("highest-bit", "Δ_b", "all").undecodable > 0


def test_requirements_of_an_encoding(audit):
    found = {(r.encoding, r.keep, r.values): r for r in audit.requirements}
    for n in (3, 4, 5):
        assert found["one-hot", "negative", n].representable == 2**n - 2
        assert found["prefix", "all", n].representable == n * (n + 1) // 2 - 1
        assert found["highest-bit", "all", n].representable == 2 * n - 2
        assert found["one-hot", "positive", n].representable == n
        assert found["one-hot", "negative", n].equivalence and found["one-hot", "negative", n].subsumption
        assert not found["prefix", "all", n].equivalence and not found["prefix", "all", n].subsumption


def test_model_counts(audit):
    assert audit.encoded_models["one-hot"] == audit.encoded_models["prefix"] == audit.models
    single = pw.audit((X == "x1") | (Y == "y1"))
    assert single.models == single.encoded_models["one-hot"] == 5


def test_an_audit_is_reproducible_and_plain():
    again = pw.random_audit(functions=5, seed=3)
    assert again == pw.random_audit(functions=5, seed=3)
    assert json.loads(json.dumps(again.to_dict()))["functions"] == 5
    assert "missing" in str(again)


def test_bad_audits_are_refused():
    with pytest.raises(InvalidInput):
        pw.random_audit(functions=0)
    with pytest.raises(InvalidInput):
        pw.audit("X=x1")
    with pytest.raises(InvalidInput, match="no such way"):
        pw.audit(X == "x1").row("one-hot", "Ψ", "all")
    big = [pw.Variable(f"V{i}", range(5)) for i in range(3)]
    with pytest.raises(TooLarge, match="15"):
        pw.audit(big[0].literal([1]).over(big))
