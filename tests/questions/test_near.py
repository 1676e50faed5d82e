"""Explanations near a row: exact among the rows that are near, by brute force with the library's own `predict`."""

from __future__ import annotations

import io
import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor
from xgboost import XGBClassifier

import primewood as pw
from primewood.ensemble.clipping import clip
from primewood.errors import InvalidInput
from primewood.render.lanes import tracks

LANGUAGES = ("intervals", "sets", "values")


def small_table(seed, rows=80, gaps=False, categories=False):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": random.normal(size=rows),
            "b": random.integers(0, 9, rows),
            "c": np.round(random.normal(size=rows), 1),
        }
    )
    score = frame.a + 0.4 * frame.b + frame.c * random.choice([1, -1])
    if gaps:
        frame.loc[random.random(rows) < 0.2, "c"] = np.nan
    if categories:
        frame["d"] = pd.Categorical(random.choice(["x", "y", "z"], rows))
        score = score + (frame.d == "y")
    return frame, (score + random.normal(size=rows) / 2 > np.nanmedian(score)).astype(int)


def models(seed):
    plain, gaps, mixed = (
        small_table(seed),
        small_table(seed, gaps=True),
        small_table(seed, gaps=True, categories=True),
    )
    return {
        "forest": (*plain, RandomForestClassifier(4, max_depth=3, random_state=seed)),
        "histogram": (
            *gaps,
            HistGradientBoostingClassifier(max_iter=4, max_leaf_nodes=5, min_samples_leaf=5),
        ),
        "xgboost": (*gaps, XGBClassifier(n_estimators=4, max_depth=2, random_state=seed)),
        "lightgbm": (
            *mixed,
            LGBMClassifier(
                n_estimators=4, num_leaves=4, min_child_samples=5, min_data_per_group=5, verbose=-1
            ),
        ),
    }


def numbers_near(explainer, name, x, span, share, whole):
    """Numbers on both sides of every threshold, and at the ends of what is near."""
    low, high = x - share * span, x + share * span
    column = explainer.feature_names.index(name)
    cuts = explainer.ensemble.threshold_tests
    here = cuts.cut[cuts.bounds[column] : cuts.bounds[column + 1]]
    found = {low, high, x, *here.tolist(), *np.nextafter(here, np.inf), *np.nextafter(here, -np.inf)}
    if whole:
        found = {float(n) for n in range(int(np.ceil(low)), int(np.floor(high)) + 1)}
    return sorted(n for n in found if low <= n <= high)


def neighbours(explainer, frame, row, share):
    """All rows near a row that the model could tell apart."""
    choices = []
    for name in frame.columns:
        column, x = frame[name], row[name]
        if not pd.api.types.is_numeric_dtype(column) or pd.isna(x):
            choices.append([x])
        else:
            whole = pd.api.types.is_integer_dtype(column)
            choices.append(numbers_near(explainer, name, x, column.max() - column.min(), share, whole))
    made = pd.DataFrame(list(itertools.product(*choices)), columns=frame.columns)
    return made.astype(frame.dtypes.to_dict())


def meets(record, rows):
    """Which rows meet the exact conditions of a record."""
    inside = np.ones(len(rows), dtype=bool)
    for literal in record["literals"]:
        inside &= meets_one(literal, rows)
    return inside


def meets_one(literal, rows):
    column = rows[literal["feature"]]
    if "values" in literal:
        return column.isin(literal["values"]).to_numpy()
    numbers, found = column.to_numpy(dtype=float), np.zeros(len(rows), dtype=bool)
    for piece in literal["intervals"]:
        low = -np.inf if piece["low"] is None else piece["low"]
        high = np.inf if piece["high"] is None else piece["high"]
        above = numbers >= low if piece["closed"] in ("left", "both") else numbers > low
        found |= above & (numbers <= high if piece["closed"] in ("right", "both") else numbers < high)
    return found | (np.isnan(numbers) & literal["missing"])


