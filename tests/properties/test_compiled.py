"""Compiled models, as users ask them: counts, shares, reasons, bias, robustness, differences, files, pictures."""

from __future__ import annotations

import itertools
import json
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import primewood as pw
from primewood.errors import Interrupted, InvalidInput, TooLarge, UnknownName
from primewood.logic.instance import contains
from primewood.logic.language import literal_masks

IRIS = load_iris()
X, Y = IRIS.data, IRIS.target
NAMES = {"feature_names": IRIS.feature_names, "class_names": IRIS.target_names}


@pytest.fixture(scope="module")
def forest():
    return RandomForestClassifier(9, max_depth=3, random_state=2).fit(X, Y)


@pytest.fixture(scope="module")
def compiled(forest):
    return pw.compile(forest, X, **NAMES, literals="sets")


@pytest.fixture(scope="module")
def table(compiled):
    """What the diagram says at every cell, by the reference."""
    domain = compiled._context.domain
    cells = list(itertools.product(*(range(len(x)) for x in compiled.diagram.variables)))
    ensemble = pw.Explainer(
        RandomForestClassifier(9, max_depth=3, random_state=2).fit(X, Y), X, literals="sets"
    ).ensemble
    decided = ensemble.predict(np.array([domain.row_in(cell) for cell in cells]))
    return dict(zip(cells, decided.tolist(), strict=True))


def test_every_row_is_decided_as_the_model_does(compiled, forest):
    assert [compiled.decide(x) for x in X] == IRIS.target_names[forest.predict(X)].tolist()


def test_counts_and_shares_are_those_of_all_cells(compiled, table):
    decided = list(table.values())
    names = IRIS.target_names.tolist()
    assert compiled.count() == {name: decided.count(i) for i, name in enumerate(names)}
    for kind in ("volume", "rows"):
        weights = compiled._weights(kind)
        expected = np.zeros(3)
        for cell, label in table.items():
            expected[label] += np.prod([w[v] for w, v in zip(weights, cell, strict=True)])
        assert np.allclose(list(compiled.share(kind).values()), expected)
    assert sum(compiled.share().values()) == pytest.approx(1)


def test_a_share_under_given_probabilities_counts_only_what_may_happen(compiled):
    sizes = {x.name: len(x) for x in compiled.diagram.variables}
    width = "petal width (cm)"
    lowest = {width: [1.0] + [0.0] * (sizes[width] - 1)}
    assert compiled.share(lowest) != compiled.share()
    with pytest.raises(UnknownName, match="color"):
        compiled.share({"color": [1.0]})
    with pytest.raises(InvalidInput, match="add up to 1"):
        compiled.share({width: [0.5] * sizes[width]})
    with pytest.raises(InvalidInput, match="needs training rows"):
        pw.compile(DecisionTreeClassifier(max_depth=2).fit(X, Y), literals="sets").share("rows")


def test_explanations_are_listed_by_size_and_all_hold(compiled, table):
    variables = compiled.diagram.variables
    for i in (3, 60, 77, 106, 133):
        family = compiled.explanations(X[i])
        found = list(family)
        assert family.count() == len(found) == sum(family.sizes().values())
        assert [len(why.features) for why in found] == sorted(len(why.features) for why in found)
        assert family.shortest().features == found[0].features
        for why in found[:20]:
            box = why.term.box(variables)
            assert {table[c] for c in table if contains(box, c)} == {
                IRIS.target_names.tolist().index(why.decision)
            }
            assert why in family and why.covers(X[i : i + 1])[0]
        assert family.widest_by("rows").coverage == max(why.coverage for why in found)
        assert family.widest_by("volume").volume == pytest.approx(max(why.volume for why in found))
        drawn = family.sample(5, seed=0)
        assert len(drawn) == 5 and all(why in family for why in drawn)
        for name in IRIS.feature_names:
            assert family.mentioning(name).count() == sum(name in why.features for why in found)
            assert family.without(name).count() == sum(name not in why.features for why in found)


def test_the_diagram_and_the_search_list_the_same_explanations(forest, compiled):
    searching = pw.Explainer(forest, X, engine="search", **NAMES, literals="sets")
    for i, literals in itertools.product((60, 77, 133), ("sets", "intervals", "values")):
        by_search = searching.explanations(X[i], literals=literals)
        by_diagram = compiled.explanations(X[i], literals=literals)
        assert not by_search.compiled and by_diagram.compiled
        assert {why.term for why in by_search} == {why.term for why in by_diagram}
        assert by_search.count() == by_diagram.count() and by_search.sizes() == by_diagram.sizes()
        assert len(by_search.shortest().features) == len(by_diagram.shortest().features)
        assert by_search.widest_by("rows").coverage == by_diagram.widest_by("rows").coverage


