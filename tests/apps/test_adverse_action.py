"""Adverse-action reasons: against brute force over real rows, and what the letter may and may not say."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from conformance.test_sums_and_sets_of_values import (
    CODES,
    CONSTRAINTS,
    is_possible,
    numbers_in,
    random_ensemble,
)
from primewood.apps.adverse_action import CodeTable
from primewood.data.credit import load_credit
from primewood.errors import InvalidInput, UnknownName
from primewood.logic.interval import Interval


def training_rows(seed, constraints, missing):
    generator = np.random.default_rng(seed)
    rows = np.column_stack([*generator.uniform(-3, 4, (2, 60)), generator.integers(0, 4, 60)])
    if missing:
        rows[generator.random(60) < 0.2, 0] = np.nan
        rows[generator.random(60) < 0.2, 1] = np.nan
    return np.array([row for row in rows if is_possible(row, constraints)])


class BruteForce:
    """The importance of features by its definition: every set of features, every cell, several numbers in each."""

    def __init__(self, explainer, row, favourable, hidden, possible):
        self.explainer, self.row, self.possible = explainer, row, possible
        self.target = list(explainer.class_names).index(favourable)
        self.features = explainer.domain.features
        self.free = [f for f in self.features if f.name not in hidden]
        self.point = {f.name: f.index_of(row.tolist()) for f in self.features}
        self.changes = self._minimal_changes()

    def _choices(self, feature, others):
        """Numbers to try, each with its cell; never missing unless the row's own is."""
        column, own = feature.column, self.point[feature.name]
        choices = [(float(self.row[column]), own)]
        if feature.variable is None:
            return [(x, own) for x in (-100.0, 100.0, *others)]
        for v, value in enumerate(feature.variable.values):
            if v == feature.variable.missing:
                continue
            if feature.patterns is not None:
                choices += [(float(feature.numbers[v, 0]), v)]
            else:
                assert isinstance(value, Interval)
                choices += [(feature.nearest(v, float(self.row[column])), v)]
                if self.explainer.domain.knowledge.orders:
                    choices += [(x, v) for x in [*numbers_in(value), *others] if x in value]
        return choices

    def decided_cells(self, names):
        """Per possible row that differs in these features only: the cells of these, and whether it is favourable."""
        moved = [f for f in self.free if f.name in names]
        others = [float(x) + d for x in self.row for d in (0.0, 2.5, -2.5) if not np.isnan(x)]
        tried, cells = [], []
        for chosen in itertools.product(*(self._choices(f, others) for f in moved)):
            row = self.row.copy()
            row[[f.column for f in moved]] = [x for x, _ in chosen]
            if self.possible(row):
                tried.append(row)
                cells.append({f.name: v for f, (_, v) in zip(moved, chosen, strict=True)})
        if not tried:
            return []
        decided = self.explainer.ensemble.predict(np.array(tried))
        return [(cell, label == self.target) for cell, label in zip(cells, decided, strict=True)]

    def _minimal_changes(self):
        found = {}
        for size in range(1, len(self.free) + 1):
            for chosen in itertools.combinations([f.name for f in self.free], size):
                names = frozenset(chosen)
                if any(smaller <= names for smaller in found):
                    continue
                if cells := [cell for cell, good in self.decided_cells(names) if good]:
                    found[names] = cells
        return found

    def move(self, feature, value):
        own = self.point[feature.name]
        if value == own:
            return 0.0
        here = float(self.row[feature.column])
        if feature.patterns is not None or np.isnan(here):
            return 1.0
        column = self.explainer.rows[:, feature.column]
        return abs(feature.nearest(value, here) - here) / (np.nanmax(column) - np.nanmin(column))

    def ranking(self):
        """All reasons: (number of features, least move, column, name), in order."""
        found = []
        for i, feature in enumerate(self.features):
            mine = [names for names in self.changes if feature.name in names]
            size = min((len(names) for names in mine), default=0)
            moves = [
                self.move(feature, cell[feature.name])
                for names in mine
                if len(names) == size
                for cell in self.changes[names]
            ]
            if mine:
                found.append((size, min(moves), i, feature.name))
        return sorted(found)


