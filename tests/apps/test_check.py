"""Checks of claims against brute force over all cells, and on real forests.

The truth here is found without engines: of every cell, the part that a claim allows is worked out by hand, whether
constraints leave a row there by comparing ends, and the decision by the reference `predict`. Prime boxes come from the
definition.
"""

from __future__ import annotations

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from conformance.test_sums_and_sets_of_values import CODES, CONSTRAINTS, is_possible, random_ensemble
from primewood.apps.check import Tally, check, comparison, tally
from primewood.data.credit import load_credit
from primewood.engines.protocol import Clock
from primewood.errors import InvalidInput
from primewood.logic.by_definition import prime_boxes
from primewood.logic.instance import contains
from primewood.model.context import UNDECIDED

IDS = ["none", "clause", "order", "both"]
NAMES = ("x", "y", "z")
NUMBERS = [-3.0, -1.0, float(np.nextafter(-1, -2)), -0.2, 0.5, 0.7, 2.0, float(np.nextafter(2, 3)), 2.1, 4.0]


def ask(explainer, x, claim, *, clock=None, **options):
    return check(explainer._model.ask(x), claim, clock or Clock(), **options)


def random_claim(generator):
    """Of some features, a range (low, open low, high, open high) or a set of codes; None stands for "kept"."""
    said = {}
    for name in NAMES:
        if generator.random() < 0.4:
            continue
        if name == "z":
            said[name] = {int(c) for c in np.flatnonzero(generator.random(4) < 0.6)} or {
                int(generator.integers(4))
            }
        else:
            low, high = sorted(generator.choice(NUMBERS, 2).tolist())
            low = -math.inf if generator.random() < 0.4 else low
            high = math.inf if generator.random() < 0.4 else high
            said[name] = (low, bool(generator.random() < 0.5), high, bool(generator.random() < 0.5))
    return said


def written(said):
    """The claim as text."""
    words = []
    for name, what in said.items():
        if name == "z":
            words.append(f"z in {{{', '.join(CODES[c] for c in sorted(what))}}}")
        else:
            low, open_low, high, open_high = what
            left, right = ("<" if open_low else "<="), ("<" if open_high else "<=")
            words.append(f"{low!r} {left} {name} {right} {high!r}")
    return " and ".join(words) or "anything"


def allowed(said, name):
    """The floats that a claim allows of a number, both ends included."""
    low, open_low, high, open_high = said.get(name, (-math.inf, True, math.inf, True))
    return (
        math.nextafter(low, math.inf) if open_low else low,
        math.nextafter(high, -math.inf) if open_high else high,
    )


def holds(said, row):
    for name, value in zip(NAMES, row, strict=True):
        if name == "z" and name in said:
            if value not in said["z"]:
                return False
        elif name in said and not allowed(said, name)[0] <= value <= allowed(said, name)[1]:
            return False
    return True


def some_row(ends, code, constraints):
    """Whether constraints leave a row with x and y between ends (None: missing) and this code."""
    (x, y) = ends
    if any(e is not None and e[0] > e[1] for e in ends):
        return False
    low_x = math.nan if x is None else x[0]
    high_x = math.nan if x is None else x[1]
    low_y = math.nan if y is None else y[0]
    high_y = math.nan if y is None else y[1]
    if constraints is None:
        return True
    if len(constraints) == 3:
        in_order = x is None or y is None or low_x <= high_y + 2.5
        return in_order and not (code == 2 and low_y >= 2) and (code in (1, 3) or high_x >= -1 or low_y < 0.5)
    if "z" in constraints[0]:
        return not (code == 0 and not low_x < 0.5)
    return x is None or y is None or low_x <= high_y


