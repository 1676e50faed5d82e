"""Reading claims: text with odd names, dictionaries, and what Anchors, LIME and SHAP returned when they were recorded.

``recorded/`` holds outputs of the tools with their versions, and the models that they were asked about.
"""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from primewood.apps.check import check, tally
from primewood.apps.check.reading import read_claim
from primewood.data.credit import load_credit
from primewood.engines.protocol import Clock
from primewood.ensemble.file import load_ensemble
from primewood.errors import InvalidInput, UnknownName

RECORDED = Path(__file__).parent / "recorded"
INF = math.inf


def below(x):
    return math.nextafter(x, -INF)


def above(x):
    return math.nextafter(x, INF)


def model_of(names, domain=None, **options):
    """A model that tests each of its columns at 2.5."""
    trees = tuple(pw.Tree.build((j, 2.5, [1, 0], [0, 1])) for j in range(len(names)))
    ensemble = pw.Ensemble(trees, tuple(names), ("no", "yes"), allows_missing=True)
    return pw.Explainer(ensemble, domain=domain, **options)


def read(explainer, claim, row=None, **options):
    context = explainer._model.context
    row = [1.0] * len(context.column_names) if row is None else row
    row, point = context.read(row)
    return read_claim(claim, context, row, explainer._model.engines.decide(point), **options)


def spans(claim):
    return {c.feature.name: list(c.spans) for c in claim.conditions}


def values(claim):
    """Per feature the names of the values that a claim allows."""
    return {
        c.feature.name: {list(c.feature.patterns.values())[i] for i in c.places} for c in claim.conditions
    }


LARGE = np.finfo(np.float64).max


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("x <= 0.80", -LARGE, 0.8),
        ("x < 0.8", -LARGE, below(0.8)),
        ("x > 2", above(2.0), LARGE),
        ("x>=2", 2.0, LARGE),
        ("2 < x <= 5.00", above(2.0), 5.0),
        ("2.00 ≤ x < 5", 2.0, below(5.0)),
        ("5 >= x > -1e-3", above(-1e-3), 5.0),
        ("−2 < x", above(-2.0), LARGE),
        ("3 >= x", -LARGE, 3.0),
        ("x = 3", 3.0, 3.0),
        ("x == 3.50", 3.5, 3.5),
        ("x is 3", 3.0, 3.0),
        ("-inf < x <= 3", -LARGE, 3.0),
        ("x in (2, 5]", above(2.0), 5.0),
        ("x ∈ [2, 5)", 2.0, below(5.0)),
        ('"x" <= 4', -LARGE, 4.0),
        ("x is a number", -LARGE, LARGE),
    ],
)
def test_comparisons_are_taken_as_written(text, low, high):
    claim = read(model_of(["x", "y"]), text)
    assert spans(claim) == {"x": [(low, high)]}
    assert not claim.conditions[0].missing and not claim.conditions[0].kept


def test_what_is_not_a_run_of_numbers():
    explainer = model_of(["x", "y"])
    assert spans(read(explainer, "x != 3")) == {"x": [(-LARGE, below(3.0)), (above(3.0), LARGE)]}
    assert read(explainer, "x != 3").conditions[0].missing, "what is missing is not 3"
    either = read(explainer, "(x <= 1 or x > 4 or x is missing) and y > 0")
    assert spans(either) == {"x": [(-LARGE, 1.0), (above(4.0), LARGE)], "y": [(above(0.0), LARGE)]}
    assert [c.missing for c in either.conditions] == [True, False]
    assert spans(read(explainer, "x in {1, 3}")) == {"x": [(1.0, 1.0), (3.0, 3.0)]}
    missing = read(explainer, "x is missing").conditions[0]
    assert missing.missing and not missing.spans
    present = read(explainer, "x is not missing").conditions[0]
    assert present.spans == ((-LARGE, LARGE),) and not present.missing
    twice = read(explainer, "x <= 3 and x > 1 and y <= 1")
    assert spans(twice) == {"x": [(above(1.0), 3.0)], "y": [(-LARGE, 1.0)]}
    assert read(explainer, "x <= 1 and x > 3").conditions[0].is_empty
    assert read(explainer, "x > inf").conditions[0].is_empty


ODD = [
    "petal width (cm)",
    "x<y",
    "2nd",
    "a and b",
    "größe, außen",
    "rate <= 5%",
    "x",
    "0",
    "x is",
    "年",
    "(p)",
    "p or q",
]


