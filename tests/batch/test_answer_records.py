"""What is written about rows: the same as in the records of their explanations, though much is worked out once."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor

import primewood as pw
from primewood.batch import answer_records
from primewood.batch.answer_records import PIECE, RecordWriter
from primewood.data.credit import load_credit
from primewood.render import frames

CREDIT = load_credit()


def credit(*, trained=True):
    forest = RandomForestClassifier(9, max_depth=4, random_state=0).fit(CREDIT.X, CREDIT.y)
    names = {"feature_names": CREDIT.feature_names, "class_names": CREDIT.class_names, "units": CREDIT.units}
    explainer = pw.Explainer(
        forest, CREDIT.X[::5] if trained else None, domain=CREDIT.domain, **names, literals="sets"
    )
    return explainer, CREDIT.X[:150]


def with_missing(*, trained=True):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(300, 3))
    X[generator.random(X.shape) < 0.2] = np.nan
    forest = RandomForestClassifier(7, max_depth=5, random_state=0).fit(X, np.nan_to_num(X).sum(axis=1) > 0.3)
    return pw.Explainer(forest, X[::7] if trained else None, literals="sets"), X[:150]


def one_hot(*, trained=True):
    generator = np.random.default_rng(1)
    X = np.column_stack([np.eye(6)[generator.integers(0, 6, 300)], generator.normal(size=300).round(2)])
    names = [f"colour_{i}" for i in range(6)] + ["size"]
    forest = ExtraTreesClassifier(7, max_depth=4, random_state=0).fit(
        X, (X[:, 1] + X[:, 3] > 0) ^ (X[:, 6] > 0)
    )
    groups = {"colour": names[:6]}
    return pw.Explainer(
        forest, X[::7] if trained else None, feature_names=names, groups=groups, literals="sets"
    ), X[:150]


def said(why):
    """What is to be written, from the record of an explanation."""
    record = why.to_dict()
    found = frames.tabulate_literals(record["literals"], record["instance"])
    pieces = [dict(zip(PIECE, piece, strict=True)) for piece in zip(*map(found.get, PIECE), strict=True)]
    names = ("decision", "status", "literal_language", "coverage", "volume", "notes")
    texts = [(literal["feature"], literal["text"]) for literal in record["literals"]]
    return [*(record[name] for name in names), texts, pieces]


def written(record):
    names = ("decision", "status", "literal_language", "coverage", "volume", "notes")
    texts = [(literal["feature"], literal["text"]) for literal in record["literals"]]
    return [*(record[name] for name in names), texts, record["pieces"]]


def moved(explainer, rows):
    """Each row, and rows of its cell with other numbers: just inside the ends of its cell."""
    yield from rows
    context = explainer._model.context
    for row in rows:
        point = explainer.domain.point(row)
        for place, feature in enumerate(explainer.domain.seen):
            if feature.patterns is None and not np.isnan(row[feature.column]):
                cell = context.variables[place].values[point[place]]
                ends = [np.nextafter(cell.low, np.inf), np.nextafter(cell.high, -np.inf)]
                for x in (x for x in ends if abs(x) < 1e30):
                    other = row.copy()
                    other[feature.column] = np.ceil(x) if feature.whole else x
                    if explainer.domain.point(other) == point:
                        yield other


@pytest.mark.parametrize("literals", ["sets", "intervals", "values"])
@pytest.mark.parametrize("trained", [True, False])
@pytest.mark.parametrize("model", [credit, with_missing, one_hot])
def test_what_is_written_is_what_the_records_say(model, trained, literals):
    explainer, rows = model(trained=trained)
    rows = np.array(list(moved(explainer, rows[:25])))
    whys = list(
        explainer(rows, literals=literals, time_limit=None, work_limit=20_000, reuse=literals == "sets")
    )
    words = RecordWriter(explainer._model.context)
    for why in whys:
        assert written(words.write(why)) == said(why)
    assert len(words._covered) < len(whys)
    assert len(words._said) < sum(len(why.term.literals) for why in whys)


def test_rows_of_one_term_have_their_own_words():
    """The bounds that are shown keep the row's own number, so a term is not said alike to all rows."""
    explainer, rows = credit()
    batch = explainer(np.array(list(moved(explainer, rows[:40]))), time_limit=None, work_limit=20_000)
    words = RecordWriter(explainer._model.context)
    texts = {}
    for why in batch:
        told = " ".join(literal["text"] for literal in words.write(why)["literals"])
        texts.setdefault(why.term, set()).add(told)
    assert max(map(len, texts.values())) > 1


def test_a_full_memory_makes_no_difference(monkeypatch):
    explainer, rows = credit()
    batch = explainer(rows, time_limit=None, work_limit=20_000)
    monkeypatch.setattr(answer_records, "REMEMBERED", 3)
    words = RecordWriter(explainer._model.context)
    assert [written(words.write(why)) for why in batch] == [said(why) for why in batch]
    assert len(words._said) <= 3 and len(words._covered) <= 3


def test_explanations_of_other_questions_and_none_at_all():
    generator = np.random.default_rng(2)
    X = generator.normal(size=(200, 3))
    forest = RandomForestRegressor(5, max_depth=3, random_state=0).fit(X, X[:, 0] + X[:, 1])
    explainer = pw.Explainer(forest, X, literals="sets")
    words = RecordWriter(explainer._model.context)
    rows = np.vstack([X[:20], np.full(3, np.nan)])
    whys = list(explainer.stream(rows, within=0.4))
    assert [written(words.write(why)) for why in whys] == [said(why) for why in whys]
    assert str(whys[-1].status) == "failed" and not words._covered and not words._said