def test_each_contrast_has_a_row_that_the_model_decides_otherwise(forest, compiled):
    for i, literals in itertools.product((60, 77, 133), ("sets", "intervals", "values")):
        contrasts = list(compiled.contrasts(X[i], literals=literals))
        assert contrasts and compiled.contrasts(X[i], literals=literals).count() == len(contrasts)
        for contrast in contrasts:
            row = np.array(contrast.changed)
            changed = {n for n, a, b in zip(IRIS.feature_names, X[i], row, strict=True) if a != b}
            assert changed <= set(contrast.features)
            assert IRIS.target_names[forest.predict(row[None, :])[0]] == contrast.other != contrast.decision
            assert set(contrast.to_dict()["changed"]) == changed and contrast.other in str(contrast)


def test_a_complete_reason_says_what_all_explanations_say_together(compiled):
    variables = compiled.diagram.variables
    for i in (60, 77, 133):
        reason = compiled.complete_reason(X[i])
        found = list(compiled.explanations(X[i]))
        for other in X[::7]:
            assert reason.covers(other) == any(why.covers(other[None, :])[0] for why in found)
        relevance = reason.relevance
        assert set(relevance.relevant) == {name for why in found for name in why.features}
        assert set(relevance.necessary) == set.intersection(*(set(why.features) for why in found))
        assert set(relevance.irrelevant) == set(IRIS.feature_names) - set(relevance.relevant)
        excluded = [
            {x.variable.name: x.variable.everything & ~x.mask for x in why.term.literals} for why in found
        ]
        for literals, combine in ((relevance.necessary_values, "all"), (relevance.relevant_values, "some")):
            masks = {x.variable.name: x.mask for x in literals}
            for x in variables:
                parts = [e.get(x.name, 0) for e in excluded]
                expected = 0
                for v in range(len(x)):
                    hits = [part >> v & 1 for part in parts]
                    expected |= (all(hits) if combine == "all" else any(hits)) << v
                assert masks.get(x.name, 0) == expected
        record = reason.to_dict()
        json.dumps(record)
        assert len(record["nodes"]) == len(reason.function)


def test_the_complete_reason_is_equivalent_to_the_disjunction_of_explanations():
    A, B, C = pw.Variable("A", [1, 2, 3]), pw.Variable("B", ["r", "b", "g"]), pw.Variable.boolean("C")
    delta = pw.parse("(B=r | B=b) -> (A=2 & C)", [A, B, C])
    compiled = pw.compile(delta, literals="sets")
    for a, b, c in itertools.product(A.values, B.values, C.values):
        alpha = {"A": a, "B": b, "C": c}
        reason = compiled.complete_reason(alpha)
        terms = [why.term for why in compiled.explanations(alpha)]
        written = reason.to_expression()
        for other in itertools.product(A.values, B.values, C.values):
            beta = dict(zip("ABC", other, strict=True))
            covered = any(term.over([A, B, C]).holds(beta) for term in terms)
            assert reason.holds(beta) == covered == written.holds(beta)
        assert all(reason.certain_under(term) for term in terms)


def test_bias_is_shown_by_a_row_that_differs_in_protected_features_only(forest, compiled):
    for i, protected in itertools.product(
        (60, 77, 106, 133), (["petal width (cm)"], ["sepal width (cm)", "sepal length (cm)"])
    ):
        bias = compiled.bias(X[i], protected)
        found = [set(why.features) & set(protected) for why in compiled.explanations(X[i])]
        assert bias.decision == all(found) and bias.some == any(found)
        if bias.decision:
            row = np.array(bias.changed)
            assert {n for n, a, b in zip(IRIS.feature_names, X[i], row, strict=True) if a != b} <= set(
                protected
            )
            assert IRIS.target_names[forest.predict(row[None, :])[0]] == bias.other != compiled.decide(X[i])
    with pytest.raises(InvalidInput, match="list of feature names"):
        compiled.bias(X[0], "petal width (cm)")
    with pytest.raises(UnknownName):
        compiled.bias(X[0], ["sex"])


def test_robustness_is_the_size_of_the_smallest_contrast(forest, compiled):
    for i in range(0, 150, 17):
        robustness = compiled.robustness(X[i])
        smallest = compiled.contrasts(X[i]).shortest()
        assert robustness.features == len(smallest.features) == len(robustness.contrast.features)
        row = np.array(robustness.contrast.changed)
        assert IRIS.target_names[forest.predict(row[None, :])[0]] == robustness.contrast.other
        assert "to change" in str(robustness)


