"""Rows that take over the explanations of others: they are prime for them, too, whoever works on how many at a time."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

import primewood as pw
from batch.samples import CASES, EXACT, IRIS, check_witnesses, forest, regressor, small_blocks
from primewood.batch.explain_rows import Run
from primewood.batch.row_explainer import RowExplainer
from primewood.batch.settings import Settings
from primewood.batch.sources import Block
from primewood.data.credit import load_credit
from primewood.errors import InvalidInput


class Small:
    """A forest on three features of few values, some missing, with the library's decision on every cell."""

    def __init__(self, seed):
        generator = np.random.default_rng(seed)
        X = generator.integers(0, 4, (80, 3)).astype(float)
        X[generator.random(X.shape) < 0.15] = np.nan
        y = (np.nan_to_num(X, nan=2.0).sum(axis=1) + generator.integers(0, 2, 80) > 5).astype(int)
        self.model = RandomForestClassifier(4, max_depth=3, random_state=seed).fit(X, y)
        self.explainer = pw.Explainer(self.model, X, feature_names=["a", "b", "c"], literals="sets")
        self.features = self.explainer.domain.seen
        self.variables = self.explainer.domain.variables
        sizes = [len(x) for x in self.variables]
        self.cells = list(itertools.product(*map(range, sizes)))
        self.rows = np.array([self.row_of(cell) for cell in self.cells])
        self.labels = self.model.predict(self.rows).reshape(sizes)

    def row_of(self, cell):
        row = np.zeros(3)
        for feature, value in zip(self.features, cell, strict=True):
            feature.write(row, value)
        return row

    def entails(self, box, label):
        places = [[v for v in range(len(x)) if m >> v & 1] for x, m in zip(self.variables, box, strict=True)]
        return bool((self.labels[np.ix_(*places)] == label).all())

    def weaker(self, j, mask, value, language):
        """What the language says next about a variable of a row with this value."""
        x = self.variables[j]
        if mask == x.everything:
            return []
        if language == "values" or (language == "intervals" and value == x.missing):
            assert mask == 1 << value, "said in the language"
            return [x.everything]
        if language == "sets":
            return [mask | 1 << v for v in range(len(x)) if not mask >> v & 1]
        line = [v for v in range(x.ordered) if mask >> v & 1]
        assert line == list(range(line[0], line[-1] + 1)), "said in the language"
        ends = [v for v in (line[0] - 1, line[-1] + 1) if 0 <= v < x.ordered]
        beside = [x.missing] if x.missing is not None and not mask >> x.missing & 1 else []
        return [mask | 1 << v for v in ends + beside]

    def says(self, box, cell):
        """Whether "intervals" says a box around a row: of a missing number nothing, or that it is."""
        missing = [j for j, x in enumerate(self.variables) if cell[j] == x.missing]
        return all(box[j] in (self.variables[j].everything, 1 << cell[j]) for j in missing)

    def is_prime(self, box, cell, label, language, fixed):
        if not all(m >> v & 1 for m, v in zip(box, cell, strict=True)) or not self.entails(box, label):
            return False
        if any(box[j] != 1 << cell[j] for j in fixed):
            return False
        return not any(
            self.entails((*box[:j], wider, *box[j + 1 :]), label)
            for j, mask in enumerate(box)
            if j not in fixed
            for wider in self.weaker(j, mask, cell[j], language)
        )


SLOW = [pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3)]


@pytest.fixture(scope="module", params=[0, *SLOW])
def small(request):
    return Small(request.param)


ASKED = [
    pytest.param({"literals": language, "fix": fix}, id=f"{language}-{'-'.join(fix)}")
    for language in ("sets", "intervals", "values")
    for fix in ((), ("b",))
]


def around(box, cell):
    return all(mask >> value & 1 for mask, value in zip(box, cell, strict=True))


