from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pysat.solvers import Solver

import primewood as pw
from primewood.encodings import Cnf, HighestBit, OneHot, Prefix
from primewood.encodings.clauses import clauses_of
from primewood.errors import InvalidInput
from primewood.logic.connectives import at_least

A = pw.Variable("A", [1, 2, 3])
B = pw.Variable("B", ["r", "b", "g"])
BOOLEANS = tuple(pw.Variable.boolean(f"b{i}") for i in range(7))


def models(cnf):
    with Solver(name="cadical195", bootstrap_with=[list(c) for c in cnf.clauses]) as solver:
        found = 0
        while solver.solve():
            model = solver.get_model()
            found += 1
            solver.add_clause([-n for n in model[: cnf.size]])
        return found


@given(st.integers(0, 8), st.integers(1, 7))
def test_at_least_has_one_model_per_assignment(count, size):
    inputs = [b.literal([True]) for b in BOOLEANS[:size]]
    cnf = clauses_of(at_least(count, inputs).over(BOOLEANS[:size]), BOOLEANS[:size])
    expected = sum(sum(bits) >= count for bits in itertools.product((0, 1), repeat=size))
    assert models(cnf) == expected


@pytest.mark.parametrize("kind", [OneHot, Prefix, HighestBit])
@pytest.mark.parametrize("psi", ["and", "implies", "none"])
def test_clauses_keep_the_models_of_every_way_to_add_psi(kind, psi):
    delta = pw.parse("(A=1 <-> B!=r) | at_least(2, A=2, B=b, B=g)", [A, B])
    encoding = kind([A, B])
    boolean = encoding.with_psi(encoding.encode(delta), psi)
    assert models(encoding.to_cnf(delta, psi)) == boolean.truth_table().sum()


def test_dimacs_reads_back_with_the_variable_map():
    encoding = OneHot([A, B])
    text = encoding.to_dimacs((A == 1) | (B == "r"))
    cnf = Cnf.from_dimacs(text)
    assert cnf == encoding.to_cnf((A == 1) | (B == "r"))
    assert cnf.names[1] == "A_1" and cnf.meanings[6] == "B=g"
    assert cnf.to_dimacs() == text
    names = {b.name for b in cnf.expression().variables}
    assert {"A_1", "B_3"} <= names
    assert models(cnf) == 5


def test_dimacs_of_constants():
    assert models(OneHot([A]).to_cnf(pw.TRUE)) == 3
    assert models(OneHot([A]).to_cnf(pw.FALSE)) == 0


@pytest.mark.parametrize(
    "text", ["", "hello", "p cnf 2 1\n1 x 0\n", "p cnf 2 3\n1 2 0\n", "p cnf 1 1\n1 5 0\n"]
)
def test_what_is_not_dimacs_is_refused(text):
    with pytest.raises(InvalidInput, match="DIMACS"):
        Cnf.from_dimacs(text)


def test_encodings_refuse_what_is_not_theirs():
    with pytest.raises(InvalidInput, match="not among the encoded variables"):
        OneHot([A]).encode(B == "r")
    with pytest.raises(InvalidInput, match="not a Boolean variable of this encoding"):
        OneHot([A]).decode(BOOLEANS[0].literal([True]))
    with pytest.raises(InvalidInput, match="not a term"):
        OneHot([A]).decode(OneHot([A]).psi)
    with pytest.raises(InvalidInput, match="psi must be"):
        OneHot([A]).to_dimacs(A == 1, "sometimes")


def test_instances_are_encoded_as_terms_are():
    encoding = OneHot([A, B])
    assert str(encoding.encode({"A": 1, "B": "b"})) == "!A_2 & !A_3 & !B_1 & !B_3"
    assert str(encoding.full_encoding({"A": 1, "B": "b"})) == "A_1 & !A_2 & !A_3 & !B_1 & B_2 & !B_3"


def test_dimacs_keeps_odd_names_apart():
    length, width = pw.Variable("petal length", ["a", "b\nc"]), pw.Variable("petal width", ["a", "b"])
    encoding = OneHot([length, width])
    delta = (length == "a") & (width == "b")
    back = Cnf.from_dimacs(encoding.to_dimacs(delta))
    assert back == encoding.to_cnf(delta)
    assert back.expression().equivalent(encoding.with_psi(encoding.encode(delta), "and"))


def test_dimacs_in_other_layouts():
    assert Cnf.from_dimacs("c hello\np cnf 3 2\n1 -2\n0 3 0\n").clauses == ((1, -2), (3,))
    assert Cnf.from_dimacs("p cnf 1 1\n1 0\n%\n0\n").clauses == ((1,),)


def test_false_is_no_encoded_term():
    encoding = OneHot([A])
    with pytest.raises(pw.errors.Undecodable):
        encoding.decode(pw.parse("A_1 & !A_1", encoding.booleans))