def test_nothing_changes_a_constant_decision():
    model = DecisionTreeClassifier(max_depth=2).fit(X, np.zeros(len(X), dtype=int))
    compiled = pw.compile(model, X, literals="sets")
    assert compiled.robustness(X[0]).features is None
    assert compiled.count() == {0: 1} and list(compiled.contrasts(X[0])) == []
    assert [why.rule for why in compiled.explanations(X[0])] == ["always 0"]
    assert "no change" in str(compiled.robustness(X[0]))


def test_two_models_are_compared_cell_by_cell(forest, compiled):
    other = RandomForestClassifier(7, max_depth=3, random_state=5).fit(X, Y)
    difference = compiled.difference(pw.compile(other, X, **NAMES, literals="sets"))
    generator = np.random.default_rng(0)
    rows = X[generator.integers(0, len(X), 3000)] + generator.normal(0, 0.5, (3000, 4))
    names = IRIS.target_names
    for x, a, b in zip(rows, names[forest.predict(rows)], names[other.predict(rows)], strict=True):
        assert difference.compiled.decide(x) == ("same" if a == b else f"{a} -> {b}")
    assert not difference.equivalent and 0 < difference.share() < 1 and "differ" in str(difference)
    assert difference.share("volume") > 0
    for region in itertools.islice(difference.regions(), 30):
        inside = rows[region.covers(rows)]
        assert not len(inside) or (forest.predict(inside) != other.predict(inside)).all()
    assert difference.widest() is not None


def test_a_model_is_equivalent_to_itself_however_it_is_written(compiled, forest, tmp_path):
    copy = pw.compile(forest, X, **NAMES, literals="sets")
    assert compiled.equivalent(copy) and str(compiled.difference(copy)).startswith("equivalent")
    assert compiled.difference(copy).widest() is None and list(compiled.difference(copy).regions()) == []
    A, B = pw.Variable("A", [1, 2, 3]), pw.Variable("B", [1, 2])
    left, right = pw.parse("A=1 -> B=2", [A, B]), pw.parse("!(A=1 & B=1)", [B, A])
    assert pw.compile(left, literals="sets").equivalent(pw.compile(right.over([B, A]), literals="sets"))
    with pytest.raises(InvalidInput, match="the same variables"):
        pw.compile(left, literals="sets").difference(compiled)


def test_models_that_look_at_different_columns_can_be_compared():
    one = DecisionTreeClassifier(max_depth=1, random_state=0, max_features=1).fit(X[:, [0, 2]], Y > 0)
    two = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X[:, [0, 2]], Y > 0)
    difference = pw.compile(one, literals="sets").difference(pw.compile(two, literals="sets"))
    for x in X[:, [0, 2]]:
        a, b = one.predict(x[None, :])[0], two.predict(x[None, :])[0]
        assert difference.compiled.decide(x) == ("same" if a == b else f"{a} -> {b}")


def test_a_compiled_model_comes_back_from_its_file(compiled, tmp_path):
    path = tmp_path / "iris.diagram"
    compiled.save(path)
    again = pw.load(path)
    assert again.class_names == compiled.class_names and again.order == compiled.order
    assert again.diagram.counts() == compiled.diagram.counts()
    assert [again.decide(x) for x in X] == [compiled.decide(x) for x in X]
    why = compiled.explanations(X[77]).shortest()
    assert (
        again.explanations(X[77]).shortest().to_dict()["literals"][0]["intervals"]
        == (why.to_dict()["literals"][0]["intervals"])
    )
    assert again.explanations(X[77]).shortest().coverage is None
    assert list(tmp_path.iterdir()) == [path]


def test_expressions_and_categories_come_back_too(tmp_path):
    A, B = pw.Variable("A", [1, 2, 3]), pw.Variable("B", ["r", "b"])
    pw.compile(pw.parse("A=1 | B=r", [A, B]), literals="sets").save(tmp_path / "e")
    again = pw.load(tmp_path / "e")
    assert again.decide({"A": 1, "B": "b"}) is True and again.count() == {False: 2, True: 4}
    rows = np.column_stack([X[:, 0], Y.astype(float)])
    model = RandomForestClassifier(5, max_depth=3, random_state=0).fit(rows, Y > 1)
    domain = {"x1": {0: "setosa", 1: "versicolor", 2: "virginica"}}
    compiled = pw.compile(model, rows, domain=domain, literals="sets")
    compiled.save(tmp_path / "f")
    assert pw.load(tmp_path / "f").equivalent(compiled)
    assert pw.load(tmp_path / "f").explanations(rows[140]).count() == compiled.explanations(rows[140]).count()


