"""Odd arguments to the public methods: the right answer, or an error of ours; never one of another library."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from every_answer import explainer_of, rows
from primewood.errors import InvalidInput, PrimewoodError

X = rows()
HUGE = 10**400
NAN, INF = float("nan"), float("inf")
LIMITS = (1e30, -1, 0, "5", "2s", NAN, INF, True, np.int64(5), np.float32(2), HUGE, 10**5000, [1], None)
ODD = (
    *(
        None,
        True,
        -1,
        0,
        2.5,
        NAN,
        INF,
        1e30,
        HUGE,
        10**5000,
        "",
        "x",
        b"x",
        [],
        [1],
        ["amount", "amount"],
        {},
    ),
    *({"amount": NAN}, {"amount": HUGE}, np.int64(1), np.array([1, 2]), np.array("x"), range(2), {"amount"}),
    *([np.int64(0)], "approved", "\ud800", len, ("age",)),
)
ROWS = (
    *(
        None,
        5,
        "x",
        [],
        [1, 2],
        [1, 2, 3, 4],
        X[:2],
        np.zeros((0, 3)),
        np.zeros((1, 1, 3)),
        {},
        {"amount": 1},
    ),
    *(
        [HUGE, 1, 0],
        [10**5000, 1, 0],
        [NAN] * 3,
        [INF, 1, 0],
        [1, 2, 7],
        ["a", "b", "c"],
        [None] * 3,
        [1j, 2, 3],
    ),
    *({"amount": HUGE, "age": 2, "housing": 0}, [[1], [2], [3]], b"abc", [1e308, 1, 0], {1: 2}, [[], [], []]),
)
METHODS = {
    **dict.fromkeys(
        (
            *("explain", "explanations", "count", "reasons", "complete_reason", "relevance", "attribution"),
            *("contrast", "contrasts", "counterfactual", "counterfactuals", "robustness", "score", "decide"),
        ),
        (X[0],),
    ),
    "check": (X[0], ["amount"]),
    "adverse_action": (X[0], "approved"),
    "what_if": (X[0], "amount"),
    "decision_map": (X[0], ("amount", "age")),
    "importance": (X[:2],),
    "stream": (X[:2],),
    "verify": ("age < 3 -> approved",),
    "compile": (),
    "draw_tree": (),
    "__call__": (X[:2],),
}
LEFT_OUT = ("self", "watcher", "progress", "also", "kwargs", "options")


@pytest.fixture(scope="module")
def explainer():
    return explainer_of()


def cases(method, given):
    """Calls with one odd argument: positional and named ones."""
    for place, parameter in enumerate(inspect.signature(method).parameters.values()):
        name = parameter.name
        if name in LEFT_OUT:
            continue
        for odd in LIMITS if name.endswith("limit") else ROWS if name in ("x", "X") else ODD:
            args, named = list(given), {}
            if place < len(given):
                args[place] = odd
            else:
                named[name] = odd
            yield name, args, named


def ask(method, args, named):
    """Ask, and look at the first answers."""
    known = inspect.signature(method).parameters
    limits = {"work_limit": 300} if "work_limit" in known and "work_limit" not in named else {}
    limits |= {"time_limit": 0.2} if "time_limit" in known and "time_limit" not in named else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = method(*args, **{**limits, **named})
        if hasattr(found, "__next__"):
            list(zip(range(2), found, strict=False))
        str(found)


@pytest.mark.parametrize("name", [*METHODS, pytest.param("rules", marks=pytest.mark.slow)])
def test_odd_arguments_end_in_an_answer_or_in_our_error(explainer, name):
    method = getattr(explainer, name)
    refused = 0
    for what, args, named in cases(method, METHODS.get(name, ())):
        try:
            ask(method, args, named)
        except PrimewoodError as problem:
            assert str(problem), what
            refused += 1
    assert refused


MODEL = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, X[:, 0] > 40)
OPTIONS = [
    name
    for name in inspect.signature(pw.Explainer).parameters
    if name not in ("model", "X_train", "progress", "trust_pickle")
]


@pytest.mark.parametrize("name", OPTIONS)
def test_odd_options_of_an_explainer_end_in_an_explainer_or_in_our_error(name):
    refused = 0
    more = (
        {"x0": 5},
        {"x0": [[1]]},
        {"x0": {HUGE: "a", 1: "b"}},
        {"g": 5},
        {"g": ["x0"]},
        [5],
        ["x0 <"],
        (2, 1),
    )
    for odd in (*ODD, *more):
        try:
            pw.Explainer(MODEL, X, **{name: odd})
        except PrimewoodError as problem:
            assert str(problem)
            refused += 1
    assert refused


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ({"time_limit": "2s"}, "time_limit must be a positive number of seconds or None, not '2s'"),
        ({"time_limit": NAN}, "time_limit must be a positive number of seconds or None, not nan"),
        ({"time_limit": True}, "time_limit must be a positive number of seconds or None, not True"),
        ({"work_limit": 1e30}, r"work_limit must be a positive number of nodes or None, not 1e\+30"),
        ({"work_limit": True}, "work_limit must be a positive number of nodes or None, not True"),
        (
            {"weights": {"amount": HUGE}},
            "each of weights must be a finite number, not a whole number of 1329 bits",
        ),
        ({"fix": 7}, "fix must be a list, not 7"),
        ({"literals": np.array([1, 2])}, r"literals must be a word, not array\(\[1, 2\]\)"),
    ],
)
def test_an_error_names_the_argument(explainer, named, words):
    with pytest.raises(InvalidInput, match=words):
        explainer.explain(X[0], **named)


def test_the_limits_of_a_compiled_model_are_checked(explainer):
    compiled = explainer.compile()
    for odd in ("2s", NAN, True, -1, [1]):
        for ask_it in (compiled.explanations, compiled.contrasts):
            with pytest.raises(
                InvalidInput, match="time_limit must be a positive number of seconds or None, not"
            ):
                ask_it(X[0], time_limit=odd)
    assert compiled.explanations(X[0], time_limit=HUGE).count() == compiled.explanations(X[0]).count()


def test_limits_that_no_run_reaches_and_numbers_of_numpy_are_taken(explainer):
    usual = explainer.explain(X[0], goal="prime")
    for limits in ({"work_limit": HUGE}, {"time_limit": HUGE}, {"work_limit": np.int64(10**6)}):
        assert explainer.explain(X[0], goal="prime", **limits).term == usual.term


def test_what_can_be_looked_through_once_is_kept(explainer):
    assert (
        explainer.explain(X[0], fix=(name for name in ["age"])).term
        == explainer.explain(X[0], fix=["age"]).term
    )