def check_by_brute_force(why, model, rows, own, language):
    """It entails the decision among the rows, and none of its conditions can be relaxed."""
    record, decided = why.to_dict(), model.predict(rows)
    same = decided == own
    assert same[meets(record, rows)].all()
    for place, literal in enumerate(record["literals"]):
        others = {"literals": [x for i, x in enumerate(record["literals"]) if i != place]}
        around = meets(others, rows)
        assert not same[around].all()  # it cannot be dropped
        if language == "values":
            continue
        inside, held = meets_one(literal, rows), rows[literal["feature"]]
        outside = held[around & ~inside].unique()
        for wider in nearest_outside(outside, held[inside]) if language == "intervals" else outside:
            assert not same[around & (held == wider).to_numpy()].all()


def nearest_outside(outside, inside):
    below, above = [x for x in outside if x < inside.min()], [x for x in outside if x > inside.max()]
    return [*([max(below)] if below else []), *([min(above)] if above else [])]


@pytest.mark.parametrize("kind", ["forest", "histogram", "xgboost", "lightgbm"])
@pytest.mark.parametrize("seed", range(4))
def test_it_is_exact_among_near_rows(kind, seed):
    frame, labels, model = models(seed)[kind]
    model.fit(frame, labels)
    explainer = pw.Explainer(model, frame)
    empty = 0
    for i, share, language in itertools.product(range(6), (0.05, 0.2), LANGUAGES):
        row = frame.iloc[i]
        why = explainer.explain(row, near=share, literals=language)
        assert why.status == pw.Status.PROVED
        rows = neighbours(explainer, frame, row, share)
        assert why.covers(rows).tolist() == meets(why.to_dict(), rows).tolist()
        check_by_brute_force(why, model, rows, model.predict(frame.iloc[[i]])[0], language)
        empty += not why.features
    assert empty > 0


@pytest.mark.parametrize("kind", ["forest", "histogram", "xgboost", "lightgbm"])
@pytest.mark.parametrize("most", [1, 2])
def test_few_features_differ(kind, most):
    frame, labels, model = models(5)[kind]
    model.fit(frame, labels)
    explainer = pw.Explainer(model, frame)
    for i, language in itertools.product(range(4), LANGUAGES):
        row = frame.iloc[i]
        why = explainer.explain(row, near=0.4, near_features=most, literals=language)
        assert why.status == pw.Status.PROVED
        rows = neighbours(explainer, frame, row, 0.4)
        changed = sum(
            ~((rows[name] == row[name]) | (rows[name].isna() & pd.isna(row[name]))) for name in frame
        )
        rows = rows[changed <= most].reset_index(drop=True)
        check_by_brute_force(why, model, rows, model.predict(frame.iloc[[i]])[0], language)
        assert why.covers(rows).tolist() == meets(why.to_dict(), rows).tolist()
        drawn = why.sample(50, seed=0)
        assert why.covers(drawn).all()


def test_one_change_at_a_time_is_what_each_feature_alone_allows():
    X, y = make_classification(300, 8, n_informative=5, random_state=0)
    model = RandomForestClassifier(30, max_depth=6, random_state=0).fit(X, y)
    explainer = pw.Explainer(model, X)
    for x in X[:5]:
        why = explainer.explain(x, near_features=1, literals="sets")
        for name in explainer.feature_names:
            alone = explainer.what_if(x, name)
            same = len(set(alone.labels)) == 1
            assert same == (name not in why.features)


@pytest.mark.parametrize("seed", range(3))
def test_nothing_changes_near_a_row_iff_it_is_robust_there(seed):
    X, y = make_classification(200, 6, n_informative=4, random_state=seed)
    model = RandomForestClassifier(20, max_depth=5, random_state=seed).fit(X, y)
    explainer = pw.Explainer(model, X)
    for x in X[:10]:
        radius = explainer.robustness(x, norm="linf", relative=True).radius
        inside, outside = explainer.explain(x, near=radius * 0.999), explainer.explain(x, near=radius * 1.001)
        assert not inside.features and outside.features
        assert "near this row: always" in str(inside) and "every row near this one" in str(inside)