class Cells:
    """All cells of some variables: the decision, and whether a row is there, perhaps inside a claim."""

    def __init__(self, explainer, variables, constraints):
        self.variables, self.constraints = variables, constraints
        domain = explainer.domain
        self.points = list(itertools.product(*(range(len(v)) for v in variables)))
        rows = []
        self.ends, self.codes = [], []
        for point in self.points:
            values = {v.name: v.values[i] for v, i in zip(variables, point, strict=True)}
            ends = [_ends(values.get(name)) for name in "xy"]
            codes = domain.features[2].codes
            named = {str(label): code for code, label in codes.items()}
            code = named[str(values["z"])] if "z" in values and values["z"] is not pw.MISSING else math.nan
            code = code if "z" in values else 0.0
            rows.append([*(math.nan if e is None else min(max(0.0, e[0]), e[1]) for e in ends), code])
            self.ends.append(ends)
            self.codes.append(code)
        self.decided = explainer.ensemble.predict(np.array(rows)).tolist()

    def possible(self, i, said):
        """Whether a row of a cell satisfies the claim; a feature without a variable may hold anything."""
        ends = []
        for name, cell in zip("xy", self.ends[i], strict=True):
            if name in said and cell is None:
                return False
            low, high = allowed(said, name)
            ends.append(cell and (max(cell[0], low), min(cell[1], high)))
        codes = [self.codes[i]] if any(v.name == "z" for v in self.variables) else [0.0, 1.0, 2.0, 3.0]
        codes = [c for c in codes if "z" not in said or c in said["z"]]
        return any(some_row(ends, code, self.constraints) for code in codes)

    def suffices(self, said, label):
        return all(d == label for i, d in enumerate(self.decided) if d != label and self.possible(i, said))

    def met(self, said):
        """Per variable the values that a claim meets, constraints aside."""
        box = []
        for j, v in enumerate(self.variables):
            mask = 0
            for i, point in enumerate(self.points):
                if v.name == "z":
                    inside = "z" not in said or self.codes[i] in said["z"]
                else:
                    cell, (low, high) = self.ends[i]["xy".index(v.name)], allowed(said, v.name)
                    inside = v.name not in said or (
                        cell is not None and max(cell[0], low) <= min(cell[1], high)
                    )
                mask |= inside << point[j]
            box.append(mask)
        return tuple(box)

    def primes(self, point, label, language):
        table = np.zeros([len(v) for v in self.variables], dtype=bool)
        for i, cell in enumerate(self.points):
            table[cell] = self.decided[i] == label or not self.possible(i, {})
        return {box for box in prime_boxes(table, self.variables, language) if contains(box, point)}


def _ends(value):
    if value is None:
        return (-1e30, 1e30)
    if value is pw.MISSING:
        return None
    low, high = max(value.low, -1e30), min(value.high, 1e30)
    return (low if value.closed_low else math.nextafter(low, math.inf)), (
        high if value.closed_high else math.nextafter(high, -math.inf)
    )


def expected_verdict(result, cells, said, point, label):
    """By the definitions, over the cells that the answer speaks of."""
    if not result.contains_row:
        return "inapplicable"
    box = cells.met(said)
    primes = cells.primes(point, label, result.literals)
    named = {v.name: mask != v.everything for v, mask in zip(cells.variables, box, strict=True)}
    idle = any(not named.get(name, False) for name in said)
    if result.sufficient:
        return "exact" if not idle and box in primes else "pessimistic"
    inside = any(all(not a & ~b for a, b in zip(p, box, strict=True)) for p in primes)
    return "optimistic" if not idle and inside else "incomparable"


def random_row(generator, explainer, constraints):
    while True:
        x, y = generator.choice([-2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 3.0], 2).tolist()
        row = [x, y, float(generator.integers(4))]
        for j in range(3):
            if explainer.domain.features[j].missing and generator.random() < 0.2:
                row[j] = math.nan
        if is_possible(row, constraints):
            return row


def verify(explainer, constraints, row, said, result):
    """Everything that a check says, against the truth."""
    label = int(explainer.ensemble.predict(np.array([row]))[0])
    coarse = Cells(explainer, explainer.domain.variables, constraints)
    assert result.sufficient is coarse.suffices(said, label)
    assert result.contains_row is holds(said, row)
    if result.sufficient:
        assert result.counterexample is None
        dropped = {
            name for name in said if coarse.suffices({k: v for k, v in said.items() if k != name}, label)
        }
        by_text = {c.text: c.feature.name for c in result.claim.conditions}
        assert {by_text[one] for one in result.redundant} == dropped
    else:
        other = result.counterexample.row
        assert holds(said, other) and is_possible(other, constraints)
        decided = int(explainer.ensemble.predict(np.array([other]))[0])
        assert decided != label and explainer.class_names[decided] == result.counterexample.decision
        assert result.redundant == ()
    fine = Cells(explainer, result.context.variables, constraints)
    point = result.context.domain.point(np.array(row))
    assert result.verdict == expected_verdict(result, fine, said, point, label)
    repaired = result.repaired.term.box(result.context.variables)
    assert repaired in fine.primes(point, label, result.literals)
    box = fine.met(said)
    if result.sufficient and result.contains_row:
        assert all(not a & ~b for a, b in zip(box, repaired, strict=True)), "it keeps to the claim"
    if result.verdict == "optimistic":
        assert all(not a & ~b for a, b in zip(repaired, box, strict=True)), "it contains the claim"
    assert result.status == "proved"


