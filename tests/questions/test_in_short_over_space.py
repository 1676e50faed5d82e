"""A decision in short over the feature space: its share is that of all cells, or lies between its bounds."""

from __future__ import annotations

import itertools
import math
import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from primewood.engines.protocol import Clock
from primewood.errors import InvalidInput
from primewood.questions.in_short.over_space import _SpaceJudge
from primewood.questions.in_short.space_share import BoxDivision


def rows(count=150, seed=0):
    random = np.random.default_rng(seed)
    return np.column_stack(
        [random.integers(0, 6, count), random.integers(0, 5, count), random.integers(0, 4, count)]
    )


def three_classes(**options):
    X = rows().astype(float)
    forest = RandomForestClassifier(6, max_depth=3, random_state=1).fit(X, (X.sum(axis=1) // 4).astype(int))
    return pw.Explainer(forest, X, **options), X


def with_missing_and_categories(**options):
    random = np.random.default_rng(1)
    frame = pd.DataFrame(rows(300, 1).astype(float), columns=["a", "b", "c"])
    labels = np.where(frame.a + frame.b > frame.c + 3, "yes", "no")
    frame["a"] = frame.a.mask(random.random(len(frame)) < 0.2)
    frame["region"] = pd.Categorical(random.choice(["north", "south", "east"], len(frame)))
    labels = np.where(frame.region == "north", "yes", labels)
    model = HistGradientBoostingClassifier(max_iter=4, max_leaf_nodes=6, categorical_features="from_dtype")
    return pw.Explainer(model.fit(frame, labels), frame, **options), frame


def weights_of(explainer, over):
    context = explainer._model.context
    return context.volumes if over == "space" else context.frequencies


def enumerate_share(explainer, box, label, over):
    """The share by the reference predict on all cells, in fractions."""
    model, weights = explainer._model, weights_of(explainer, over)
    same = total = Fraction(0)
    for point in itertools.product(*(range(len(x)) for x in model.context.variables)):
        if not all(
            mask >> v & 1 for mask, v in zip(box, point, strict=True)
        ) or not model.domain.knowledge.allows(point):
            continue
        weight = math.prod(
            (Fraction(float(w[v])) for w, v in zip(weights, point, strict=True)), start=Fraction(1)
        )
        if weight:
            total += weight
            same += weight * (model.subject.decide(point) == label)
    return same / total


def box_of(explainer, term):
    masks = {literal.variable.name: literal.mask for literal in term.literals}
    return tuple(masks.get(x.name, x.everything) for x in explainer._model.context.variables)


def random_boxes(explainer, point, count, seed=0):
    random = np.random.default_rng(seed)
    for _ in range(count):
        yield tuple(
            sum(1 << v for v in range(len(x)) if v == own or random.random() < 0.7)
            for x, own in zip(explainer._model.context.variables, point, strict=True)
        )


MAKERS = pytest.mark.parametrize("make", [three_classes, with_missing_and_categories])
OVERS = pytest.mark.parametrize("over", ["space", "frequencies"])
ENGINES = pytest.mark.parametrize("engine", ["auto", "search"])


@MAKERS
@OVERS
@ENGINES
def test_the_share_of_an_answer_is_that_of_all_cells(make, over, engine):
    explainer, X = make(engine=engine)
    found = 0
    for place in range(0, 60, 6):
        x = X.iloc[[place]] if isinstance(X, pd.DataFrame) else X[place]
        short = explainer.explain(x, precision=0.8, over=over)
        if not short.found:
            continue
        found += 1
        label = explainer._model.ask(x).label
        truth = enumerate_share(explainer, box_of(explainer, short.term), label, over)
        assert Fraction(short.share.lower) <= truth <= Fraction(short.share.upper)
        assert short.share.lower >= 0.8 and len(short.features) <= 7
        assert short.covers(x if isinstance(x, pd.DataFrame) else [x]).all()
        if engine == "auto":
            assert short.share.is_exact and short.share.upper - short.share.lower < 1e-12
    assert found >= 5


@MAKERS
@OVERS
def test_dividing_boxes_bounds_the_share_and_closes(make, over):
    explainer, X = make(engine="search")
    model, weights = explainer._model, weights_of(explainer, over)
    decision = model.ask(X.iloc[[0]] if isinstance(X, pd.DataFrame) else X[0])
    label, labels = decision.label, len(model.engines.subject.labels)
    decided, denied = model.engines.oracle(label), model.engines.oracle((label + 1) % labels, label)
    division = BoxDivision(decided, denied, weights)
    closed = 0
    for box in random_boxes(explainer, decision.point, 15):
        early = division.bound_share(box, 0.9, Clock())
        if early is None:  # only missing values, which have no share of the space
            continue
        truth = enumerate_share(explainer, box, label, over)
        assert Fraction(early.lower) <= truth <= Fraction(early.upper)
        assert early.lower >= 0.9 or early.upper < 0.9 or early.is_exact
        closed += early.lower >= 0.9 or early.upper < 0.9
    assert closed >= 10


def constrained(constraint, **options):
    explainer, X = three_classes()
    possible = X[((X[:, 0] < 3) | (X[:, 1] >= 2)) & (X[:, 2] <= X[:, 0] + 2)]
    names = ["a", "b", "c"]
    return (
        pw.Explainer(
            explainer._model.source, possible, feature_names=names, constraints=[constraint], **options
        ),
        possible,
    )


@OVERS
def test_constraints_leave_impossible_cells_out(over):
    explainer, X = constrained("a >= 3 -> b >= 2")
    assert explainer._model.domain.knowledge
    found = 0
    for x in X[:40:4]:
        short = explainer.explain(x, precision=0.8, over=over)
        if short.found:
            found += 1
            label = explainer._model.ask(x).label
            truth = enumerate_share(explainer, box_of(explainer, short.term), label, over)
            assert Fraction(short.share.lower) <= truth <= Fraction(short.share.upper)
    assert found >= 3


def test_constraints_are_refused_where_they_cannot_be_left_out():
    explainer, X = constrained("a >= 3 -> b >= 2", engine="search")
    with pytest.raises(InvalidInput, match="the constraints exclude cells"):
        explainer.explain(X[0], precision=0.8, over="space")
    explainer, X = constrained("c <= a + 2")
    with pytest.raises(InvalidInput, match="cuts through cells"):
        explainer.explain(X[0], precision=0.8, over="space")


def test_a_model_that_always_decides_alike_needs_no_condition():
    X = rows().astype(float)
    explainer = pw.Explainer(DecisionTreeClassifier().fit(X, np.zeros(len(X))), X)
    short = explainer.explain(X[0], precision=0.95, over="space")
    assert short.found and short.features == () and short.share.is_exact and short.share.upper == 1.0


def test_a_model_that_is_too_large_is_refused():
    random = np.random.default_rng(0)
    X = random.normal(size=(500, 20))
    y = (X[:, :10].sum(axis=1) > 0).astype(int)
    explainer = pw.Explainer(RandomForestClassifier(60, random_state=0).fit(X, y), X)
    certain = X[np.argmax(X[:, :10].sum(axis=1))]
    with pytest.raises(InvalidInput, match=r'did not settle it within the limits\. Use over="rows"'):
        for precision in (0.7, 0.8, 0.9):
            explainer.explain(certain, precision=precision, over="space", time_limit=2)


def test_the_words_name_the_share_and_the_space():
    explainer, X = three_classes()
    short = next(
        x
        for x in (explainer.explain(row, precision=0.8, over="space") for row in X)
        if x.found and x.features
    )
    words = str(short)
    assert words.endswith("of the feature space inside (exact).")
    assert "usually" in short.rule and "roved" not in words
    assert short.to_dict()["over"] == "space" and 0 < short.coverage <= 1
    again = pickle.loads(pickle.dumps(short))
    assert again == short and hash(again) == hash(short) and str(again) == words
    other = explainer.explain(short.row, precision=0.8, over="frequencies")
    assert other != short
    if other.found:
        assert "of rows with the training frequencies inside" in str(other)


def test_where_no_rule_reaches_the_share_it_says_so():
    X = np.arange(40.0)[:, None]
    tree = DecisionTreeClassifier().fit(X, np.arange(40) % 2)
    short = pw.Explainer(tree, X).explain([3.0], precision=0.999, over="frequencies")
    if short.found:  # only its own cell is pure
        assert short.share.lower >= 0.999 and short.coverage == pytest.approx(1 / 40)
    striped = DecisionTreeClassifier().fit(np.arange(400.0)[:, None], np.arange(400) % 2)
    none = pw.Explainer(striped, np.arange(400.0)[:, None]).explain([3.0], precision=0.95, over="space")
    assert not none.found and none.rule is None and none.share is None
    assert str(none) == "In short: no short rule found that holds for 95% of the feature space inside."


def test_bad_input_is_one_clear_error():
    explainer, X = three_classes()
    with pytest.raises(InvalidInput, match='over must be "rows", "space" or "frequencies"'):
        explainer.explain(X[0], precision=0.9, over="moon")
    with pytest.raises(InvalidInput, match="goes with precision"):
        explainer.explain(X[0], over="space")
    with pytest.raises(InvalidInput, match="precision must be a share"):
        explainer.explain(X[0], precision=1, over="space")
    with pytest.raises(InvalidInput, match="needs training rows"):
        pw.Explainer(explainer._model.source).explain(X[0], precision=0.9, over="space")
    assert _SpaceJudge(explainer._model.ask(X[0]), weights_of(explainer, "space"), 0.9, Clock()).weigh(
        tuple(x.everything for x in explainer._model.context.variables)
    ) == pytest.approx(1)