@pytest.mark.parametrize("name", ODD)
def test_odd_names_are_not_misread(name):
    explainer = model_of(ODD)
    for text, span in (
        (f"{name} <= 0.80", (-LARGE, 0.8)),
        (f"2.00 < {name} <= 5.00", (above(2.0), 5.0)),
        (f"{name} > 5", (above(5.0), LARGE)),
        (f"({name} > 5 or {name} > 6)", (above(5.0), LARGE)),
    ):
        assert spans(read(explainer, text)) == {name: [span]}
        assert spans(read(explainer, [text])) == {name: [span]}
    for first, second in itertools.permutations([name, "petal width (cm)", "x<y"], 2):
        if first != second:
            claim = read(explainer, f"{first} <= 1 and 2 < {second}")
            assert spans(claim) == {first: [(-LARGE, 1.0)], second: [(above(2.0), LARGE)]}
    kept = read(explainer, [name]).conditions
    assert [c.feature.name for c in kept] == [name] and kept[0].kept


def test_text_that_can_be_read_in_two_ways_is_refused():
    explainer = model_of(["1", "2", "a", "b <= 1 and a"])
    with pytest.raises(InvalidInput, match="several ways"):
        read(explainer, "1 < 2")
    assert spans(read(explainer, "1 < 2 <= 7.5")) == {"2": [(above(1.0), 7.5)]}
    with pytest.raises(InvalidInput, match="several ways"):
        read(model_of(["a", "b", "b <= 1 and a"]), "b <= 1 and a <= 3")
    assert spans(read(explainer, "b <= 1 and a <= 3")) == {"b <= 1 and a": [(-LARGE, 3.0)]}


@pytest.mark.parametrize(
    "claim",
    [
        "q <= 1",
        "x <= ",
        "x <= y",
        "x <= 1 or y <= 2",
        "x <= 1,000",
        "x = red",
        "x",
        "x <= nan",
        "maximum <= 3",
        "xis 3",
    ],
)
def test_what_is_not_understood_is_refused_with_the_features(claim):
    explainer = model_of(["xs", "y"] if claim == "x" else ["x", "y"])
    with pytest.raises(InvalidInput, match=r"features are|is a number"):
        read(explainer, claim)


@pytest.mark.parametrize(
    "claim", [3, [1, 2], {"q": (1, 2)}, {"x": (1, 2, 3)}, {"x": ("a", 2)}, {"x": (math.nan, 1)}, None]
)
def test_other_things_are_no_claims(claim):
    with pytest.raises(InvalidInput):
        read(model_of(["x", "y"]), claim)
    with pytest.raises(InvalidInput, match="most must be"):
        read(model_of(["x", "y"]), ["x"], most=-1)
    with pytest.raises(InvalidInput, match="by must be"):
        read(model_of(["x", "y"]), ["x"], by="size")


CATEGORIES = {0: "<0", 1: "0<=X<200", 2: ">=200", 3: "no, none", 4: "a or b", 5: "7"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("z = <0", {"<0"}),
        ("z=0<=X<200", {"0<=X<200"}),
        ("z is >=200", {">=200"}),
        ("z = no, none", {"no, none"}),
        ("z in {<0, no, none, 7}", {"<0", "no, none", "7"}),
        ("z is a or b", {"a or b"}),
        ("z is a or b or <0", {"a or b", "<0"}),
        ("z != 7", {"<0", "0<=X<200", ">=200", "no, none", "a or b"}),
        ("z not in [<0, 7]", {"0<=X<200", ">=200", "no, none", "a or b"}),
        ("z is not <0", {"0<=X<200", ">=200", "no, none", "a or b", "7"}),
        ('z = "no, none"', {"no, none"}),
    ],
)
def test_categories_with_odd_names(text, names):
    assert values(read(model_of(["x", "z"], domain={"z": CATEGORIES}), text)) == {"z": names}