def check_against(brute, answer, most):
    """That an answer is the first part of the ranking, and that its ranges lead where it says."""
    expected = brute.ranking()
    assert answer.status == ("proved" if expected else "impossible")
    assert [r.feature for r in answer.reasons] == [name for *_, name in expected[:most]]
    for reason, (size, move, _, _) in zip(answer.reasons, expected, strict=False):
        assert reason.proved and len(reason.together) + 1 == size and reason.alone == (size == 1)
        assert reason.move == pytest.approx(move, rel=1e-9)
        change = frozenset({reason.feature, *reason.together})
        assert change in brute.changes
        allowed = {record["feature"]: record for record in reason.ranges}
        inside = [
            good
            for cells, good in brute.decided_cells(change)
            if all(_allows(brute, name, value, allowed.get(name)) for name, value in cells.items())
        ]
        assert inside and all(inside)


def _allows(brute, name, value, record):
    """Whether a cell of a feature is inside the range shown."""
    variable = next(f.variable for f in brute.features if f.name == name)
    if record is None or variable is None:
        return True
    cell = variable.values[value]
    if not isinstance(cell, Interval):
        return record["missing"] if value == variable.missing else cell in record["values"]
    ends = [
        (-np.inf if i["low"] is None else i["low"], np.inf if i["high"] is None else i["high"])
        for i in record["intervals"]
    ]
    return any(low <= cell.low and cell.high <= high for low, high in ends)


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=["none", "clause", "order", "both"])
@pytest.mark.parametrize("seed", range(12))
def test_reasons_and_their_order_are_those_of_brute_force(seed, constraints):
    ensemble = random_ensemble(seed)
    rows = training_rows(seed, constraints, missing=ensemble.allows_missing)
    explainer = pw.Explainer(ensemble, rows, domain={"z": CODES}, constraints=constraints)
    generator = np.random.default_rng(seed)
    for row in rows[:4]:
        decision = explainer.decide(row)
        favourable = [x for x in explainer.class_names if x != decision][seed % (len(ensemble.classes) - 1)]
        hidden = [name for name in "xyz" if generator.random() < 0.2]
        brute = BruteForce(explainer, row, favourable, hidden, lambda r: is_possible(r, constraints))
        half = len(hidden) // 2
        answer = explainer.adverse_action(
            row, favourable, protected=hidden[:half], undisclosable=hidden[half:], time_limit=None
        )
        check_against(brute, answer, most=4)


def test_the_brute_force_meets_all_kinds_of_cases():
    """Else the test above would show little: changes of one, two and three features, and none at all."""
    sizes = set()
    for seed, constraints in itertools.product(range(12), CONSTRAINTS):
        ensemble = random_ensemble(seed)
        rows = training_rows(seed, constraints, missing=ensemble.allows_missing)
        explainer = pw.Explainer(ensemble, rows, domain={"z": CODES}, constraints=constraints)
        for row in rows[:2]:
            for favourable in set(explainer.class_names) - {explainer.decide(row)}:
                brute = BruteForce(explainer, row, favourable, (), lambda r, c=constraints: is_possible(r, c))
                sizes |= {size for size, *_ in brute.ranking()} or {0}
    assert sizes == {0, 1, 2, 3}


@pytest.mark.parametrize("seed", range(6))
def test_forests_with_many_features_and_a_cut_off(seed):
    generator = np.random.default_rng(seed)
    X = generator.integers(0, 3, (150, 6)).astype(float)
    X[:, 1] *= 10
    y = (X[:, 0] + X[:, 1] / 10 - X[:, 2] + (X[:, 3] == X[:, 4]) > 2).astype(int)
    model = RandomForestClassifier(7, max_depth=4, random_state=seed).fit(X, y)
    explainer = pw.Explainer(model, X, domain={"x4": {0: "a", 1: "b", 2: "c"}}, threshold=0.37 + seed / 20)
    declined = X[model.predict_proba(X)[:, 1] < 0.37 + seed / 20]
    sizes = set()
    for row in declined[:3]:
        brute = BruteForce(explainer, row, 1, ["x3"], lambda _: True)
        for most in (2, 6):
            answer = explainer.adverse_action(row, 1, protected=["x3"], most=most, time_limit=None)
            check_against(brute, answer, most)
        sizes |= {size for size, *_ in brute.ranking()}
    assert max(sizes) > 1


