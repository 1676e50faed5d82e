"""Odd arguments to what is public besides an explainer's questions: an answer, or an error of ours."""

from __future__ import annotations

import pytest

import primewood as pw
from every_answer import explainer_of, rows
from primewood.errors import PrimewoodError
from test_arguments import cases

X = rows()
A, N = pw.Variable("A", [1, 2, 3]), pw.Variable.numeric("N", [2, 6])
EITHER, BOTH = (A == 1) | (N < 2), pw.Term([A == 1, N < 2])
INSTANCE = {"A": 1, "N": 1}
EXPLAINER = explainer_of()
WHY, ALL = EXPLAINER.explain(X[0]), EXPLAINER.explanations(X[0])
BATCH, COMPILED = EXPLAINER(X[:3]), EXPLAINER.compile()
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
]


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
