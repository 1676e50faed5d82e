"""Constraints that no row violates: what is understood, what is refused, and that answers rest on them rightly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from primewood.errors import InvalidInput, UnknownName

NAMES = ["age", "years_employed", "rent", "housing", "children"]
HOUSING = {0: "own", 1: "rented", 2: "free"}
CONSTRAINTS = ["years_employed <= age - 14", "housing=free -> rent=0", "housing=rented -> rent > 0"]


def people(count=400, seed=0):
    generator = np.random.default_rng(seed)
    age = generator.integers(18, 80, count).astype(float)
    employed = np.minimum(generator.integers(0, 50, count), age - 14).astype(float)
    housing = generator.integers(0, 3, count).astype(float)
    rent = np.where(housing == 2, 0.0, np.where(housing == 1, generator.integers(1, 2000, count), 0.0))
    children = generator.integers(0, 5, count).astype(float)
    X = np.column_stack([age, employed, rent, housing, children])
    y = (employed > 8) ^ (rent > 800) ^ (housing == 0) ^ (generator.random(count) < 0.05)
    return X, y.astype(int)


def explainer_for(model, X, **more):
    options = {"feature_names": NAMES, "domain": {"housing": HOUSING}, "constraints": CONSTRAINTS}
    return pw.Explainer(model, X, **{**options, **more}, literals="sets")


def satisfies(rows):
    age, employed, rent, housing, _ = rows.T
    return (employed <= age - 14) & ((housing != 2) | (rent == 0)) & ((housing != 1) | (rent > 0))


@pytest.mark.parametrize("engine", ["search", "diagram"])
def test_an_explanation_holds_on_all_rows_that_can_exist(engine):
    X, y = people()
    model = RandomForestClassifier(8, max_depth=3, random_state=0).fit(X, y)
    explainer = explainer_for(model, X, engine=engine)
    loose = explainer_for(model, X, engine=engine, constraints=None)
    generator = np.random.default_rng(1)
    used = wider = 0
    for x in X[:25]:
        why = explainer.explain(x)
        assert why.status == "proved" and why.decision == model.predict([x])[0]
        rows = people(3000, int(generator.integers(1 << 30)))[0]
        rows[:, 0] += generator.choice([0, 0.5], len(rows))
        rows = rows[satisfies(rows)]
        inside = rows[why.covers(rows)]
        assert (model.predict(inside) == why.decision).all()
        stated = [text for text in why.assumptions if text in CONSTRAINTS]
        used += bool(stated)
        for witness in why.witnesses:
            row = np.array(witness.row)
            assert satisfies(row[None, :])[0], "a witness is a row that can exist"
            assert model.predict([row])[0] != why.decision
        strict = loose.explain(x)
        wider += why.volume > strict.volume if why.volume is not None else 0
    assert used and wider, "constraints matter here"


def test_engines_give_the_same_answers_under_constraints():
    X, y = people()
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    explainers = [explainer_for(model, X, engine=e) for e in ("auto", "search", "diagram", "bdd", "sat")]
    for x in X[:12]:
        for literals in ("sets", "intervals", "values"):
            terms = {explainer.explain(x, literals=literals).term for explainer in explainers}
            assert len(terms) == 1
        counts = {explainer.count(x, literals="values") for explainer in explainers}
        assert len(counts) == 1


def test_a_compiled_model_keeps_its_constraints(tmp_path):
    X, y = people()
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    compiled = explainer_for(model, X).compile()
    assert compiled.count()["excluded by constraints"] > 0
    compiled.save(tmp_path / "model.diagram")
    again = pw.load(tmp_path / "model.diagram")
    assert again.count() == compiled.count()
    for x in X[:10]:
        assert {w.term for w in again.explanations(x)} == {w.term for w in compiled.explanations(x)}
    with pytest.raises(InvalidInput, match="years_employed <= age - 14"):
        again.decide([20.0, 30.0, 0.0, 0.0, 1.0])
    for why in compiled.prime_implicants(1):
        assert why.term.literals, "some possible row satisfies each"


def test_a_row_that_the_constraints_exclude_is_refused_by_name():
    X, y = people()
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    explainer = explainer_for(model, X)
    with pytest.raises(InvalidInput, match=r"violates the constraint 'years_employed <= age - 14'"):
        explainer.explain([20.0, 30.0, 0.0, 0.0, 1.0])
    with pytest.raises(InvalidInput, match=r"violates the constraint 'housing=free -> rent=0'"):
        explainer.explain([50.0, 10.0, 5.0, 2.0, 1.0])
    X[3, 1] = 90.0
    with pytest.raises(InvalidInput, match=r"X_train, row 3: .*years_employed"):
        explainer_for(model, X)


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        ("age * 2 <= rent", "age"),
        ("age <= rent + children", "constraint"),
        ("years <= age", "years"),
        ("(age <= 3 and rent <= 2) or children <= 1", "is not a clause"),
        ("age <= age + 1", "itself"),
        ("housing=castle -> rent=0", "castle"),
        ("housing <= age", "not numeric"),
        ("age > 90 and age < 80", "excludes every row"),
        ("", "constraint"),
    ],
)
def test_other_forms_are_refused_by_name(constraint, message):
    X, y = people()
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    with pytest.raises((InvalidInput, UnknownName), match=message):
        explainer_for(model, None, constraints=[constraint])


def test_orders_that_no_row_can_satisfy_are_refused():
    X, y = people()
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    with pytest.raises(InvalidInput, match="no row can satisfy"):
        explainer_for(model, None, constraints=["age <= rent - 1", "rent <= age"])


def test_orders_are_chained():
    """x <= y and y <= z say something about x and z, even where no test looks at y."""
    tree = pw.Tree.build((0, 0.5, [1, 0], (2, 0.3, [1, 0], [0, 1])))
    ensemble = pw.Ensemble((tree,), ("x", "y", "z"), ("no", "yes"))
    explainer = pw.Explainer(ensemble, constraints=["x <= y", "y <= z"], literals="sets")
    (rule,) = explainer.domain.knowledge.rules
    assert rule.is_staircase and rule.text == "x <= y and y <= z"
    assert explainer.explain([0.6, 0.7, 0.8]).rule == "IF x > 0.5 THEN yes", "z is then above 0.3"


def test_bounds_of_an_untested_feature_count_in_an_order():
    tree = pw.Tree.build((0, 5.0, [1, 0], [0, 1]))
    ensemble = pw.Ensemble((tree,), ("x", "limit"), ("low", "high"))
    explainer = pw.Explainer(
        ensemble, domain={"limit": pw.Number(0, 5)}, constraints=["x <= limit"], literals="sets"
    )
    why = explainer.explain([1.0, 2.0])
    assert not why.term.literals and why.assumptions[-1] == "x <= limit", "x > 5 cannot be"


def ensemble_of(tree, names, **more):
    return pw.Ensemble((pw.Tree.build(tree),), names, ("no", "yes"), **more)


CHAIN = (0, 0.5, [1, 0], (2, 0.3, [1, 0], [0, 1]))
ENGINES = ["auto", "search", "diagram", "bdd", "sat"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_chain_says_nothing_where_its_middle_is_missing(engine):
    model = ensemble_of(CHAIN, ("x", "y", "z"), allows_missing=True)
    explainer = pw.Explainer(model, constraints=["x <= y", "y <= z"], engine=engine, literals="sets")
    why = explainer.explain([0.6, 0.7, 0.8])
    row = np.array([[0.9, np.nan, 0.1]])
    assert model.predict(row)[0] == 0 and explainer.decide(row[0]) == "no"
    assert not why.covers(row)[0]
    never = pw.Explainer(
        model, constraints=["x <= y", "y <= z"], engine=engine, missing="forbid", literals="sets"
    )
    assert never.explain([0.6, 0.7, 0.8]).rule == "IF x > 0.5 THEN yes"


@pytest.mark.parametrize("engine", ENGINES)
def test_chains_of_whole_numbers_are_closed_over_whole_numbers(engine):
    model = ensemble_of((0, 4.5, [1, 0], (2, 6.5, [1, 0], [0, 1])), ("x", "y", "z"))
    domain = dict.fromkeys("xyz", "whole")
    explainer = pw.Explainer(
        model, domain=domain, constraints=["x < y", "y < z"], engine=engine, literals="sets"
    )
    why = explainer.explain([5.0, 6.0, 7.0])
    assert why.rule == "IF x >= 5 THEN yes", "then z is at least x + 2"
    for witness in why.witnesses:
        x, y, z = witness.row
        assert x < y < z and model.predict([witness.row])[0] == 0
    with pytest.raises(InvalidInput, match="chain through y, which is whole"):
        pw.Explainer(model, domain={"y": "whole"}, constraints=["x < y", "y < z"], literals="sets")


def test_three_orders_with_missing_values_against_all_rows():
    """Rows on a grid, with every pattern of missing values; K by hand."""
    generator = np.random.default_rng(0)
    grid = [-1.0, 0.25, 0.75, 1.5, 3.0, np.nan]
    rows = np.array(np.meshgrid(grid, grid, grid)).reshape(3, -1).T
    x, y, z = rows.T
    fine = ~(x > y + 0.5) & ~(y >= z) & ~(z > x + 2)
    for _ in range(12):
        thresholds = generator.choice([0.0, 0.5, 1.0, 2.0], 6)
        trees = []
        for t in range(4):
            inner = [int(generator.integers(3)) for _ in range(3)]
            tree = pw.Tree.build(
                (
                    inner[0],
                    float(thresholds[t]),
                    (inner[1], float(thresholds[t + 1]), [1, 0], [0, 1]),
                    (inner[2], float(thresholds[t + 2]), [0, 1], [1, 0]),
                )
            )
            trees.append(replace(tree, missing_left=generator.random(len(tree)) < 0.5))
        model = pw.Ensemble(tuple(trees), ("x", "y", "z"), ("no", "yes"), allows_missing=True)
        constraints = ["x <= y + 0.5", "y < z", "z <= x + 2"]
        explainers = [
            pw.Explainer(model, constraints=constraints, engine=e, literals="sets")
            for e in ("search", "diagram", "sat")
        ]
        possible = rows[fine]
        decided = np.array(model.classes)[model.predict(possible)]
        for row in possible[generator.permutation(len(possible))[:8]]:
            found = [explainer.explain(row) for explainer in explainers]
            assert len({why.term for why in found}) == 1
            covered = found[0].covers(possible)
            assert (decided[covered] == found[0].decision).all()


def test_comparisons_at_and_beyond_bounds_are_understood():
    model = ensemble_of((0, 100.5, [1, 0], (1, 0.5, [0, 1], [1, 0])), ("rent", "h"))
    for whole in (False, True):
        domain = {"rent": pw.Number(0, 5000, whole=whole), "h": {0: "own", 1: "free"}}
        for text in ("rent=0", "rent<=0", "rent<1" if whole else "rent<=0"):
            explainer = pw.Explainer(model, domain=domain, constraints=[f"h=free -> {text}"], literals="sets")
            why = explainer.explain([200.0, 0.0])
            assert why.rule == ("IF rent >= 101 THEN yes" if whole else "IF rent > 100.5 THEN yes")
        for text in ("rent <= 6000", "rent >= 0", "rent != 9999", "not rent < 0"):
            explainer = pw.Explainer(model, domain=domain, constraints=[f"h=free -> {text}"], literals="sets")
            assert len(explainer.explain([200.0, 0.0]).term.literals) == 2, "it says nothing"
        with pytest.raises(InvalidInput, match="excludes every row"):
            pw.Explainer(model, domain=domain, constraints=["rent > 5000"], literals="sets")


def test_orders_are_checked_as_a_program_would():
    model = ensemble_of((0, 0.5, [1, 0], [0, 1]), ("x", "y"))
    explainer = pw.Explainer(model, constraints=["x <= y + 0.1"], literals="sets")
    assert explainer.decide([0.4, 0.3]) == "no", "0.4 <= 0.3 + 0.1 in float64"
    with pytest.raises(InvalidInput, match="X_train, row 1"):
        pw.Explainer(model, [[0.1, 0.3], [0.6, 0.3]], constraints=["x <= y + 0.1"], literals="sets")


def test_what_is_shown_for_avoided_features_satisfies_the_constraints():
    model = ensemble_of((0, 4.5, [1, 0], [0, 1]), ("x", "age"))
    why = pw.Explainer(model, constraints=["x <= age - 14"], literals="sets").explain(
        [3.0, 18.7], avoid=["x"]
    )
    assert why.status == "impossible"
    shown = float(why.notes[0].split("x = ")[1].split()[0])
    assert 4.5 < shown <= 18.7 - 14


def test_an_immutable_feature_in_an_order_is_refused_by_contrasts():
    model = ensemble_of((0, 4.5, [1, 0], [0, 1]), ("x", "age"))
    explainer = pw.Explainer(model, constraints=["x <= age - 14"], immutable=["age"], literals="sets")
    with pytest.raises(InvalidInput, match="age as immutable"):
        explainer.contrasts([3.0, 17.5])
    free = pw.Explainer(model, immutable=["x"], literals="sets")
    assert list(free.contrasts([3.0, 17.5])) == []


def test_very_many_exclusions_are_too_large():
    names = tuple(f"x{i}" for i in range(100))
    model = ensemble_of((0, 0.5, [1, 0], [0, 1]), names)
    pairs = [f"not ({a}=1 and {b}=1)" for i, a in enumerate(names) for b in names[:i]]
    explainer = pw.Explainer(
        model, domain=dict.fromkeys(names, "boolean"), constraints=pairs, literals="sets"
    )
    with pytest.raises(pw.errors.TooLarge, match="4,950"):
        explainer.explain([0.0] * 100)


def test_chains_in_a_circle_exclude_no_row_that_satisfies_all_orders():
    """Random orders over whole and other numbers, some missing: rows that satisfy them are accepted, and boxes hold."""
    generator = np.random.default_rng(1)
    for seed in range(40):
        whole = seed % 2 == 0
        names = ["x", "y", "z", "w"]
        picked = [generator.permutation(4)[:2] for _ in range(int(generator.integers(2, 6)))]
        orders = [
            (a, b, float(generator.choice([-1.0, 0.0, 0.4, 1.0, 3.0])), bool(generator.random() < 0.3))
            for a, b in picked
        ]
        texts = [
            f"{names[a]} {'<' if strict else '<='} {names[b]} + {c}".replace("+ -", "- ")
            for a, b, c, strict in orders
        ]
        rows = generator.integers(0, 7, (4000, 4)).astype(float)
        rows += 0 if whole else generator.choice([0.0, 0.25, 0.5], rows.shape)
        rows[generator.random(rows.shape) < 0.1] = np.nan
        fine = np.ones(len(rows), dtype=bool)
        for a, b, c, strict in orders:
            bound = np.floor(c) if whole and not strict else np.ceil(c) - 1 if whole else c
            low, high = rows[:, a], rows[:, b] + bound
            fine &= np.isnan(low) | np.isnan(high) | ((low < high) if strict and not whole else (low <= high))
        rows = rows[fine]
        trees = tuple(
            replace(tree, missing_left=generator.random(len(tree)) < 0.5)
            for tree in (
                pw.Tree.build(
                    (
                        int(generator.integers(4)),
                        float(generator.integers(1, 6)),
                        (int(generator.integers(4)), float(generator.integers(1, 6)), [1, 0], [0, 1]),
                        (int(generator.integers(4)), float(generator.integers(1, 6)), [0, 1], [1, 0]),
                    )
                )
                for _ in range(5)
            )
        )
        model = pw.Ensemble(trees, tuple(names), ("no", "yes"), allows_missing=True)
        domain = dict.fromkeys(names, "whole" if whole else "numeric")
        try:
            explainer = pw.Explainer(model, rows[:300], constraints=texts, domain=domain, literals="sets")
        except InvalidInput as problem:
            assert "no row can satisfy" in str(problem), problem
            continue
        decided = np.array(model.classes)[model.predict(rows)]
        for row in rows[:4]:
            why = explainer.explain(row)
            covered = why.covers(rows)
            assert (decided[covered] == why.decision).all()
            for witness in why.witnesses:
                assert model.classes[int(model.predict([witness.row])[0])] == witness.decision


def test_numbers_near_zero_are_put_in_order_at_once():
    model = ensemble_of((0, 18.0, [1, 0], [0, 1]), ("x", "y"))
    why = pw.Explainer(model, constraints=["x < y + 18"], literals="sets").explain([10.0, -3.0])
    for witness in why.witnesses:
        assert witness.row[0] < witness.row[1] + 18


def test_a_cell_that_rounding_alone_makes_possible_is_found():
    """The largest float below 0.5, plus 0.5, is 1 in float64."""
    model = ensemble_of((0, 0.5, (1, 1.0, [0, 1], [1, 0]), [0, 1]), ("y", "z"), operator="<")
    explainer = pw.Explainer(model, constraints=["z <= y + 0.5"], literals="sets")
    row = [float(np.nextafter(0.5, 0)), 1.0]
    assert explainer.decide(row) == "no"
    for witness in explainer.explain([0.75, 0.5]).witnesses:
        assert witness.row[1] <= witness.row[0] + 0.5 and witness.decision == "no"