@pytest.mark.parametrize("tested", [True, False], ids=["y is tested", "no tree tests y"])
def test_a_feature_that_an_order_holds_back_changes_too(tested):
    """x <= y = 2, and x must exceed 3: y has to move, though the model cannot tell 2 from 4."""
    above = (1, 50.0, [0, 1], [1, 0]) if tested else [0, 1]
    tree = pw.Tree.build((0, 3.0, [1, 0], above))
    explainer = pw.Explainer(
        pw.Ensemble((tree,), ("x", "y"), ("no", "yes")), [[0.0, 0.0], [8.0, 60.0]], constraints=["x <= y"]
    )
    assert (explainer.domain.features[1].variable is not None) == tested
    answer = explainer.adverse_action([1.0, 2.0], "yes")
    assert answer.status == "proved" and all(r.direction == "low" for r in answer.reasons)
    assert {(r.feature, r.together) for r in answer.reasons} == {("x", ("y",)), ("y", ("x",))}
    held = explainer.adverse_action([1.0, 2.0], "yes", protected=["y"])
    assert held.status == "impossible" and not held.reasons
    alone = explainer.adverse_action([1.0, 4.0], "yes", protected=["y"])
    assert [(r.feature, r.together) for r in alone.reasons] == [("x", ())]


@pytest.fixture(scope="module")
def credit():
    data = load_credit()
    model = RandomForestClassifier(25, max_depth=5, random_state=0).fit(data.X, data.y)
    explainer = pw.Explainer(
        model,
        data.X,
        feature_names=data.feature_names,
        class_names=data.class_names,
        domain=data.domain,
        units=data.units,
        threshold=0.6,
    )
    return explainer, data.X[model.predict_proba(data.X)[:, 1] < 0.6]


CODE_TABLE = {
    "duration": {"high": ("R01", "Repayment period too long"), "low": ("R02", "Repayment period too short")},
    "checking account": ("R03", "Standing of the checking account"),
    ("amount", "instalment rate"): ("R04", "Size of the credit"),
    "savings": "Savings",
}


def test_the_letter_says_what_the_reasons_say(credit):
    explainer, declined = credit
    row = next(
        row
        for row in declined
        if explainer.adverse_action(row, "approved", codes=CODE_TABLE, most=1).reasons[0].feature
        == "duration"
    )
    answer = explainer.adverse_action(row, "approved", codes=CODE_TABLE, protected=["age"])
    first = answer.reasons[0]
    assert (first.code, first.text, first.direction) == ("R01", "Repayment period too long", "high")
    months = first.helps.removeprefix("duration at most ").removesuffix(" months")
    assert float(months) < first.value == row[explainer.domain.column_names.index("duration")]
    assert answer.score.of == "approved" and answer.score.cutoff == 0.6
    assert answer.letter.startswith(
        f"The decision is: declined ({answer.score.reason}). The principal reasons, the most important first, are as "
        "follows. "
        f"First, Repayment period too long (R01): duration is {first.value:g} months; "
        f"with duration at most {months} months, everything else unchanged, it would have been: approved. Second, "
    )
    assert "\n" not in answer.letter
    for reason in answer.reasons:
        assert reason.text in answer.letter and reason.helps in answer.letter and reason.text in str(answer)
    record = json.loads(json.dumps(answer.to_dict()))
    assert [r["feature"] for r in record["reasons"]] == [r.feature for r in answer.reasons]
    assert record["letter"] == answer.letter and record["status"] == "proved"


def test_at_most_as_many_reasons_as_asked_for_and_the_first_ones(credit):
    explainer, declined = credit
    for row in declined[:5]:
        many = explainer.adverse_action(row, "approved", most=9).reasons
        assert [r.rank for r in many] == list(range(1, len(many) + 1))
        for most in (1, 2, 4):
            assert explainer.adverse_action(row, "approved", most=most).reasons == many[:most]
        assert len(explainer.adverse_action(row, "approved").reasons) <= 4