@pytest.mark.parametrize("size", [7, 40])
@pytest.mark.parametrize("options", ASKED)
def test_what_is_taken_over_is_prime_for_the_row(small, options, size):
    """Blocks of 7 rows are explained in one round, those of 40 in several."""
    order = np.random.default_rng(1).permutation(len(small.rows))
    rows, cells = small.rows[order], [small.cells[k] for k in order]
    blocks = [Block(rows[k : k + size]) for k in range(0, len(rows), size)]
    settings = Settings(options, **EXACT, reuse=True, block=size)
    runs = [
        [r for b in Run(small.explainer._model, settings, n).explain_blocks(blocks) for r in b]
        for n in (1, 2)
    ]
    fixed = [j for j, x in enumerate(small.variables) if x.name in options["fix"]]
    predicted = small.model.predict(rows)
    within = 0
    for k, (result, other) in enumerate(zip(*runs, strict=True)):
        assert (result.box, result.source, result.notes, result.label) == (
            other.box,
            other.source,
            other.notes,
            other.label,
        )
        assert result.place == k and np.array_equal(result.row, rows[k], equal_nan=True)
        assert result.label == predicted[k]
        assert small.is_prime(result.box, cells[k], predicted[k], options["literals"], fixed)
        own = [r for r in runs[0] if r.source is None and r.label == result.label]
        before = [
            r
            for r in own
            if r.place < k - k % size
            and around(r.box, cells[k])
            and (options["literals"] != "intervals" or small.says(r.box, cells[k]))
        ]
        if result.source is not None:
            lender = next(r for r in own if r.place == result.source)
            assert around(lender.box, cells[k]) and result.box == lender.box
            assert any(f"row {result.source}" in note for note in result.notes)
            assert lender is before[0] if before else lender.place // size == k // size
            within += lender.place // size == k // size
        else:
            assert not before
    assert (within > 0) == (size == 40) or options["literals"] == "values"


@pytest.mark.parametrize(
    "options", [{"literals": "values"}, {"order": ["c", "a", "b"]}, {"weights": {"b": 3}}]
)
def test_who_says_how_gets_what_one_row_gets(small, options):
    """Where an order leads to explanations, or others are hardly ever covered, rows are explained by themselves."""
    batch = small.explainer(small.rows, reuse=True, **options, **EXACT)
    own = [k for k, why in enumerate(batch) if not any("taken over" in note for note in why.notes)]
    assert 0 < len(own)
    for k in own:
        assert batch[k] == small.explainer.explain(small.rows[k], goal="prime", **options, **EXACT)


def test_most_rows_take_over():
    """On the credit data, with explanations that hold for the library's decisions."""
    credit = load_credit()
    model = RandomForestClassifier(20, max_depth=5, random_state=0).fit(credit.X, credit.y)
    explainer = pw.Explainer(
        model, credit.X, feature_names=credit.feature_names, domain=credit.domain, literals="sets"
    )
    run = Run(explainer._model, Settings({}, **EXACT, reuse=True), 2)
    results = [result for block in run.explain_blocks([Block(credit.X)]) for result in block]
    assert 3 * run.explained < len(results)
    settings = Settings({}, **EXACT, reuse=True)
    for result in results[::100]:
        why = RowExplainer(explainer._model).describe(result, settings)
        assert why.covers([result.row]).all()
        assert (model.predict(why.sample(50, 0)) == model.predict([result.row])[0]).all()


@pytest.mark.parametrize("options", ASKED)
def test_explanations_that_are_taken_over(small, options, monkeypatch):
    """They say whose they are, all else that an explanation says, and have witnesses."""
    small_blocks(monkeypatch, 7)
    rows = small.rows[np.random.default_rng(2).permutation(len(small.rows))]
    batch = small.explainer(rows, reuse=True, n_jobs=2, **options, **EXACT)
    for why, row in zip(batch, rows, strict=True):
        assert why.covers([row]).all() and why.decision == small.model.predict([row])[0]
        assert why.status == "proved" and why.literals == options["literals"]
        check_witnesses(small.explainer, why, lambda other: small.model.predict([other])[0])
        sampled = why.sample(20, 0)
        assert (small.model.predict(sampled) == why.decision).all()
        assert any("prime given that b" in note for note in why.notes) == bool(options["fix"])


def test_what_is_taken_over_says_where_predict_differs(monkeypatch):
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(5, max_depth=2, random_state=3).fit(X, y)
    explainer = pw.Explainer(model, X, vote="majority", literals="sets")
    small_blocks(monkeypatch, 30)
    generator = np.random.default_rng(0)
    rows = X[generator.permutation(150)] + generator.normal(0, 0.5, X.shape)
    batch = explainer(rows, reuse=True)
    assert any("taken over" in note for why in batch for note in why.notes)
    for why, own in zip(batch, model.predict(rows), strict=True):
        assert any("model.predict" in note for note in why.notes) == (own != why.decision)


PRIME = {
    name: case
    for name, case in CASES.items()
    if case[1].get("goal", "prime") == "prime" and "within" not in case[1]
}