def explainer_of(seed, constraints, engine="search"):
    return pw.Explainer(random_ensemble(seed), domain={"z": CODES}, constraints=constraints, engine=engine)


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=IDS)
@pytest.mark.parametrize("seed", range(15))
def test_rules_against_brute_force(seed, constraints):
    generator = np.random.default_rng(seed)
    explainer = explainer_of(seed, constraints, ("search", "diagram")[seed % 2])
    for _ in range(7):
        row, said = random_row(generator, explainer, constraints), random_claim(generator)
        verify(explainer, constraints, row, said, ask(explainer, row, written(said)))


def cell_of(explainer, name, row):
    """What "kept" means, as a range or a set of codes; None for a value that is missing."""
    j = NAMES.index(name)
    feature = explainer.domain.features[j]
    if math.isnan(row[j]):
        return None
    if name == "z":
        return {int(row[j])}
    if feature.variable is None:
        return (-math.inf, True, math.inf, True)
    cell = feature.variable.values[feature.index_of(row)]
    return (cell.low, not cell.closed_low, cell.high, not cell.closed_high)


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=IDS)
@pytest.mark.parametrize("seed", range(8))
def test_kept_features_against_brute_force(seed, constraints):
    generator = np.random.default_rng(seed)
    explainer = explainer_of(seed, constraints)
    for features in itertools.chain.from_iterable(itertools.combinations(NAMES, k) for k in range(4)):
        row = random_row(generator, explainer, constraints)
        said = {name: cell_of(explainer, name, row) for name in features}
        if None not in said.values():  # by hand, a range never means "missing"
            result = ask(explainer, row, list(features))
            assert result.literals == "values"
            verify(explainer, constraints, row, said, result)


def test_brute_force_meets_every_verdict():
    """So that the tests above are about something."""
    met = set()
    for seed in range(24):
        generator = np.random.default_rng(seed)
        constraints = CONSTRAINTS[seed % 4]
        explainer = explainer_of(seed, constraints)
        for _ in range(6):
            row, said = random_row(generator, explainer, constraints), random_claim(generator)
            result = ask(explainer, row, written(said))
            finer = result.context.variables != explainer.domain.variables
            met |= {result.verdict, result.literals, "finer" if finer else "as it was"}
    assert met >= {"exact", "pessimistic", "optimistic", "incomparable", "inapplicable", "intervals", "sets"}
    assert met >= {"finer", "as it was"}


@pytest.mark.slow
@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=IDS)
def test_many_more_rules_against_brute_force(constraints):
    for seed in range(100, 200):
        generator = np.random.default_rng(seed)
        explainer = explainer_of(seed, constraints)
        for _ in range(10):
            row, said = random_row(generator, explainer, constraints), random_claim(generator)
            verify(explainer, constraints, row, said, ask(explainer, row, written(said)))


@pytest.fixture(scope="module")
def cancer():
    data = load_breast_cancer()
    model = RandomForestClassifier(25, max_depth=4, random_state=0).fit(data.data, data.target)
    names = [str(name) for name in data.feature_names]
    return model, data.data, pw.Explainer(model, data.data, feature_names=names)


@pytest.mark.parametrize("literals", ["values", "intervals", "sets"])
def test_own_explanations_are_exact(cancer, literals):
    _, X, explainer = cancer
    for x in X[::90]:
        why = explainer.explain(x, literals=literals)
        result = ask(explainer, x, why)
        assert (result.literals == "values") == (literals == "values")
        assert result.sufficient and result.verdict == "exact" and result.redundant == ()
        assert result.repaired.term == why.term
        assert ask(explainer, x, why.rule).sufficient, "what is shown lies inside what is proved"


def test_own_explanations_under_constraints_are_exact():
    for seed, constraints in itertools.product(range(8), CONSTRAINTS):
        generator = np.random.default_rng(seed)
        explainer = explainer_of(seed, constraints)
        row = random_row(generator, explainer, constraints)
        features = explainer.explain(row, literals="values").features
        assert ask(explainer, row, features).verdict == "exact"