def test_fewer_conditions_the_nearer():
    X, y = make_classification(600, 12, n_informative=8, flip_y=0.1, random_state=1)
    model = RandomForestClassifier(50, random_state=0).fit(X[:400], y[:400])
    explainer = pw.Explainer(model, X[:400])
    sizes = [
        np.mean([len(explainer.explain(x, near=share).features) for x in X[400:415]])
        for share in (None, 0.2, 0.05)
    ]
    assert sizes[0] > sizes[1] > sizes[2]


def test_constraints_hold_near_a_row_too():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"a": random.integers(0, 20, 200), "b": random.integers(0, 20, 200)})
    frame = frame[frame.a <= frame.b + 3].reset_index(drop=True)
    frame["c"] = np.where(frame.a > 15, 0, random.integers(0, 5, len(frame)))
    labels = (frame.a + frame.c > frame.b).astype(int)
    model = RandomForestClassifier(5, max_depth=5, random_state=0).fit(frame, labels)
    explainer = pw.Explainer(model, frame, constraints=["a <= b + 3", "c = 4 -> a <= 15"])
    for i, share, language in itertools.product(range(12), (0.1, 0.3), LANGUAGES):
        row = frame.iloc[i]
        why = explainer.explain(row, near=share, literals=language)
        rows = neighbours(explainer, frame, row, share)
        rows = rows[(rows.a <= rows.b + 3) & ((rows.c != 4) | (rows.a <= 15))].reset_index(drop=True)
        check_by_brute_force(why, model, rows, model.predict(frame.iloc[[i]])[0], language)


def test_the_goals_and_the_engines_work_near_a_row():
    X, y = make_classification(150, 5, n_informative=4, n_redundant=0, random_state=2)
    model = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y)
    explainers = [pw.Explainer(model, X, engine=engine) for engine in ("search", "diagram")]
    majority = [pw.Explainer(model, X, vote="majority", engine=engine) for engine in ("bdd", "sat", "search")]
    for x in X[:8]:
        for group in (explainers, majority):
            assert len({e.explain(x, near=0.2, goal="prime").term for e in group}) == 1
        assert len({e.explain(x, near_features=2).term for e in explainers}) == 1
        shortest = explainers[0].explain(x, near=0.2, goal="shortest", literals="values")
        assert len(shortest.features) <= len(explainers[0].explain(x, near=0.2, literals="values").features)
        assert explainers[0].explain(x, near=0.2, goal="widest").status in pw.Status


def test_a_regressor_is_explained_near_a_row():
    X, y = make_classification(200, 5, random_state=3)
    model = RandomForestRegressor(10, max_depth=4, random_state=0).fit(X, y + X[:, 0])
    why = pw.Explainer(model, X).explain(X[0], within=0.2, near=0.05)
    assert why.status == pw.Status.PROVED
    predicted = model.predict(why.sample(200, seed=0))
    assert (np.abs(predicted - model.predict(X[:1])[0]) <= 0.2).all()


def test_an_answer_says_what_near_means():
    frame, labels, model = models(1)["lightgbm"]
    explainer = pw.Explainer(model.fit(frame, labels), frame)
    why = explainer.explain(frame.iloc[0], near=0.1, near_features=2)
    near = why.to_dict()["near"]
    assert (near["share"], near["features"]) == (0.1, 2)
    bounds = {x["feature"]: (x["low"], x["high"]) for x in near["bounds"]}
    a, span = frame.a[0], frame.a.max() - frame.a.min()
    assert bounds["a"] == (a - 0.1 * span, a + 0.1 * span)
    assert bounds["b"][0] == np.ceil(bounds["b"][0])
    told = str(why)
    assert "each number differs by at most 10% of its training range" in told
    assert "at most 2 features differ" in told
    assert why.volume is None and "feature space" not in told
    assert "near this" in why.to_html()
    assert pickle.loads(pickle.dumps(why)).to_dict() == why.to_dict()
    assert pw.Explanation.from_json(why.to_json()).to_dict()["near"] == near
    assert {x["feature"] for x in why.to_dict()["instance"] if x["tested"]} == {
        x.name for x in explainer.domain.seen
    }


