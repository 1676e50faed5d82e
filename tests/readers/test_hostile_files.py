"""Model files made to crash, hang or eat memory: each is refused in one line, or read as its library has it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import hostile
import primewood as pw
from children import run_child
from model_files import FILES, X, xgboost_file
from primewood.errors import InvalidInput, PrimewoodError


def tried(folder):
    """What becomes of the files of a folder, by name, in a child process; the last one may have ended the child."""
    with run_child([sys.executable, Path(hostile.__file__), folder], stderr=-3) as child:
        child.wait(timeout=600)
    lines = (folder / "log").read_text().splitlines()
    return dict(line.split(" ", 1) for line in lines)


@pytest.fixture(scope="module")
def valid(tmp_path_factory):
    """A valid file of each format, as bytes, made once."""
    made = {}

    def content(kind):
        if kind not in made:
            make, ending = FILES[kind]
            made[kind] = make(tmp_path_factory.mktemp("valid"), ending)[1].read_bytes(), ending
        return made[kind]

    return content


KINDS = ("XGBoost, JSON", "XGBoost, UBJSON", "primewood")


def fuzzed(kinds, valid, folder, seeds):
    for kind in kinds:
        raw, ending = valid(kind)
        for seed in seeds:
            name = f"{seed:06d} of {kind}{ending}".replace(", ", "-").replace(" ", "_")
            (folder / name).write_bytes(hostile.changed(kind, raw, seed))
    found = tried(folder)
    assert len(found) == len(kinds) * len(seeds), f"the child ended at {list(found)[-1:]}"
    return found


def mistakes(found):
    return {name: what for name, what in found.items() if not what.startswith(("refused", "read"))}


def test_changed_files_are_refused_or_read_as_the_library_does(valid, tmp_path):
    found = fuzzed(KINDS, valid, tmp_path, range(6))
    assert not mistakes(found)
    assert {what.split(":")[0] for what in found.values()} == {"refused", "read"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_changed_files_are_refused_or_read_as_the_library_does(kind, valid, tmp_path):
    assert not mistakes(fuzzed([kind], valid, tmp_path, range(1000, 1300)))


def learner_with(**changes):
    def change(document):
        for path, value in changes.items():
            *way, last = path.split("__")
            node = document["learner"]
            for step in way:
                node = node[int(step) if step.isdigit() else step]
            node[last] = value
        return json.dumps(document)

    return change


TREES = "gradient_booster__model__trees__0__"
HOSTILE_XGBOOST = {
    "vector leaves skip no check": (
        learner_with(**{TREES + "tree_param__size_leaf_vector": "2", TREES + "left_children": [10**9] * 7}),
        "vectors in its leaves",
    ),
    "very many classes": (
        learner_with(learner_model_param__num_class="2000000000"),
        "num_class must be .* not 2000000000",
    ),
    "very many columns": (
        learner_with(learner_model_param__num_feature="2000000000"),
        "2,000,000,000 columns",
    ),
    "several targets": (learner_with(learner_model_param__num_target="7"), "several targets"),
    "a number of trees": (
        learner_with(gradient_booster__model__gbtree_model_param__num_trees="2000000000"),
        "num_trees must be .* not 2000000000",
    ),
    "no trees at a time": (
        learner_with(gradient_booster__model__gbtree_model_param__num_parallel_tree="0"),
        "num_parallel_tree must be .* not 0",
    ),
    "a booster without trees": (learner_with(gradient_booster__name="gblinear"), "gblinear"),
    "infinite intercept": (learner_with(learner_model_param__base_score="[1e999]"), "base_score"),
    "an intercept per class": (learner_with(learner_model_param__base_score="[1,2,3]"), "base_score"),
    "codes out of bounds": (learner_with(**{TREES + "categories_nodes": [0]}), "categories_nodes"),
    "a column beyond 32 bits": (learner_with(**{TREES + "split_indices": [2**40] * 7}), "32 bits"),
    "fractions for children": (learner_with(**{TREES + "left_children": [0.5] * 7}), "left_children"),
    "text for children": (learner_with(**{TREES + "left_children": "abcdefg"}), "left_children"),
    "an unknown type": (learner_with(feature_types=["x"] * 6), "feature_types"),
    "too few names": (learner_with(feature_names=["x"]), "feature_names"),
    "an attribute that is no text": (learner_with(attributes__best_score=[]), "best_score"),
}


@pytest.mark.parametrize("name", HOSTILE_XGBOOST)
def test_what_xgboost_would_trust_is_checked_first(name, valid, tmp_path, monkeypatch):
    import xgboost

    def trusting(*_):
        raise AssertionError("XGBoost got the file")

    monkeypatch.setattr(xgboost.Booster, "load_model", trusting)
    change, words = HOSTILE_XGBOOST[name]
    path = tmp_path / "model.json"
    path.write_text(change(json.loads(valid("XGBoost, JSON")[0])))
    with pytest.raises(PrimewoodError, match=words) as caught:
        pw.read(path)
    assert "model.json" in str(caught.value) and "\n" not in str(caught.value)


def test_a_name_that_occurs_twice_is_refused_because_parsers_differ_about_it(valid, tmp_path):
    raw, _ = valid("XGBoost, JSON")
    twice = raw.replace(b'"num_class"', b'"num_class":"2000000000","num_class"', 1)
    (tmp_path / "model.json").write_bytes(twice)
    with pytest.raises(InvalidInput, match="'num_class' occurs twice"):
        pw.read(tmp_path / "model.json")


def test_a_file_of_xgboost_may_be_written_for_people(tmp_path):
    model, path = xgboost_file(tmp_path, ".json")
    path.write_text("\n" + json.dumps(json.loads(path.read_bytes()), indent=2))
    assert (pw.read(path).predict(X) == model.predict(X)).all()


def test_nested_documents_are_refused(tmp_path):
    (tmp_path / "model.json").write_text('{"learner":' * 10**5)
    with pytest.raises(InvalidInput, match=r"model\.json is not JSON .* nested too deeply"):
        pw.read(tmp_path / "model.json")


HOSTILE_ENSEMBLES = {
    "a leaf that tests a column": lambda d: d["trees"][0]["feature"].__setitem__(-1, 99),
    "a leaf that tests a set": lambda d: d["trees"][0].__setitem__(
        "set_of", [0] * len(d["trees"][0]["left"])
    ),
    "children as fractions": lambda d: d["trees"][0]["left"].__setitem__(0, 1.5),
    "children as texts": lambda d: d["trees"][0]["left"].__setitem__(0, "1"),
    "a tree that is a list": lambda d: d["trees"].__setitem__(0, []),
    "a tree without values": lambda d: d["trees"][0].pop("value"),
    "leaves that differ in length": lambda d: d["trees"][0]["value"][0].append(0.5),
    "labels that are lists": lambda d: d.__setitem__("classes", [[], {}]),
    "a column that is missing": lambda d: d.__setitem__("never_missing", [[0]]),
    "groups that are numbers": lambda d: d.__setitem__("groups", [1, 2]),
    "levels that are texts": lambda d: d.__setitem__("levels", ["ab"]),
    "categories of a text": lambda d: d.__setitem__("categories", [["0", [], None, False, "either"]]),
    "categories that are unknown": lambda d: d.__setitem__("categories", [[0, [], None, False, "never"]]),
    "a start that is text": lambda d: d.__setitem__("start", ["a"]),
    "a cut-off that is a number": lambda d: d.__setitem__("cutoff", 0.5),
    "an infinite slope": lambda d: d.__setitem__("slope", 10**400),
}


@pytest.mark.parametrize("name", HOSTILE_ENSEMBLES)
def test_every_field_of_our_own_format_is_checked(name, valid, tmp_path):
    document = json.loads(valid("primewood")[0])
    HOSTILE_ENSEMBLES[name](document)
    (tmp_path / "model.json").write_text(json.dumps(document))
    with pytest.raises(InvalidInput, match=r"model\.json cannot be read: "):
        pw.load(tmp_path / "model.json")