def test_one_condition_more_or_less_than_an_explanation(cancer):
    model, X, explainer = cancer
    for x in X[::90]:
        features = explainer.explain(x, literals="values").features
        more = next(name for name in explainer._model.context.feature_names if name not in features)
        result = ask(explainer, x, [*features, more])
        assert result.verdict == "pessimistic" and more in result.redundant
        assert set(result.repaired.features) <= {*features, more}
        result = ask(explainer, x, features[1:])
        assert result.sufficient is False and result.verdict == "optimistic"
        assert set(result.repaired.features) > set(features[1:])
        assert (
            model.predict([result.counterexample.row])[0] == result.counterexample.decision != result.decision
        )
        assert not set(result.counterexample.changed) & set(features[1:])


def test_a_repair_keeps_to_the_claim_as_far_as_it_can():
    """The decision is a and (b or c), c having more of a say; u is looked at by nobody."""
    tree = pw.Tree.build((0, 0.5, [1, 0], (2, 0.5, (1, 0.5, [1, 0], [0, 1]), [0, 1])))
    explainer = pw.Explainer(pw.Ensemble((tree,), ("a", "b", "c", "u"), ("no", "yes")))
    assert explainer.explain([1, 1, 1, 1]).features == ("a", "c")
    result = ask(explainer, [1, 1, 1, 1], ["b", "u"])
    assert result.verdict == "incomparable" and result.repaired.features == ("a", "b")
    assert ask(explainer, [1, 1, 1, 1], ["b"]).repaired.features == ("a", "b")


@pytest.mark.parametrize("sign", [1, -1])
def test_a_prime_inside_a_claim_may_end_anywhere_up_to_the_claim(sign):
    """z > 0.5, or by the cell of x, from left to right: no, y > 0.5, yes, y > 0.5; and the same mirrored."""
    by_y = (1, 0.5, [1, 0], [0, 1])
    x_cells = [(0, -1.0), (0, 0.5), (0, 2.0)]
    leaves = [[1, 0], by_y, [0, 1], by_y][::sign]
    low = (*x_cells[0], leaves[0], leaves[1])
    high = (*x_cells[2], leaves[2], leaves[3])
    tree = pw.Tree.build((2, 0.5, (*x_cells[1], low, high), [0, 1]))
    explainer = pw.Explainer(pw.Ensemble((tree,), ("x", "y", "z"), ("no", "yes")))
    x, claim = (3, "x > -1") if sign > 0 else (-3, "x <= 2")
    assert explainer.explain([x, 1, 1]).features == ("z",)
    result = ask(explainer, [x, 1, 1], claim)
    assert result.verdict == "optimistic" and result.repaired.features == ("x", "y")


def test_the_fewest_of_a_ranking_is_where_a_scan_stops(cancer):
    _, X, explainer = cancer
    generator = np.random.default_rng(0)
    for x in X[::200]:
        weights = generator.permutation(30) + 1.0
        ranked = [explainer._model.context.feature_names[j] for j in np.argsort(-weights)]
        scan = next(k for k in range(31) if ask(explainer, x, ranked[:k], clock=Clock(0.5)).sufficient)
        result = ask(explainer, x, weights)
        assert list(result.claim.features) == ranked[:scan] and result.sufficient


def test_a_feature_that_the_model_does_not_see():
    tree = pw.Tree.build((0, 2.5, [1, 0], [0, 1]))
    explainer = pw.Explainer(pw.Ensemble((tree,), ("x", "unused"), ("no", "yes")))
    assert ask(explainer, [1, 1], ["x", "unused"]).verdict == "pessimistic"
    assert ask(explainer, [1, 1], ["x", "unused"]).redundant == ("unused",)
    result = ask(explainer, [1, 1], "unused >= 1 and x <= 3")
    assert result.sufficient is False and result.verdict == "incomparable"
    assert 2.5 < result.counterexample.row[0] <= 3
    result = ask(explainer, [1, 1], "unused >= 7")
    assert result.verdict == "inapplicable" and not result.contains_row
    assert result.counterexample.row[1] >= 7, "the counterexample lies inside the claim"