@pytest.mark.parametrize("damage", ["cut", "text", "other", "version", "levels"])
def test_a_damaged_file_is_refused(compiled, tmp_path, damage):
    path = tmp_path / "d"
    compiled.save(path)
    raw = path.read_bytes()
    if damage == "cut":
        path.write_bytes(raw[: len(raw) // 2])
    elif damage == "text":
        path.write_text("this is no archive")
    else:
        with np.load(path) as archive:
            arrays = {name: archive[name] for name in archive.files}
        document = json.loads(bytes(arrays["document"]).decode())
        if damage == "other":
            document["format"] = "something else"
        elif damage == "version":
            document["version"] = 99
        else:
            arrays["level_0"] = arrays["level_0"] + 1000
        arrays["document"] = np.frombuffer(json.dumps(document).encode(), dtype=np.uint8)
        with path.open("wb") as file:
            np.savez(file, **arrays)
    with pytest.raises(InvalidInput):
        pw.load(path)
    with pytest.raises(InvalidInput, match="there is no file"):
        pw.load(tmp_path / "nowhere")


def test_a_compiled_model_can_be_sent_to_another_process(compiled):
    assert (
        pickle.loads(pickle.dumps(compiled)).explanations(X[77]).count()
        == compiled.explanations(X[77]).count()
    )


def test_what_is_too_large_says_how_far_it_got():
    model = RandomForestClassifier(40, random_state=0).fit(X, Y)
    with pytest.raises(TooLarge, match=r"[\d,]+ nodes and [\d,]+ partial decisions were reached"):
        pw.compile(model, X, max_nodes=20, literals="sets")


def test_a_time_limit_is_kept_and_more_time_may_do():
    explainer = pw.Explainer(
        RandomForestClassifier(60, max_depth=5, random_state=0).fit(X, Y),
        X,
        engine="diagram",
        literals="sets",
    )
    with pytest.raises(Interrupted, match=r"the time limit of 0\.005 s"):
        explainer.compile(time_limit=0.005)
    assert explainer.compile(time_limit=60).diagram.size > 0
    with pytest.raises(InvalidInput, match="time_limit"):
        explainer.compile(time_limit=-1)


def test_families_have_a_time_limit_too():
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(400, 5))
    model = RandomForestClassifier(8, max_depth=4, random_state=0).fit(rows, rows.sum(axis=1) > 0)
    compiled = pw.compile(model, rows, vote="majority", literals="sets")
    with pytest.raises(TooLarge, match="not finished in time"):
        compiled.prime_implicants(True, time_limit=0.001)
    assert compiled.explanations(rows[0], literals="values", time_limit=60).count() > 0


def test_a_watcher_is_told_how_far_a_long_compilation_is():
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(500, 10))
    model = RandomForestClassifier(20, max_depth=4, random_state=0).fit(rows, rows.sum(axis=1) > 0)
    heard = []
    with pytest.raises(TooLarge):
        pw.compile(model, rows, max_nodes=200_000, watcher=lambda *said: heard.append(said), literals="sets")
    assert heard and all(stage in ("order", "decision", "sifting") for stage, _, _ in heard)
    assert max(nodes for _, nodes, _ in heard) > 0
    with pytest.raises(TooLarge, match=r"time limit of 1 s; [1-9][\d,]* nodes and"):
        pw.compile(model, rows, time_limit=1, literals="sets")