def test_hidden_features_are_never_mentioned_and_never_moved(credit):
    explainer, declined = credit
    shown = explainer.adverse_action(declined[0], "approved", most=9)
    protected, undisclosable = shown.reasons[0].feature, shown.reasons[1].feature
    for row in declined[:8]:
        answer = explainer.adverse_action(
            row,
            "approved",
            codes=CODE_TABLE,
            protected=(name for name in [protected]),
            undisclosable=[undisclosable],
            most=9,
        )
        assert answer.left_out == (protected,)
        record = answer.to_dict()
        spoken = json.dumps([record["reasons"], record["letter"], record["uncoded"]]) + str(answer)
        assert protected not in spoken and undisclosable not in json.dumps(record) + repr(answer)
        hidden = {
            CODE_TABLE[x][1] for x in (protected, undisclosable) if isinstance(CODE_TABLE.get(x), tuple)
        }
        assert not any(text in spoken for text in hidden)


def test_where_nothing_that_may_be_named_helps_no_reason_is_invented():
    tree = pw.Tree.build((0, 50.0, [1, 0], (1, 30.0, [1, 0], [0, 1])))
    model = pw.Ensemble((tree,), ("income", "fraud score"), ("declined", "approved"))
    explainer = pw.Explainer(model)
    for row, hidden in (([60, 10], ["fraud score"]), ([20, 10], ["fraud score"]), ([20, 10], ["income"])):
        answer = explainer.adverse_action(row, "approved", undisclosable=hidden)
        assert answer.status == "impossible" and answer.reasons == () and answer.left_out == ()
        assert answer.letter == (
            "The decision is: declined (the only tree says so). No change of the details that may be stated here would "
            "have led to: approved."
        )
        assert hidden[0] not in json.dumps(answer.to_dict()) + str(answer) + repr(answer)
    both = explainer.adverse_action([20, 10], "approved")
    assert [(r.feature, r.together, r.move) for r in both.reasons] == [
        ("income", ("fraud score",), None),
        ("fraud score", ("income",), None),
    ]
    assert (
        explainer.adverse_action([20, 10], "approved", undisclosable=["income", "fraud score"]).reasons == ()
    )


def test_immutable_features_of_the_explainer_are_hidden_too():
    tree = pw.Tree.build((0, 50.0, [1, 0], [0, 1]))
    model = pw.Ensemble((tree,), ("income",), ("declined", "approved"))
    assert pw.Explainer(model).adverse_action([20], "approved").reasons[0].helps == "income above 50"
    held = pw.Explainer(model, immutable=["income"])
    assert held.adverse_action([20], "approved").status == "impossible"


def two_sided():
    """Approved iff debt <= 10 and 30 < income <= 80, or sector = c."""
    low = (0, 30.0, [1, 0], (0, 80.0, (1, 10.0, [0, 1], [1, 0]), [1, 0]))
    tree = pw.Tree.build((2, 1.5, low, [0, 1]))
    model = pw.Ensemble((tree,), ("income", "debt", "sector"), ("declined", "approved"))
    return pw.Explainer(model, domain={"sector": {0: "a", 1: "b", 2: "c"}}, units={"income": "k€"})


def test_texts_follow_the_direction():
    explainer = two_sided()
    codes = {
        "income": {"low": ("R07", "Income too low"), "high": "Income above the limit of this programme"},
        "debt": "Debts",
    }
    low, high = (explainer.adverse_action([x, 5, 0], "approved", codes=codes) for x in (20, 90))
    assert [(r.direction, r.code, r.text) for r in low.reasons] == [
        ("low", "R07", "Income too low"),
        ("other", None, "sector"),
    ]
    assert [(r.direction, r.code, r.text) for r in high.reasons] == [
        ("high", None, "Income above the limit of this programme"),
        ("other", None, "sector"),
    ]
    assert low.uncoded == high.uncoded == ("sector",)
    assert low.reasons[0].helps == "income above 30 and at most 80 k€"
    assert low.reasons[1].helps == 'sector "c"' and low.reasons[1].value == "a"
    assert explainer.adverse_action([20, 5, 0], "approved").uncoded == ()
    only = explainer.adverse_action([20, 5, 0], "approved", codes={"income": {"high": "x"}}, most=1)
    assert only.reasons[0].text == "income too low" and only.uncoded == ("income",)
    assert "First, income too low: income is 20 k€; with income above 30" in only.letter
    assert "The principal reason is as follows." in only.letter


