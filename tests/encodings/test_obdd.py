"""Boolean diagrams of decisions: the same function as the encoded expression, and as the model on every cell."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

import primewood as pw
from primewood.encodings import HighestBit, Obdd, OneHot, Prefix
from primewood.errors import InvalidInput, TooLarge
from primewood.logic.table import truth_table

A, B, C = pw.Variable("A", [1, 2, 3]), pw.Variable("B", ["r", "b", "g", "w"]), pw.Variable("C", ["l", "h"])
EXPRESSIONS = ["(B=r | B=b) -> (A=2 & C!=h)", "A=1", "A=1 & A=2", "A=1 | A!=1", "(A=1 & B=g) | (A!=3 & C=l)"]
ENCODINGS = {"one-hot": OneHot, "prefix": Prefix, "highest-bit": HighestBit}


def assignments(names):
    for bits in itertools.product([False, True], repeat=len(names)):
        yield dict(zip(names, bits, strict=True))


@pytest.mark.parametrize("psi", ["and", "implies"])
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("text", EXPRESSIONS)
def test_it_is_the_encoded_expression_for_every_assignment(text, encoding, psi):
    delta = pw.parse(text, [A, B, C]).over([A, B, C])
    coder = ENCODINGS[encoding]([A, B, C])
    found = pw.compile(delta).obdd(True, encoding=encoding, psi=psi)
    found.check()
    whole = coder.with_psi(coder.encode(delta), psi).over(coder.booleans)
    expected = truth_table(whole, coder.booleans).ravel().tolist()
    names = [b.name for b in coder.booleans]
    assert [found.evaluate(bits) for bits in assignments(names)] == expected
    assert found.count() == sum(expected)


@pytest.mark.parametrize("encoding", ENCODINGS.values())
def test_the_values_that_remain_are_those_that_are_met(encoding):
    coder = encoding([B])
    length = len(coder.blocks[B])
    for bits in itertools.product([False, True], repeat=length):
        mask = B.everything
        for place, bit in enumerate(bits):
            mask = coder.keep_values(B, mask, place, bit)
        assert mask == coder.met(B, dict(enumerate(bits)))[0]


def cells(explainer):
    """Every cell with a row in it."""
    domain = explainer.domain
    for point in itertools.product(*(range(len(x)) for x in domain.variables)):
        yield point, domain.row_in(point)


def models():
    generator = np.random.default_rng(1)
    X = generator.integers(0, 6, (200, 3)).astype(float)
    y = np.where(X[:, 0] + X[:, 1] * (X[:, 2] > 2) > 5, "yes", "no")
    yield RandomForestClassifier(3, max_depth=3, random_state=0).fit(X, y), X
    yield (
        GradientBoostingClassifier(n_estimators=4, max_depth=2, learning_rate=1.0, random_state=0).fit(X, y),
        X,
    )


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("place", [0, 1], ids=["forest", "boosted trees"])
def test_the_file_decides_every_cell_as_the_model_does(tmp_path, place, encoding):
    model, X = list(models())[place]
    explainer = pw.Explainer(model, X)
    explainer.compile().obdd("yes", encoding=encoding).save(tmp_path / "yes.json")
    found = Obdd.load(tmp_path / "yes.json")
    features = found.facts["features"]
    decided = 0
    points, rows = zip(*cells(explainer), strict=True)
    for point, predicted in zip(points, model.predict(np.array(rows)), strict=True):
        bits = {}
        for feature, value in zip(features, point, strict=True):
            bits |= zip(feature["variables"], map(bool, feature["codes"][value]), strict=True)
        assert found.evaluate(bits) == (predicted == "yes")
        decided += predicted == "yes"
    assert 0 < decided < len(points)
    if encoding != "highest-bit":  # there, several assignments stand for one cell
        assert found.count() == decided


@pytest.mark.parametrize("place", [0, 1], ids=["forest", "boosted trees"])
def test_the_clauses_have_the_cells_of_the_decision_as_models(place):
    from pysat.solvers import Solver

    model, X = list(models())[place]
    compiled = pw.Explainer(model, X).compile()
    cnf = compiled.obdd("yes").to_cnf()
    with Solver(bootstrap_with=[list(clause) for clause in cnf.clauses]) as solver:
        assert sum(1 for _ in solver.enum_models()) == compiled.count()["yes"] > 0


@pytest.mark.parametrize(("text", "models"), [("A=1 | A!=1", 1), ("A=1 & A=2", 0)])
def test_clauses_of_what_is_always_or_never_true(text, models):
    cnf = pw.compile(pw.parse(text, [A]).over([A])).obdd(True, encoding="highest-bit").to_cnf()
    assert cnf.clauses == (() if models else ((),))


def test_constraints_are_granted():
    tree = pw.Tree.build((0, 1.5, [1, 0], (1, 1.5, [0, 1], [1, 0])))
    ensemble = pw.Ensemble((tree,), ("a", "b"), ("no", "yes"))
    free = pw.Explainer(ensemble, missing="forbid").compile()
    bound = pw.Explainer(ensemble, constraints=["a <= 1 -> b <= 1"], missing="forbid").compile()
    assert free.obdd("yes").count() < bound.obdd("yes").count()


def test_a_diagram_that_outgrows_its_cap_says_so():
    compiled = pw.compile(pw.parse(EXPRESSIONS[0], [A, B, C]))
    with pytest.raises(TooLarge, match="more than 3 nodes"):
        compiled.obdd(True, max_nodes=3)


def test_a_feature_with_very_many_values_is_refused_with_their_number():
    wide = pw.Variable("wide", list(range(900)))
    with pytest.raises(TooLarge, match="wide has 900 values"):
        pw.compile(wide.isin(range(0, 900, 2))).obdd(True)


def test_what_is_not_an_encoding_is_refused():
    compiled = pw.compile(pw.parse("A=1", [A]))
    with pytest.raises(InvalidInput, match="encoding must be 'one-hot' or 'prefix' or 'highest-bit'"):
        compiled.obdd(True, encoding="binary")
    with pytest.raises(InvalidInput, match="psi must be 'and' or 'implies'"):
        compiled.obdd(True, psi="none")


def test_a_damaged_file_is_refused(tmp_path):
    obdd = pw.compile(pw.parse(EXPRESSIONS[0], [A, B, C])).obdd(True)
    obdd.save(tmp_path / "a.json")
    document = json.loads((tmp_path / "a.json").read_text())
    for change in (
        {"root": 99},
        {"nodes": [[0, 1, 1]]},
        {"nodes": [[0, 7, 1]]},
        {"version": 9},
        {"nodes": 3},
    ):
        (tmp_path / "b.json").write_text(json.dumps({**document, **change}))
        with pytest.raises(InvalidInput):
            Obdd.load(tmp_path / "b.json")
    assert Obdd.load(tmp_path / "a.json") == obdd
    obdd.save(tmp_path / "a.dot")
    assert (tmp_path / "a.dot").read_text().startswith("digraph obdd {") and "B=r" in obdd.to_dot()
    with pytest.raises(InvalidInput, match=r"expected \.json or \.dot"):
        obdd.save(tmp_path / "a.png")