def test_an_interruption_goes_through_a_compilation():
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(500, 10))
    model = RandomForestClassifier(20, max_depth=4, random_state=0).fit(rows, rows.sum(axis=1) > 0)

    def stop(*said: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pw.compile(model, rows, watcher=stop, literals="sets")


def test_where_any_order_of_summation_is_possible_some_cells_are_nobodys():
    model = RandomForestClassifier(10, max_depth=3, random_state=0, n_jobs=2).fit(X, Y)
    compiled = pw.compile(model, X, literals="sets")
    assert compiled.class_names == (0, 1, 2, "depends on the order of summation")
    sequential = pw.compile(model, X, summation="sequential", literals="sets")
    same = sum(
        compiled.diagram.decide(p) in (sequential.diagram.decide(p), 3)
        for p in compiled._context.domain.points(X).tolist()
    )
    assert same == len(X)


def test_pictures_are_drawn_and_large_ones_are_cut(compiled, forest):
    pytest.importorskip("pygraphviz")
    assert compiled.draw(most_nodes=1000).note is None
    cut = compiled.draw(most_nodes=5)
    assert "5 of" in cut.note and cut.svg.startswith("<svg")
    assert "petal" in compiled.complete_reason(X[77]).draw().svg
    explainer = pw.Explainer(forest, X, **NAMES, literals="sets")
    assert "setosa" in explainer.draw_tree(0).svg
    with pytest.raises(InvalidInput, match="trees 0 to 8"):
        explainer.draw_tree(9)


@pytest.mark.parametrize("literals", ["sets", "intervals", "values"])
def test_prime_implicants_of_a_class_are_those_of_its_cells(literals):
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X[:, 2:], Y)
    compiled = pw.compile(model, X[:, 2:], literals="sets")
    variables = compiled.diagram.variables
    cells = list(itertools.product(*(range(len(x)) for x in variables)))
    for label in compiled.class_names:
        boxes = itertools.product(*(literal_masks(x, literals) for x in variables))
        safe = {b for b in boxes if all(compiled.diagram.decide(c) == label for c in cells if contains(b, c))}
        for why in compiled.prime_implicants(label, literals=literals):
            assert why.term.box(variables) in safe
        for b in safe:
            assert any(
                all(m & ~w == 0 for m, w in zip(b, why.term.box(variables), strict=True))
                for why in compiled.prime_implicants(label, literals=literals)
            )
    with pytest.raises(UnknownName):
        compiled.prime_implicants("nobody")


def test_no_damage_to_a_file_brings_anything_but_a_clear_error(compiled, tmp_path):
    path, generator = tmp_path / "d", np.random.default_rng(0)
    compiled.save(path)
    raw = path.read_bytes()
    for _ in range(150):
        damaged = bytearray(raw)
        for place in generator.integers(0, len(raw), generator.integers(1, 8)):
            damaged[place] = generator.integers(256)
        path.write_bytes(bytes(damaged[: generator.integers(1, len(raw) + 1)]))
        try:
            pw.load(path).decide(X[0])
        except InvalidInput:
            continue


def test_a_file_is_written_where_it_can_be_and_nowhere_else(compiled, tmp_path):
    for path in (tmp_path, tmp_path / "nowhere" / "d"):
        with pytest.raises(InvalidInput, match="cannot be written"):
            compiled.save(path)
    assert list(tmp_path.iterdir()) == []


def test_class_names_must_differ_in_writing(forest):
    for names in (["a", "a", "b"], [1, True, "1"]):
        with pytest.raises(InvalidInput, match="class names must differ"):
            pw.Explainer(forest, X, class_names=names, literals="sets")


def test_contrasts_where_any_order_may_be_taken_name_no_decision_twice():
    generator = np.random.default_rng(50)
    rows = generator.normal(size=(60, 3))
    model = RandomForestClassifier(6, max_depth=3, random_state=0, n_jobs=2).fit(rows, rows.sum(axis=1) > 0)
    explainer = pw.Explainer(model, rows, literals="sets")
    for x in rows[:15]:
        if explainer.explain(x).status == "proved":
            assert all(contrast.other != contrast.decision for contrast in explainer.contrasts(x))


def test_families_of_contrasts_can_be_sent_too(compiled):
    family = compiled.contrasts(X[77])
    assert pickle.loads(pickle.dumps(family)).count() == family.count()


def test_robustness_is_said_in_the_words_of_the_domain():
    A, B = pw.Variable("A", [1, 2, 3]), pw.Variable("B", ["r", "b"])
    told = str(pw.compile(pw.parse("A=1 & B=r", [A, B]), literals="sets").robustness({"A": 2, "B": "b"}))
    assert told == "2 features to change: with A is 1 AND B is r it is True"


@pytest.mark.parametrize(
    "ask",
    [
        lambda c: c.bias(X[0], 3),
        lambda c: c.share(np.zeros(3)),
        lambda c: c.share("normal"),
        lambda c: c.share({"petal width (cm)": "abc"}),
        lambda c: c.share({"petal width (cm)": [float("nan")] * 3}),
        lambda c: c.prime_implicants(np.zeros(2)),
        lambda c: c.explanations(X[0], literals="words"),
        lambda c: c.explanations(X[0]).mentioning("color"),
        lambda c: c.explanations(X[0]).widest_by("beauty"),
    ],
)
def test_what_cannot_be_asked_is_said_clearly(compiled, ask):
    with pytest.raises(InvalidInput):
        ask(compiled)