def test_codes_stand_for_categories_unless_categories_are_other_numbers():
    colours = model_of(["x", "z"], domain={"z": {0: "red", 1: "green", 4: "blue"}})
    assert values(read(colours, "z = 4")) == {"z": {"blue"}}
    assert values(read(colours, "0.50 < z <= 4.00")) == {"z": {"green", "blue"}}
    assert values(read(colours, {"z": ["red", 4]})) == {"z": {"red", "blue"}}
    assert values(read(colours, {"z": (1, None)})) == {"z": {"green", "blue"}}
    with pytest.raises(UnknownName, match="red, green, blue"):
        read(colours, {"z": "pink"})
    with pytest.raises(InvalidInput, match="red, green, blue"):
        read(colours, "z = 3")
    floors = model_of(["x", "z"], domain={"z": {0: 10, 1: 20, 2: 1}})
    assert values(read(floors, "z = 1")) == {"z": {1}}
    for text in ("z = 0", "z = 1.0", "z <= 15"):
        with pytest.raises(InvalidInput):
            read(floors, text)


def test_columns_of_a_group_are_understood():
    columns = ["colour_red", "colour_green", "colour_blue"]
    explainer = model_of([*columns, "x"], groups={"colour": columns})
    row = [1, 0, 0, 5]
    assert values(read(explainer, "colour = red", row)) == {"colour": {"red"}}
    assert values(read(explainer, ["colour"], row)) == {"colour": {"red"}}
    assert values(read(explainer, ["colour_red"], row)) == {"colour": {"red"}}
    assert values(read(explainer, ["colour_green"], row)) == {"colour": {"red", "blue"}}
    assert values(read(explainer, "colour_green <= 0.50", row)) == {"colour": {"red", "blue"}}
    assert values(read(explainer, "colour_green = 0 and colour_blue = 0", row)) == {"colour": {"red"}}
    assert values(read(explainer, "colour_blue > 0", row)) == {"colour": {"blue"}}
    with pytest.raises(InvalidInput):
        read(explainer, "colour <= 0.5", row)


def test_dictionaries_terms_and_explanations():
    explainer = model_of(["x", "y", "z"], domain={"z": {0: "red", 1: "green", 4: "blue"}})
    claim = read(explainer, {"x": (None, 2), "y": [1, pw.Interval(3, 4, "left"), None], "z": {"red"}})
    assert spans(claim) == {"x": [(-LARGE, 2.0)], "y": [(1.0, 1.0), (3.0, below(4.0))], "z": []}
    assert [c.missing for c in claim.conditions] == [False, True, False]
    assert values(read(explainer, {"z": "red"})) == {"z": {"red"}}
    assert spans(read(explainer, {"x": pw.Interval(1, 2, "right")})) == {"x": [(above(1.0), 2.0)]}
    assert read(explainer, {"x": math.nan}).conditions[0].missing
    why = explainer.explain([1.0, 3.0, 4.0])
    for again in (read(explainer, why), read(explainer, why.term)):
        assert tuple(c.find_mask(c.feature.variable) for c in again.conditions) == tuple(
            x.mask for x in why.term.literals
        )
    assert read(explainer, claim) is claim
    for names in (
        ("y", "x"),
        np.array(["y", "x"]),
        pd.Index(["y", "x"]),
        pd.Series(["y", "x"]),
        (n for n in "yx"),
    ):
        assert read(explainer, names).features == ("y", "x")
    assert read(explainer, {"y", "x"}).features == ("x", "y")
    assert read(explainer, []).conditions == () == read(explainer, "anything").conditions


def test_whole_and_bounded_numbers():
    explainer = model_of(["x", "n"], domain={"x": pw.Number(0, 10), "n": "whole"})
    assert spans(read(explainer, "x <= 20 and 1.5 < n < 4", [1, 1])) == {
        "x": [(0.0, 10.0)],
        "n": [(2.0, 3.0)],
    }
    assert read(explainer, "n > 2 and n < 3", [1, 1]).conditions[0].is_empty
    assert read(explainer, "x > 11", [1, 1]).conditions[0].is_empty


def test_a_rule_names_its_decision_and_units():
    explainer = model_of(["x", "y"], units={"x": "cm"})
    claim = read(explainer, "IF 1 <= x <= 2 cm AND y <= 1 THEN no")
    assert claim.decision == "no" and spans(claim) == {"x": [(1.0, 2.0)], "y": [(-LARGE, 1.0)]}


NUMBERS = st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 3))