def test_an_order_makes_a_claim_on_one_feature_speak_of_another():
    """The model sees x only, and x <= y: below y = 2 no x is above 2.5, though y has no cells of its own."""
    tree = pw.Tree.build((0, 2.5, [1, 0], [0, 1]))
    explainer = pw.Explainer(pw.Ensemble((tree,), ("x", "y"), ("no", "yes")), constraints=["x <= y"])
    result = ask(explainer, [1, 1.5], "y <= 2")
    assert result.sufficient and result.redundant == () and "x <= y" in result.assumptions
    assert "claim's own ends" in str(result)
    assert ask(explainer, [1, 1.5], "y <= 2.5").sufficient
    result = ask(explainer, [1, 1.5], f"y <= {math.nextafter(2.5, 3)!r}")
    assert result.sufficient is False and result.counterexample.row[0] == result.counterexample.row[1] > 2.5


def test_a_counterexample_keeps_to_whole_numbers_bounds_and_ranges():
    trees = tuple(pw.Tree.build((j, 10.0, [1, 0], [0, 1])) for j in range(2))
    domain = {"n": pw.Number(0, 100, whole=True), "x": pw.Number(0, 50)}
    explainer = pw.Explainer(pw.Ensemble(trees, ("n", "x"), ("no", "yes")), domain=domain)
    result = ask(explainer, [3, 3], "3 <= n < 12.5 and 9.9 < x < 10.1")
    n, x = result.counterexample.row
    assert result.sufficient is False and n in (11, 12) and 10 < x < 10.1
    assert result.verdict == "inapplicable", "x = 3 is outside 9.9 to 10.1"
    assert ask(explainer, [3, 3], "n < 11").sufficient
    assert ask(explainer, [3, 3], "n <= 11").sufficient is False
    nothing = ask(explainer, [3, 3], "10.2 < n < 10.8")
    assert nothing.sufficient and nothing.verdict == "inapplicable" and "no row at all" in str(nothing)
    assert "Note: in the row, n = 3" in str(nothing)
    lime = SimpleNamespace(
        local_exp={0: []}, as_list=lambda label: [("10.2 < n < 10.8", 0.9), ("x <= 3", 0.5)]
    )
    fewest = ask(explainer, [3, 3], lime, most="fewest")
    assert fewest.claim.features == ("n",) and fewest.sufficient


def test_claims_about_columns_of_a_group():
    tree = pw.Tree.build((0, 0.5, (2, 0.5, [1, 0], [0, 1]), [0, 1]))
    columns = ("colour_red", "colour_green", "colour_blue")
    explainer = pw.Explainer(pw.Ensemble((tree,), columns, ("no", "yes")), groups={"colour": list(columns)})
    assert ask(explainer, [1, 0, 0], ["colour_green"]).verdict == "exact"
    assert ask(explainer, [1, 0, 0], "colour_red = 1").verdict == "pessimistic"
    result = ask(explainer, [1, 0, 0], "colour_blue <= 0.5")
    assert result.counterexample.row == (0, 1, 0) and result.counterexample.text == "colour = green"
    assert result.verdict == "incomparable", "the only PI-explanation excludes green, and allows blue"


def test_limits_leave_things_open_and_nothing_wrong():
    data = load_breast_cancer()
    model = RandomForestClassifier(60, random_state=0).fit(data.data, data.target)
    explainer = pw.Explainer(model, data.data)
    generator = np.random.default_rng(0)
    met = set()
    for x in data.data[::80]:
        ranked = generator.permutation(explainer._model.context.feature_names).tolist()
        for names in (ranked[:6], ranked[:24]):
            truth = ask(explainer, x, names, clock=Clock(5))
            assert truth.sufficient is not None
            for clock in (Clock(1e-9), Clock(None, 1), Clock(None, 20), Clock(0.003)):
                result = ask(explainer, x, names, clock=clock)
                met.add(result.sufficient)
                assert result.sufficient in (None, truth.sufficient)
                if result.sufficient is None:
                    assert result.verdict == "undecided" and result.status == "interrupted"
                    assert "not decided in time" in str(result)
                if result.status == truth.status == "proved":
                    assert result.verdict == truth.verdict
                assert result.repaired.covers([x])[0]
        weights = generator.random(30)
        assert ask(explainer, x, weights, clock=Clock(None, 1)).sufficient in (None, True)
    assert met == {None, True, False}


def test_a_decision_that_depends_on_the_order_of_summation():
    """Tenths that are a tie in one order and not in another: no claim suffices, and nothing repairs it."""
    leaves = [0.1, 0.2, 0.3, 0.4, 0.1, 0.2]
    trees = tuple(
        pw.Tree.build((0, 0.5, [a, b], [1.0, 0.0])) for a, b in zip(leaves, leaves[::-1], strict=True)
    )
    ensemble = pw.Ensemble(trees, ("x",), ("no", "yes"), vote="mean")
    explainer = pw.Explainer(ensemble, summation="any")
    result = ask(explainer, [0.0], ["x"])
    assert result.sufficient is False and result.repaired is None
    assert result.counterexample.decision == UNDECIDED and result.verdict == "incomparable"
    assert ask(explainer, [1.0], ["x"]).verdict == "exact"


