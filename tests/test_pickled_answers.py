"""Every answer can be pickled and copied, and is the same afterwards; or it says why not, and what to do instead."""

from __future__ import annotations

import copy
import io
import pickle

import joblib
import pytest

from every_answer import answers, explainer_of, rows
from primewood.errors import NotPicklable

LAZY = {"reasons": ("pickle", "joblib", "copy", "deepcopy"), "contrasts": ("pickle", "joblib", "deepcopy")}
"""What is searched for while it is read, and the ways that such answers refuse."""


def by_joblib(thing):
    file = io.BytesIO()
    joblib.dump(thing, file)
    file.seek(0)
    return joblib.load(file)


WAYS = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "joblib": by_joblib,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.fixture(scope="module")
def explainer():
    return explainer_of()


@pytest.fixture(scope="module")
def every(explainer):
    return answers(explainer)


def said(thing):
    """All that an answer says."""
    if hasattr(thing, "to_dict"):
        return thing.to_dict()
    if hasattr(thing, "__iter__"):
        return [said(each) for each in thing]
    return str(thing)


@pytest.mark.parametrize("way", WAYS)
def test_every_answer_is_the_same_afterwards_or_says_why_not(every, way):
    for name, found in every.items():
        if way in LAZY.get(name, ()):
            with pytest.raises(NotPicklable, match="pickle a list of them instead"):
                WAYS[way](found)
        else:
            again = WAYS[way](found)
            assert type(again) is type(found) and said(again) == said(found), name


@pytest.mark.parametrize("way", ["pickle", "joblib", "deepcopy"])
def test_lists_of_lazy_answers_are_kept(explainer, way):
    x = rows()[0]
    for lazy in (explainer.reasons(x), explainer.contrasts(x), explainer.explanations(x)):
        found = list(lazy)
        assert found and said(WAYS[way](found)) == said(found)


def test_explanations_that_are_searched_for_say_why_they_cannot_be_pickled():
    searching = explainer_of(engine="search").explanations(rows()[0])
    assert len(list(searching)) > 0
    for way in ("pickle", "joblib", "deepcopy"):
        with pytest.raises(NotPicklable, match="pickle a list of them instead"):
            WAYS[way](searching)