@given(
    st.lists(
        st.tuples(st.sampled_from(ODD), NUMBERS, NUMBERS), min_size=1, max_size=4, unique_by=lambda t: t[0]
    )
)
def test_any_conjunction_of_ranges_is_read_back(parts):
    said = {name: tuple(sorted((a, b))) for name, a, b in parts}
    text = " and ".join(f"{low:.3f} < {name} <= {high:.3f}" for name, (low, high) in said.items())
    expected = {name: [(above(a), b)] if a < b else [] for name, (a, b) in said.items()}
    assert spans(read(model_of(ODD), text)) == expected


# What tools returned


def recorded(tool):
    record = json.loads((RECORDED / f"{tool}.json").read_text(encoding="utf-8"))
    assert all(record[key] for key in ("version", "python", "scikit-learn", "numpy"))
    explainers = {}
    for name, model in record["models"].items():
        ensemble = load_ensemble(RECORDED / model["file"])
        assert ensemble.digest == model["digest"]
        data = load_iris() if name == "iris" else load_credit()
        explainers[name] = pw.Explainer(
            ensemble,
            data.data if name == "iris" else data.X,
            domain=None if name == "iris" else data.domain,
            class_names=[str(c) for c in (data.target_names if name == "iris" else data.class_names)],
        )
    return [(explainers[name], case) for name, cases in record["cases"].items() for case in cases]


def as_object(tool, case):
    """A stand-in with the attributes of the tool's own class that are read."""
    if tool == "alibi":
        return SimpleNamespace(anchor=case["anchor"], data=case["data"], raw=case["raw"], meta=case["meta"])
    if tool == "anchor-exp":
        return SimpleNamespace(names=lambda: case["names"], exp_map=case["exp_map"])
    if tool == "lime":
        local = {int(label): pairs for label, pairs in case["local_exp"].items()}
        return SimpleNamespace(
            local_exp=local, as_list=lambda label=1: [tuple(pair) for pair in case["as_list"][str(label)]]
        )
    arrays = {key: np.array(case[key]) for key in ("values", "data", "base_values")}
    return SimpleNamespace(feature_names=case["feature_names"], **arrays)


def check_case(explainer, case, claim, **options):
    decision = explainer._model.ask(case["row"])
    assert decision.label == case["decision"]
    return check(decision, claim, Clock(20), **options)


@pytest.mark.parametrize("tool", ["alibi", "anchor-exp"])
def test_anchors_are_read_and_hold_for_their_row(tool):
    checks = []
    for explainer, case in recorded(tool):
        result = check_case(explainer, case, as_object(tool, case))
        texts = case["anchor"] if tool == "alibi" else case["names"]
        assert sorted(c.text for c in result.claim.conditions) == sorted(texts)
        by_column = {
            explainer._model.context.column_names[i] for i in (case.get("raw") or case["exp_map"])["feature"]
        }
        assert set(result.claim.features) == by_column, "the tool's own numbers of the features agree"
        assert result.contains_row and result.claim.source == "Anchors"
        assert result.sufficient is not None and result.repaired.status == "proved"
        checks.append(result)
    counted = tally(checks)
    assert counted.claims == 10 and 0 < counted.sufficient < 10
    if tool == "alibi":
        from_data = SimpleNamespace(data={"anchor": case["anchor"]}, meta={})
        assert str(check_case(explainer, case, from_data)) == str(result)


def test_lime_is_read_in_favour_of_the_decision():
    for explainer, case in recorded("lime"):
        explanation = as_object("lime", case)
        (label,) = explanation.local_exp
        sign = 1 if label == case["decision"] else -1
        pairs = [(text, sign * weight) for text, weight in case["as_list"][str(label)]]
        result = check_case(explainer, case, explanation)
        assert [c.text for c in result.claim.conditions] == [text for text, weight in pairs if weight > 0]
        assert result.contains_row and result.claim.source == "LIME"
        columns = explainer._model.context.column_names
        three = check_case(explainer, case, explanation, most=3, by="absolute")
        assert list(three.claim.features) == [columns[j] for j, _ in case["local_exp"][str(label)][:3]]
        fewest = check_case(explainer, case, explanation, most="fewest", by="absolute")
        sizes = [
            check_case(explainer, case, explanation, most=k, by="absolute").sufficient
            for k in range(len(pairs) + 1)
        ]
        expected = sizes.index(True) if True in sizes else len(pairs)
        assert len(fewest.claim.conditions) == expected and fewest.sufficient is any(sizes)


