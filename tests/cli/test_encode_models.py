"""`primewood encode MODEL --decision c`: a decision of a model as clauses and as a Boolean diagram."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import primewood as pw
from primewood.encodings import Cnf, Obdd

ASKED = ("encode", "forest.skops", "train.csv", "--decision", "approved")


def solver_of(text):
    from pysat.solvers import Solver

    cnf = Cnf.from_dimacs(text)
    return cnf, Solver(bootstrap_with=[list(clause) for clause in cnf.clauses])


def assumed(explainer, coder, cnf, row):
    """The literals of a row's code."""
    point = explainer.domain.point(row)
    signs = {}
    for x, value in zip(coder.variables, point, strict=True):
        for place, positive in coder.code(x, value).items():
            signs[coder.blocks[x][place].name] = positive
    return [number if signs[name] else -number for number, name in cnf.names.items()]


@pytest.mark.parametrize("vote", [[], ["--set", "vote=majority"]], ids=["own vote", "majority"])
@pytest.mark.parametrize("encoding", ["one-hot", "prefix", "highest-bit"])
def test_the_clauses_of_a_model_are_satisfied_by_the_rows_that_it_decides_so(files, call, encoding, vote):
    done = call(*ASKED, "--dimacs", "--encoding", encoding, *vote)
    assert done.code == 0
    cnf, solver = solver_of(done.out)
    rows = pd.read_csv("train.csv")
    explainer = pw.Explainer("forest.skops", rows, vote="majority" if vote else "model")
    kinds = {"one-hot": "OneHot", "prefix": "Prefix", "highest-bit": "HighestBit"}
    coder = getattr(pw.encodings, kinds[encoding])(explainer.domain.variables)
    assert list(cnf.names.values()) == [b.name for b in coder.booleans]
    decided = [explainer.decide(row) == "approved" for row in rows.to_numpy()[:60]]
    with solver:
        found = [solver.solve(assumed(explainer, coder, cnf, row)) for row in rows.to_numpy()[:60]]
    assert found == decided and 0 < sum(decided) < 60


def test_a_diagram_of_a_model_is_a_file(files, call, tmp_path):
    done = call(*ASKED, "--obdd", tmp_path / "approved.json", "--json")
    assert done.code == 0 and "written to" in done.err
    told = json.loads(done.out)
    found = Obdd.load(tmp_path / "approved.json")
    assert told["nodes"] == len(found) and told["assignments"] == str(found.count())
    compiled = pw.Explainer("forest.skops", pd.read_csv("train.csv")).compile()
    assert found.count() == compiled.count()["approved"]
    assert found.facts["decision"] == "approved" and found.facts["model"] == compiled.info()["model"]
    assert call(*ASKED, "--obdd", tmp_path / "approved.dot").code == 0
    assert (tmp_path / "approved.dot").read_text().startswith("digraph")


def test_an_expression_has_a_diagram_and_a_file_of_clauses_too(call, tmp_path):
    asked = ("encode", "X=x1", "--var", "X=x1,x2,x3")
    assert call(*asked, "--obdd", tmp_path / "x.json").code == 0
    assert Obdd.load(tmp_path / "x.json").count() == 1
    printed = call(*asked, "--dimacs").out
    assert call(*asked, "--dimacs", "-o", tmp_path / "x.cnf").code == 0
    assert (tmp_path / "x.cnf").read_text() == printed


def test_a_decision_that_counts_votes_is_written_as_an_expression(files, call):
    pw.read(pw.Ensemble((pw.Tree.build((0, 1.5, [1, 0], [0, 1])),), ("a",), ("no", "yes"))).save("tree.json")
    done = call("encode", "tree.json", "--decision", "yes", "--set", "vote=majority")
    assert done.code == 0 and done.out.startswith("Ψ   = ") and "Δ_b = " in done.out
    done = call("encode", "tree.json", "--decision", "yes", "--set", "vote=majority", "--decode", "!a_1")
    assert done.code == 0 and done.out.startswith("a > 1.5")


@pytest.mark.parametrize(
    ("arguments", "words", "code"),
    [
        (["forest.skops"], "Pass --decision", 2),
        (["forest.skops", "train.csv"], "Pass --decision", 2),
        (["forest.skops", "--decision", "aproved"], "did you mean approved?", 2),
        (["forest.skops", "train.csv", "--decision", "approved"], "a weighted vote, which is not written", 2),
        (["forest.skops", "--decision", "approved", "--var", "A=1,2"], "a model has its features", 2),
        (
            ["forest.skops", "train.csv", "--decision", "approved", "--obdd", "x.json", "--max-nodes", 5],
            "nodes",
            3,
        ),
        (["forest.skops", "train.csv", "--decision", "approved", "--obdd", "x.txt"], ".json or .dot", 2),
        (["X", "--obdd", "x.json", "--psi", "none"], "pass --psi and", 2),
        (["X", "-o", "x.cnf"], "-o is for the clauses of --dimacs", 2),
    ],
)
def test_what_cannot_be_encoded_is_said_with_what_to_do(files, call, arguments, words, code):
    done = call("encode", *arguments)
    assert done.code == code and words in done.err and not done.out