def test_in_short_is_about_all_rows():
    X, y = make_classification(600, 10, n_informative=8, flip_y=0.1, random_state=1)
    explainer = pw.Explainer(RandomForestClassifier(50, random_state=0).fit(X, y), X)
    assert explainer.explain(X[0], near=0.3).in_short == explainer.explain(X[0]).in_short


def test_a_clipped_ensemble_decides_the_same_between_the_bounds():
    for kind, (frame, labels, model) in models(7).items():
        model.fit(frame, labels)
        explainer = pw.Explainer(model, frame)
        rows = explainer.rows
        low, high = np.nanmin(rows[:20], axis=0), np.nanmax(rows[:20], axis=0)
        between = ((rows >= low) & (rows <= high)).all(axis=1)
        clipped = clip(explainer.ensemble, low, high)
        assert (clipped.scores(rows[between]) == explainer.ensemble.scores(rows[between])).all(), kind
        one = clip(explainer.ensemble, rows[3], rows[3])
        assert {len(tree) for tree in one.trees} == {1}
        assert (one.scores(rows[3:4]) == explainer.ensemble.scores(rows[3:4])).all()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"near": 5}, "near must be a share of the training range above 0 and up to 1, such as 0.05, not 5"),
        ({"near": 0}, "near must be a share"),
        ({"near": "close"}, "near must be"),
        ({"near_features": 0}, "near_features must be a whole number of at least 1, not 0"),
        ({"near_features": 1.5}, "near_features must be"),
        ({"near_features": 2, "goal": "shortest"}, 'near_features is for goal="prime", not for'),
        ({"near": 0.1, "also": [[1, 2, 3]]}, "pass either also= or near="),
        ({"near": 0.1, "precision": 0.9}, "precision asks for the decision in short"),
    ],
)
def test_bad_options_are_refused(options, said):
    frame, labels, model = models(0)["forest"]
    explainer = pw.Explainer(model.fit(frame, labels), frame)
    with pytest.raises(InvalidInput, match=said):
        explainer.explain(frame.iloc[0], **options)


def test_near_needs_training_rows_and_a_model():
    frame, labels, model = models(0)["forest"]
    explainer = pw.Explainer(model.fit(frame, labels))
    with pytest.raises(InvalidInput, match="pass training rows to Explainer"):
        explainer.explain(frame.iloc[0], near=0.1)
    assert explainer.explain(frame.iloc[0], near_features=1).status == pw.Status.PROVED
    A = pw.Variable("A", [1, 2, 3])
    with pytest.raises(InvalidInput, match="an expression has none"):
        pw.Explainer(A == 1).explain({"A": 1}, near=0.1)


def test_limits_hold_near_a_row():
    X, y = make_classification(500, 15, n_informative=10, flip_y=0.2, random_state=1)
    explainer = pw.Explainer(RandomForestClassifier(100, random_state=0).fit(X, y), X)
    why = explainer.explain(X[0], near=1.0, near_features=6, time_limit=0.05)
    assert why.status in (pw.Status.PROVED, pw.Status.INTERRUPTED)
    drawn = why.sample(300, seed=0)
    assert set(explainer.decide_by_model(drawn)) == {why.decision}
    twice = [explainer.explain(X[1], near_features=3, time_limit=None, work_limit=50).term for _ in range(2)]
    assert twice[0] == twice[1]


def test_batches_give_the_same():
    frame, labels, model = models(2)["lightgbm"]
    explainer = pw.Explainer(model.fit(frame, labels), frame)
    for options in (
        {"near": 0.1},
        {"near_features": 2},
        {"near": 0.2, "near_features": 1, "literals": "sets"},
    ):
        batch = explainer(frame.iloc[:12], **options)
        for i, why in enumerate(batch):
            alone = explainer.explain(frame.iloc[i], **options)
            assert why.to_dict() | {"queries": 0} == alone.to_dict() | {"queries": 0}
    with pytest.raises(InvalidInput, match="reuse does not go with near="):
        explainer(frame, near=0.1, reuse=True)