def test_lime_about_another_class_is_refused():
    explainer, case = recorded("lime")[0]
    other = SimpleNamespace(local_exp={2: []}, as_list=lambda label: [])
    with pytest.raises(InvalidInput, match=r"labels=\[0\]"):
        check_case(explainer, case, other)


def test_shap_takes_the_fewest_features_that_suffice():
    for explainer, case in recorded("shap"):
        explanation = as_object("shap", case)
        weights = np.array(case["values"])[:, case["decision"]]
        ranked = [case["feature_names"][j] for j in np.argsort(-np.abs(weights), kind="stable")]
        result = check_case(explainer, case, explanation)
        size = len(result.claim.conditions)
        assert list(result.claim.features) == ranked[:size] and result.sufficient
        assert result.literals == "values" and result.claim.source == "SHAP"
        if size:
            assert check_case(explainer, case, explanation, most=size - 1).sufficient is False
        favour = check_case(explainer, case, explanation, by="favour", most=2)
        speaking = sorted((j for j in range(len(weights)) if weights[j] > 0), key=lambda j: -weights[j])
        assert list(favour.claim.features) == [case["feature_names"][j] for j in speaking[:2]]
        shuffled = SimpleNamespace(values=explanation.values[::-1], feature_names=case["feature_names"][::-1])
        assert set(check_case(explainer, case, shuffled).claim.features) == set(result.claim.features)


def test_attributions_in_other_shapes():
    explainer, case = recorded("shap")[0]
    values = np.array(case["values"])
    usual = check_case(explainer, case, values)
    for same in (values[None], values[:, case["decision"]], values[None, :, case["decision"]]):
        assert check_case(explainer, case, same).claim == usual.claim
    for wrong in (values[:2], values.T, np.full(4, np.nan), np.array(["a"] * 4)):
        with pytest.raises(InvalidInput):
            check_case(explainer, case, wrong)
    by_name = pd.Series(values[:, case["decision"]], index=case["feature_names"])[::-1]
    assert check_case(explainer, case, by_name).claim == usual.claim
    with pytest.raises(InvalidInput, match="columns are"):
        check_case(explainer, case, SimpleNamespace(values=values, feature_names=list("abcd")))


def test_one_attribution_per_column_is_about_the_second_of_two_classes():
    explainer = model_of(["x", "y"])
    weights = np.array([1.0, -2.0])
    assert read(explainer, weights, [1, 1], by="favour", most=2).features == ("y",)
    assert read(explainer, weights, [9, 9], by="favour", most=2).features == ("x",)


@pytest.mark.slow
def test_a_live_explanation_of_shap():
    shap = pytest.importorskip("shap")
    iris = load_iris()
    model = RandomForestClassifier(10, max_depth=3, random_state=0).fit(iris.data, iris.target)
    explainer = pw.Explainer(model, iris.data, feature_names=iris.feature_names)
    explained = shap.TreeExplainer(model)(iris.data[::10])
    explained.feature_names = iris.feature_names
    for x, explanation in zip(iris.data[::10], explained, strict=True):
        decision = explainer._model.ask(x)
        result = check(decision, explanation, Clock())
        weights = np.abs(explanation.values[:, decision.label])
        chosen = [iris.feature_names.index(name) for name in result.claim.features]
        assert result.sufficient and result.claim.source == "SHAP"
        assert all(weights[chosen].min(initial=np.inf) >= weights[j] for j in set(range(4)) - set(chosen))


def test_a_claim_that_was_read_for_another_model_is_refused():
    """Its conditions are over the other model's cells; as text it is read anew."""
    first, second = (
        pw.Explainer(pw.Ensemble((pw.Tree.build((0, cut, [1, 0], [0, 1])),), ("x",), ("low", "high")))
        for cut in (15.0, 2.0)
    )
    claim = first.check([0.0], "x <= 12").claim
    assert second.check([0.0], "x <= 12").sufficient is False
    with pytest.raises(InvalidInput, match="another model"):
        second.check([0.0], claim)


def test_an_explanation_of_another_model_is_taken_by_what_it_says():
    first, second = (
        pw.Explainer(pw.Ensemble((pw.Tree.build((0, cut, [1, 0], [0, 1])),), ("x",), ("low", "high")))
        for cut in (6.0, 2.0)
    )
    why = first.explain([0.0], literals="values")
    assert second.check([0.0], why).sufficient is False
    assert first.check([0.0], why).verdict == "exact"