def test_categories_of_real_applications():
    credit = load_credit()
    model = RandomForestClassifier(10, max_depth=4, random_state=0).fit(credit.X, credit.y)
    options = {"feature_names": credit.feature_names, "class_names": credit.class_names}
    explainer = pw.Explainer(model, credit.X, domain=credit.domain, units=credit.units, **options)
    for x in credit.X[::100]:
        result = ask(explainer, x, "checking account = none and duration <= 12 months", clock=Clock(20))
        inside = (credit.X[:, 0] == 3) & (credit.X[:, 1] <= 12)
        if result.sufficient:
            assert len(set(model.predict(credit.X[inside]).tolist())) == 1
        else:
            other = result.counterexample.row
            assert other[0] == 3 and other[1] <= 12
            assert explainer.class_names[model.predict([other])[0]] != result.decision
        assert explainer.explain(x).rule.split(" THEN ")[1] == result.decision
        assert ask(explainer, x, explainer.explain(x).rule).sufficient


def test_a_rule_about_another_decision_is_refused():
    iris = load_iris()
    model = RandomForestClassifier(5, random_state=0).fit(iris.data, iris.target)
    names = {"feature_names": iris.feature_names, "class_names": iris.target_names}
    explainer = pw.Explainer(model, iris.data, **names)
    with pytest.raises(InvalidInput, match="about virginica; the decision on this row is setosa"):
        ask(explainer, iris.data[0], "IF petal width (cm) <= 0.8 THEN virginica")
    with pytest.raises(InvalidInput, match="about virginica; the decision on this row is setosa"):
        ask(explainer, iris.data[0], explainer.explain(iris.data[149]))
    other = ask(explainer, iris.data[0], explainer.explain(iris.data[149]).term)
    assert other.verdict == "inapplicable" and other.sufficient is False


def test_expressions_are_refused():
    A, B = pw.Variable("A", [1, 2]), pw.Variable("B", [1, 2])
    with pytest.raises(InvalidInput, match="claims are about rows of a model"):
        pw.Explainer((A == 1) | (B == 1)).check({"A": 1, "B": 1}, ["A"])


def test_words_records_and_tables():
    tree = pw.Tree.build((0, 2.5, [1, 0], (1, 4.0, [1, 0], [0, 1])))
    explainer = pw.Explainer(pw.Ensemble((tree,), ("x", "y"), ("no", "yes")))
    short = ask(explainer, [3, 5], "x > 2.75")
    assert str(short).splitlines() == [
        "claim: IF x > 2.75 THEN yes",
        "  yes: the only tree says so",
        "  not sufficient: with y = 0 the decision is no",
        "  optimistic: a part of a PI-explanation (intervals), which says more",
        "  prime instead: IF x > 2.5 AND y > 4 THEN yes",
    ]
    long = ask(explainer, [1, 5], "x <= 2 and y > 3")
    assert str(long).splitlines() == [
        "claim: IF x <= 2 AND y > 3 THEN no",
        "  no: the only tree says so",
        "  sufficient: every row that it holds for is decided no",
        "  pessimistic: it says more than a PI-explanation (intervals) does",
        "  not needed, one at a time: y > 3",
        "  prime instead: IF x <= 2.5 THEN no",
    ]
    record = short.to_dict()
    assert record["verdict"] == "optimistic" and record["counterexample"]["changed"] == {"y": 0.0}
    assert record["repaired"]["literals"][1]["text"] == "y > 4" and record["status"] == "proved"
    counted = tally([short, long, ask(explainer, [1, 5], ["x"])])
    assert counted == Tally(
        3,
        2,
        1,
        {**dict.fromkeys(counted.verdicts, 0), "exact": 1, "pessimistic": 1, "optimistic": 1},
    )
    assert str(counted) == "3 claims, 2 of them sufficient: 1 exact, 1 pessimistic, 1 optimistic"
    assert counted.to_dict()["exact"] == 1
    assert comparison({"rules": counted}).splitlines()[2] == "| rules | 3 | 66.7% | 33.3% | 33.3% | 33.3% |"