@pytest.mark.parametrize("name", PRIME)
def test_every_kind_of_model(name):
    """Rows that need not be training rows, some outside the domain; every answer by the engine that it came from."""
    make, options = PRIME[name]
    explainer, _ = make()
    rows = explainer.rows[np.random.default_rng(0).permutation(len(explainer.rows))[:90]].copy()
    rows[5, 0] = 1e9  # which the constraints or the domain may not allow
    found = list(explainer.stream(rows, reuse=True, **options, **EXACT))
    assert found == list(explainer.stream(rows, reuse=True, n_jobs=2, **options, **EXACT))
    taken = 0
    for row, why in zip(rows, found, strict=True):
        if why.status == "failed":
            assert np.array_equal(row, rows[5], equal_nan=True)
            continue
        taken += any("taken over" in note for note in why.notes)
        assert why.covers([row]).all() and why.decision == explainer.decide(row)
        assert {explainer.decide(other) for other in why.sample(5, 0)} == {why.decision}
        if why.status == "proved" and options.get("literals", "sets") == "sets":
            check_prime(explainer, why)
    assert taken or options.get("literals") == "values"


def check_prime(explainer, why):
    """No value more may be allowed."""
    variables = explainer.domain.variables
    oracle = explainer._model.engines.oracle(explainer.class_names.index(why.decision))
    box = why.term.box(variables)
    for j, x in enumerate(variables):
        for value in (v for v in range(len(x)) if not box[j] >> v & 1):
            assert isinstance(oracle.counterexample((*box[:j], 1 << value, *box[j + 1 :])), tuple)


def test_a_missing_category_is_one_like_others():
    """In "intervals" only a number that is missing keeps rows from taking over."""
    generator = np.random.default_rng(0)
    colours = pd.Categorical(generator.choice(["red", "blue", "grey", None], 250, p=[0.3, 0.3, 0.2, 0.2]))
    frame = pd.DataFrame(generator.normal(size=(250, 2)), columns=["size", "weight"]).assign(colour=colours)
    y = (frame["size"] + frame["weight"] / 2 > 0) ^ (frame["colour"] == "red")
    model = HistGradientBoostingClassifier(max_iter=8, categorical_features="from_dtype").fit(frame, y)
    explainer = pw.Explainer(model, frame, literals="sets")
    batch = explainer(frame, reuse=True, literals="intervals", **EXACT)
    taken = np.array([any("taken over" in note for note in why.notes) for why in batch])
    assert taken[frame["colour"].isna()].mean() > 0.5
    for why, decision in zip(batch, model.predict(frame), strict=True):
        assert why.decision == decision and why.status == "proved"


def test_reuse_is_off_by_default_and_refused_where_it_would_be_wrong():
    explainer, rows = forest()
    assert not any("taken over" in note for why in explainer(rows) for note in why.notes)
    for options in ({"goal": "shortest"}, {"goal": "widest"}):
        with pytest.raises(InvalidInput, match="reuse"):
            explainer(rows, reuse=True, **options)
        with pytest.raises(InvalidInput, match="reuse"):
            list(explainer.stream(rows, reuse=True, **options))
    with pytest.raises(InvalidInput, match="reuse chooses itself"):
        explainer(rows, reuse=True, also=rows[:3])
    explainer, rows = regressor()
    with pytest.raises(InvalidInput, match="reuse"):
        explainer(rows, reuse=True, within=40)


def test_no_weights_are_no_weights():
    explainer, rows = forest()
    assert explainer(rows, reuse=True, weights={}) == explainer(rows, reuse=True)


@pytest.mark.parametrize("reuse", [False, True])
@pytest.mark.parametrize("size", [20, 80])
@pytest.mark.parametrize("done", [1, 3, 7])
def test_a_run_that_learns_what_another_found_goes_on_like_it(reuse, size, done):
    """What a stopped run has finished is all that the next one needs."""
    explainer, _ = forest()
    generator = np.random.default_rng(0)
    rows = IRIS.data[generator.integers(0, 150, 10 * size)] + generator.normal(0, 0.4, (10 * size, 4))
    blocks = [Block(rows[k : k + size]) for k in range(0, 10 * size, size)]
    settings = Settings({}, **EXACT, reuse=reuse, block=size)
    undisturbed = list(Run(explainer._model, settings).explain_blocks(blocks))
    second = Run(explainer._model, settings)
    for results in undisturbed[:done]:
        second.learn(results)
    rest = second.explain_blocks(blocks[done:], first=size * done)
    for one, other in zip(itertools.chain(*undisturbed[done:]), itertools.chain(*rest), strict=True):
        assert (one.place, one.label, one.source) == (other.place, other.label, other.source)
        assert (one.box, one.notes) == (other.box, other.notes)
        assert (one.status, one.queries) == (other.status, other.queries)
