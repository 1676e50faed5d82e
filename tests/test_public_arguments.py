"""Odd arguments to what is public besides an explainer's questions: an answer, or an error of ours."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from every_answer import explainer_of, rows
from primewood.errors import InvalidInput, PrimewoodError
from test_arguments import MODEL, cases

X = rows()
A, N = pw.Variable("A", [1, 2, 3]), pw.Variable.numeric("N", [2, 6])
EITHER, BOTH = (A == 1) | (N < 2), pw.Term([A == 1, N < 2])
INSTANCE = {"A": 1, "N": 1}
EXPLAINER = explainer_of()
WHY, ALL = EXPLAINER.explain(X[0]), EXPLAINER.explanations(X[0])
BATCH, COMPILED = EXPLAINER(X[:3]), EXPLAINER.compile()
STUMP = (0, 2.0, [1, 0], [0, 1])
TREE = pw.Tree.build(STUMP)
DRAWN = {
    "ranges": WHY,
    "growth": WHY,
    "side_by_side": [WHY, WHY],
    "coverage_by_size": BATCH,
    "feature_use": BATCH,
}
CALLS = [
    (pw.Variable, ("A", [1, 2])),
    (pw.Variable.boolean, ("A",)),
    (pw.Variable.categorical, ("A", [1, 2])),
    (pw.Variable.numeric, ("A", [1, 2])),
    *(
        (method, (1,))
        for method in (A.__eq__, A.__ne__, A.__lt__, A.index, N.__eq__, N.__lt__, N.__ge__, N.index)
    ),
    *((method, ([1],)) for method in (A.literal, A.isin, N.literal)),
    (A.index_of_text, ("1",)),
    (N.comparison, ("<", 2)),
    (pw.Literal, (A, 1)),
    (pw.Interval, (1, 2)),
    (pw.Interval(1, 2).__contains__, (1,)),
    (pw.Term, ([A == 1],)),
    *((method, (EITHER,)) for method in (EITHER.__and__, EITHER.implies, EITHER.entails, EITHER.equivalent)),
    *((method, (BOTH,)) for method in (BOTH.entails, BOTH.subsumes, BOTH.consistent_with, pw.Term.of)),
    *((method, ([A, N],)) for method in (BOTH.box, BOTH.is_instance, EITHER.over)),
    (BOTH.__contains__, (A,)),
    (BOTH.weaken, (A, [2])),
    (EITHER.holds, (INSTANCE,)),
    (pw.at_least, (1, [EITHER, BOTH])),
    (pw.parse, ("A=1", [A])),
    (pw.from_table, ([A], [0, 1, 1])),
    (pw.prime_implicants, (EITHER,)),
    (pw.pi_explanations, (EITHER, INSTANCE)),
    (pw.prime_implicants_by_definition, (EITHER,)),
    (pw.audit, (EITHER,)),
    (pw.random_audit, (1, 1)),
    (pw.tally, ([EXPLAINER.check(X[0], ["age"])],)),
    *((function, ("nowhere",)) for function in (pw.load, pw.overview, pw.read)),
    (pw.ordered, ([1, 2],)),
    (pw.Number, ()),
    (WHY.to_dict, ()),
    (WHY.to_text, ()),
    (WHY.to_frame, ()),
    (WHY.sample, (1,)),
    (WHY.as_intervals, ()),
    (WHY.covers, (X,)),
    (ALL.sample, (1,)),
    (ALL.mentioning, ("age",)),
    (ALL.widest_by, ()),
    (BATCH.__getitem__, (0,)),
    (BATCH.loc, (0,)),
    (BATCH.to_frame, ()),
    *((getattr(COMPILED, name), (X[0],)) for name in ("decide", "explanations", "contrasts", "robustness")),
    (COMPILED.bias, (X[0], ["age"])),
    (COMPILED.prime_implicants, ("approved",)),
    (COMPILED.share, ()),
    (COMPILED.obdd, ("approved",)),
    (COMPILED.draw, ()),
    (COMPILED.difference, (COMPILED,)),
    (pw.Tree.build, (STUMP,)),
    (
        pw.Tree,
        tuple(
            getattr(TREE, name) for name in ("feature", "threshold", "left", "right", "missing_left", "value")
        ),
    ),
    (pw.Ensemble, ((TREE,), ("a",), (0, 1))),
    (EXPLAINER.ensemble.predict, (X,)),
    *((getattr(pw.plots, name), (answer,)) for name, answer in DRAWN.items()),
]
CLAIMS = {
    pw.never: ("approved",),
    pw.independent_of: ("age",),
    pw.monotone: ("age",),
    pw.robust_at: (X[0], 1.0),
    pw.robust_everywhere: (1.0,),
    pw.output: (),
}
HALF = "a\ud800"


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("call", "given"), CALLS, ids=lambda x: getattr(x, "__qualname__", ""))
def test_odd_arguments_end_in_an_answer_or_in_our_error(call, given):
    refused = 0
    for name, args, named in cases(call, given):
        try:
            call(*args, **named)
        except (PrimewoodError, IndexError) as problem:
            assert isinstance(problem, PrimewoodError) or name == "place"
            refused += 1
    assert refused


@pytest.mark.parametrize("make", CLAIMS, ids=lambda make: make.__name__)
def test_odd_arguments_of_properties_end_in_an_answer_or_in_our_error(make):
    refused = 0
    for _, args, named in cases(make, CLAIMS[make]):
        try:
            EXPLAINER.verify(make(*args, **named), time_limit=0.2, work_limit=300)
        except PrimewoodError:
            refused += 1
    assert refused


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: A.isin(5), "values must be a list, not 5"),
        (lambda: N < "2", "what N is compared with must be a number, not '2'"),
        (lambda: pw.Interval("1", 2), "low must be a number, not '1'"),
        (lambda: pw.at_least("1", [EITHER]), "count must be a whole number .*, not '1'"),
        (lambda: pw.load(None), "path must be a path, not None"),
        (lambda: WHY.sample("3"), "count must be a whole number from 0 to 10000000, not '3'"),
        (lambda: WHY.to_dict(witnesses=2.5), "witnesses must be a whole number of at least 0, not 2.5"),
        (lambda: BATCH["age"], "indexed by a place, a slice, a mask or a list of places, not by 'age'"),
        (lambda: COMPILED.draw(most_nodes=[1]), "most_nodes must be a whole number of at least 1, not list"),
        (lambda: pw.tally([5]), "checks must be a list of checks, not 5"),
    ],
)
def test_an_error_names_the_argument(call, words):
    with pytest.raises(InvalidInput, match=words):
        call()


def test_conventions_of_python_stay():
    with pytest.raises(IndexError):
        BATCH[3]
    with pytest.raises(KeyError):
        pw.Term([A == 1])["N"]
    with pytest.raises(TypeError, match="'colour'"):
        COMPILED.draw(colour="red")


@pytest.mark.parametrize(
    "options",
    [
        {"feature_names": [HALF, "b", "c"]},
        {"class_names": [HALF, "b"]},
        {"class_names": {False: HALF}},
        {"units": {"x0": HALF}},
        {"domain": {"x2": {0: HALF, 1: "b", 2: "c"}}},
    ],
    ids=str,
)
def test_names_that_no_file_can_hold_are_refused(options):
    with pytest.raises(InvalidInput, match="text that UTF-8 can write, without lone surrogates, not"):
        pw.Explainer(MODEL, X, **options)


def test_labels_that_no_file_can_hold_are_refused():
    with pytest.raises(InvalidInput, match=r"classes\[0\] must be text that UTF-8 can write"):
        pw.Explainer(
            DecisionTreeClassifier(max_depth=2).fit(X, np.where(X[:, 0] > 40, HALF, "b").astype(object))
        )


@pytest.mark.parametrize("name", ["source", "folder", "format", "identity", "sheet", "decimal", "part_rows"])
def test_odd_arguments_of_files_end_in_our_error(tmp_path, name):
    (tmp_path / "rows.csv").write_text("amount,age,housing\n41.5,38.4,1\n")
    refused = 0
    for odd in (None, 10**400, b"x", 2.5, [], np.array([1, 2]), "\ud800", len):
        try:
            EXPLAINER.explain_file(**{"source": "rows.csv", "folder": tmp_path / "parts", name: odd})
        except PrimewoodError:
            refused += 1
    assert refused
