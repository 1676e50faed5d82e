import pytest

import primewood as pw

X = pw.Variable.numeric("X", cuts=[2, 6], closed="left")
Y = pw.Variable.numeric("Y", cuts=[-7], closed="left")
TREE = pw.parse("X < 2 & Y >= -7 | 2 <= X < 6", [X, Y])

POSITIVE = {"X": 3, "Y": 12}
NEGATIVE = {"X": 10, "Y": -20}

EXPLANATIONS = [
    (POSITIVE, {pw.Term([X.isin([3])]), pw.Term([X < 6, Y >= -7])}),
    (NEGATIVE, {pw.Term([X >= 6]), pw.Term([(X < 2) | (X >= 6), Y < -7])}),
]
SIMPLE_EXPLANATIONS = [
    (POSITIVE, {pw.Term([X.isin([3])])}),
    (NEGATIVE, {pw.Term([X >= 6])}),
]


def test_numbers_are_read_as_the_values_of_their_intervals():
    assert [X.index(3), Y.index(12)] == [1, 1]
    assert [X.index(10), Y.index(-20)] == [2, 0]


def test_the_first_instance_is_positive_and_the_second_negative(figure):
    assert TREE.holds(POSITIVE)
    assert not TREE.holds(NEGATIVE)
    assert [pw.Explainer(figure, literals="sets").decide(instance) for instance in (POSITIVE, NEGATIVE)] == [
        1,
        0,
    ]


@pytest.mark.parametrize(("instance", "expected"), EXPLANATIONS)
def test_the_expression_has_both_explanations(instance, expected, engine):
    assert set(pw.pi_explanations(TREE, instance, engine=engine)) == expected


@pytest.mark.parametrize(("instance", "expected"), EXPLANATIONS)
def test_the_tree_itself_has_both_explanations(instance, expected, figure, engine):
    explainer = pw.Explainer(figure, engine=engine, literals="sets")
    found = list(explainer.explanations(instance))
    assert {why.term for why in found} == expected
    assert {why.status for why in found} == {pw.Status.PROVED}
    assert explainer.count(instance) == 2


@pytest.mark.parametrize(("instance", "expected"), EXPLANATIONS)
def test_one_explanation_of_the_tree_is_one_of_both(instance, expected, figure, engine):
    assert pw.Explainer(figure, engine=engine, literals="sets").explain(instance).term in expected


@pytest.mark.parametrize(("instance", "expected"), SIMPLE_EXPLANATIONS)
def test_only_dropping_characteristics_leaves_one_explanation(instance, expected, figure, engine):
    assert set(pw.pi_explanations(TREE, instance, literals="values", engine=engine)) == expected
    found = pw.Explainer(figure, engine=engine, literals="sets").explanations(instance, literals="values")
    assert {why.term for why in found} == expected


def test_a_wider_interval_is_a_weakening_of_the_characteristic_of_the_instance():
    alpha = pw.Term([X.isin([3]), Y.isin([12])])
    assert alpha.weaken(X, [0]) == pw.Term([X < 6, Y >= -7])
    assert alpha.weaken(X, [0]).entails(TREE)
    assert not alpha.weaken(X, [10]).entails(TREE)


def test_an_explanation_may_allow_a_disconnected_set_of_numbers():
    literal = (X < 2) | (X >= 6)
    assert [str(interval) for interval in literal.intervals] == ["(-inf, 2)", "[6, inf)"]
    assert pw.Term([literal, Y < -7]).entails(~TREE)


def test_the_number_two_itself_is_decided_positively(figure):
    assert figure.predict([[2, -20]]).tolist() == [1]
    assert not pw.Term([(X < 2) | (X >= 6), Y < -7]).holds({"X": 2, "Y": -20})


def test_contiguous_literals_cannot_widen_the_negative_explanation(figure, engine):
    found = pw.Explainer(figure, engine=engine, literals="sets").explanations(NEGATIVE, literals="intervals")
    assert {why.term for why in found} == {pw.Term([X >= 6])}