def test_pictures_show_only_what_is_near_and_what_stays():
    frame, labels, model = models(1)["lightgbm"]
    explainer = pw.Explainer(model.fit(frame, labels), frame)
    place = next(i for i in range(len(frame)) if not frame.iloc[i].isna().any())
    record = explainer.explain(frame.iloc[place], near=0.1).to_dict()
    shown = tracks(record["literals"], record["instance"], record["near"])
    assert shown.kept == ("d",)
    drawn = {track.feature: track.picture for track in (*shown.conditions, *shown.free)}
    for bound in record["near"]["bounds"]:
        lane = drawn[bound["feature"]]
        assert all(
            lane.scale.place(bound["low"]) <= bar.start <= bar.end <= lane.scale.place(bound["high"])
            for bar in lane.bars
        )
    told = console_text(explainer.explain(frame.iloc[place], near=0.1))
    assert "1 feature stays as it is: d" in told


def console_text(why):
    from rich.console import Console

    console = Console(width=100, record=True, file=io.StringIO())
    console.print(why)
    return console.export_text()


def test_rules_found_in_the_rows_hold_near_a_row_too():
    random = np.random.default_rng(3)
    frame = pd.DataFrame({"a": random.integers(0, 30, 400)})
    frame["b"] = frame.a + random.integers(0, 6, 400)
    frame["c"] = random.integers(0, 5, 400)
    labels = (frame.a + frame.b + 4 * frame.c + random.normal(size=400) > 40).astype(int)
    model = RandomForestClassifier(7, max_depth=6, random_state=0).fit(frame, labels)
    explainer = pw.Explainer(model, frame, knowledge="data")
    assert explainer.knowledge.rules
    judge = pw.Explainer(model, frame, constraints=list(explainer.knowledge.texts))
    for i, share in itertools.product(range(4), (0.1, 0.25)):
        row = frame.iloc[i]
        rows = neighbours(explainer, frame, row, share)
        kept = rows[[judge_allows(judge, each) for _, each in rows.iterrows()]].reset_index(drop=True)
        for language in LANGUAGES:
            why = explainer.explain(row, near=share, literals=language)
            check_by_brute_force(why, model, kept, model.predict(frame.iloc[[i]])[0], language)
            assert why.used is not None
            few = explainer.explain(row, near=share, near_features=1, literals=language)
            assert few.status == pw.Status.PROVED and not few.used
            assert "answered without the rules found in the training rows" in str(few)


def judge_allows(judge, row):
    try:
        judge.decide(row)
    except InvalidInput:
        return False
    return True


def test_orders_do_not_go_with_few_changes():
    random = np.random.default_rng(0)
    total = random.uniform(0, 10, 400)
    X = np.column_stack([total, total * random.uniform(0, 1, 400)])
    model = RandomForestClassifier(3, max_depth=3, random_state=0).fit(X, X[:, 1] > 5.5)
    explainer = pw.Explainer(model, X, feature_names=["total", "part"], constraints=["part <= total"])
    with pytest.raises(InvalidInput, match="near_features does not go with the constraint 'part <= total'"):
        explainer.explain(X[0], near_features=1)
    assert explainer.explain(X[0], near=0.1).status == pw.Status.PROVED


@pytest.mark.parametrize("options", [{"near": 0.05}, {"near": 0.3}, {"near_features": 2}])
def test_coverage_counts_near_rows(options):
    X, y = make_classification(300, 6, n_informative=4, random_state=0)
    X = X.round(1)
    explainer = pw.Explainer(RandomForestClassifier(10, max_depth=4, random_state=0).fit(X, y), X)
    for x in X[:6]:
        why = explainer.explain(x, **options)
        assert why.coverage == why.covers(X).mean() > 0
        assert "in_short" not in why.to_dict(in_short=True)