def test_a_value_that_was_not_given_is_a_reason():
    tree = pw.Tree.build((0, 50.0, [0, 1], [1, 0]))
    model = pw.Ensemble((tree,), ("income",), ("declined", "approved"), allows_missing=True)
    explainer, row = pw.Explainer(model), [np.nan]
    assert explainer.decide(row) == "declined"
    reason = explainer.adverse_action(
        row, "approved", codes={"income": {"missing": ("R9", "No income")}}
    ).reasons[0]
    assert (reason.direction, reason.value, reason.code) == ("missing", None, "R9")
    assert reason.helps == "income at most 50"


def test_a_shared_code_is_listed_once_at_its_best_rank():
    explainer = two_sided()
    same = {("income", "sector"): ("R1", "Standing")}
    merged = explainer.adverse_action([20, 5, 0], "approved", codes=same)
    assert [(r.feature, r.code, r.also) for r in merged.reasons] == [("income", "R1", ("sector",))]
    again = {"sector": ("R1", "Standing"), "income": ("R1", "Standing")}
    assert explainer.adverse_action([20, 5, 0], "approved", codes=again).reasons == merged.reasons
    both = explainer.adverse_action([20, 15, 0], "approved", codes=same)
    assert [(r.feature, r.together) for r in both.reasons] == [("sector", ()), ("debt", ("income",))]
    assert both.reasons[0].also == ("income",)


@pytest.mark.parametrize(
    ("codes", "error", "words"),
    [
        ({"incme": "x"}, UnknownName, "incme"),
        ({("income", "dept"): "x"}, UnknownName, "dept"),
        ({"income": 7}, InvalidInput, "takes a text"),
        ({"income": ("R1", "a", "b")}, InvalidInput, "takes a text"),
        ({"income": {"lower": "x"}}, InvalidInput, "low, high, other, missing"),
        ({"income": "x", ("income", "debt"): "y"}, InvalidInput, "two entries for income"),
        (["income"], InvalidInput, "mapping"),
    ],
)
def test_tables_that_cannot_be_read_are_refused(codes, error, words):
    with pytest.raises(error, match=words):
        CodeTable(codes, ["income", "debt"])


def test_questions_without_sense_are_refused():
    explainer = two_sided()
    with pytest.raises(InvalidInput, match="approved already"):
        explainer.adverse_action([50, 5, 0], "approved")
    with pytest.raises(UnknownName, match="accepted"):
        explainer.adverse_action([20, 5, 0], "accepted")
    with pytest.raises(InvalidInput, match="pass the favourable decision"):
        explainer.adverse_action([20, 5, 0], None)
    with pytest.raises(InvalidInput, match="protected=\\['debt'\\]"):
        explainer.adverse_action([20, 5, 0], "approved", protected="debt")
    with pytest.raises(UnknownName, match="sex"):
        explainer.adverse_action([20, 5, 0], "approved", undisclosable=["sex"])
    for most in (0, 2.5, True):
        with pytest.raises(InvalidInput, match="most must be a positive number"):
            explainer.adverse_action([20, 5, 0], "approved", most=most)


def test_the_answer_is_the_same_every_time_and_for_both_engines(credit):
    explainer, declined = credit
    for row in declined[:4]:
        ask = {"codes": CODE_TABLE, "protected": ["age"], "time_limit": None}
        assert explainer.adverse_action(row, "approved", **ask) == explainer.adverse_action(
            row, "approved", **ask
        )
    ensemble = random_ensemble(4)
    rows = training_rows(4, None, missing=False)
    both = [pw.Explainer(ensemble, rows, domain={"z": CODES}, engine=name) for name in ("search", "diagram")]
    for row in rows[:10]:
        favourable = next(x for x in both[0].class_names if x != both[0].decide(row))
        one, other = (x.adverse_action(row, favourable).reasons for x in both)
        assert [(r.feature, r.move) for r in one] == [(r.feature, r.move) for r in other]


@pytest.mark.parametrize(
    "limits", [{"work_limit": n, "time_limit": None} for n in (1, 3, 10, 40)] + [{"time_limit": 1e-9}]
)
def test_a_limit_leads_to_a_status_and_what_is_said_holds_all_the_same(credit, limits):
    explainer, declined = credit
    generator = np.random.default_rng(0)
    for row in declined[:6]:
        answer = explainer.adverse_action(row, "approved", protected=["age"], **limits)
        full = explainer.adverse_action(row, "approved", protected=["age"], time_limit=None)
        assert full.status == "proved"
        if answer.status == "proved":
            assert [r.feature for r in answer.reasons] == [r.feature for r in full.reasons]
        else:
            assert answer.status == "interrupted"
        for reason, same in zip(answer.reasons, full.reasons, strict=False):
            assert not reason.proved or reason.feature == same.feature
        for reason in answer.reasons:
            changed = np.array([_drawn(explainer, row, reason, generator) for _ in range(20)])
            assert (explainer.ensemble.predict(changed) == 1).all()
        if not answer.reasons:
            assert "have not been determined" in answer.letter


def _drawn(explainer, row, reason, generator):
    """A row inside the ranges of a reason, like the declined one elsewhere."""
    changed = row.copy()
    for record in reason.ranges:
        feature = next(f for f in explainer.domain.features if f.name == record["feature"])
        if "values" in record:
            codes = [code for code, name in feature.codes.items() if name in record["values"]]
            changed[feature.column] = generator.choice(codes)
        else:
            (piece,) = record["intervals"]
            low = -1000.0 if piece["low"] is None else np.nextafter(piece["low"], np.inf)
            high = 1e5 if piece["high"] is None else np.nextafter(piece["high"], -np.inf)
            changed[feature.column] = generator.choice([low, high, generator.uniform(low, high)])
    return changed


def test_limits_do_come(credit):
    """Else the test above would show nothing."""
    explainer, declined = credit
    found = {
        explainer.adverse_action(row, "approved", time_limit=None, work_limit=1).status
        for row in declined[:6]
    }
    assert "interrupted" in found
    assert explainer.adverse_action(declined[0], "approved", time_limit=1e-9).status == "interrupted"


def test_a_move_that_no_search_had_the_time_for_is_left_open():
    X = np.random.default_rng(2).integers(-2, 3, (40, 4)).astype(float)
    labels = np.digitize(X.sum(axis=1), [-1, 1.5])
    forest = RandomForestClassifier(3, max_depth=3, random_state=0).fit(X, labels)
    explainer, moves = pw.Explainer(forest, X, engine="search"), []
    for row in X[forest.predict(X) == 0]:
        for nodes in (1, 2, 3, 5):
            answer = explainer.adverse_action(row, 1, time_limit=None, work_limit=nodes)
            json.dumps(answer.to_dict(), allow_nan=False)
            moves += [reason.move for reason in answer.reasons]
    assert None in moves


@pytest.fixture(scope="module")
def credit_explainer():
    """An explainer of credit decisions, and a declined row that has a short rule."""
    credit = load_credit()
    forest = RandomForestClassifier(30, max_depth=5, random_state=0).fit(credit.X, credit.y)
    names = {"feature_names": credit.feature_names, "class_names": credit.class_names}
    explainer = pw.Explainer(forest, credit.X, domain=credit.domain, **names)
    declined = (x for x in credit.X if explainer.decide(x) == "declined")
    return explainer, next(x for x in declined if explainer.explain(x, precision=0.95).found)


class TestInShort:
    def test_the_letter_ends_with_cases_like_this_one(self, credit_explainer):
        explainer, x = credit_explainer
        plain = explainer.adverse_action(x, "approved")
        told = explainer.adverse_action(x, "approved", in_short=True)
        assert plain.in_short is None and told.in_short.found
        assert told.letter.startswith(plain.letter)
        short = told.in_short
        compared = told.letter.removeprefix(plain.letter)
        assert compared.startswith(f" For comparison: of {short.matching:,} earlier cases with ")
        assert compared.endswith(f"{short.same:,} got the same decision.")
        assert str(short) in str(told)
        assert told.to_dict()["in_short"] == short.to_dict()

    def test_what_is_never_named_is_not_named_there_either(self, credit_explainer):
        explainer, x = credit_explainer
        first = explainer.adverse_action(x, "approved", in_short=True).in_short
        hidden = first.features[:1]
        told = explainer.adverse_action(x, "approved", protected=hidden, in_short=True)
        assert hidden[0] not in told.in_short.features and hidden[0] not in told.letter

    def test_without_training_rows_it_is_refused(self, credit_explainer):
        explainer, x = credit_explainer
        bare = pw.Explainer(explainer.model, class_names=list(explainer.class_names))
        with pytest.raises(InvalidInput, match="pass them to Explainer"):
            bare.adverse_action(x, "approved", in_short=True)
