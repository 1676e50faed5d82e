"""Model files made to crash, hang or eat memory: each is refused in one line, or read as its library has it."""

from __future__ import annotations

import io
import json
import re
import sys
import zipfile
from contextlib import contextmanager
from pathlib import Path
from subprocess import DEVNULL, PIPE

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import hostile
import primewood as pw
from children import run_child
from model_files import FILES, X, Y, xgboost_file
from primewood.errors import InvalidInput, PrimewoodError, UnsupportedModel


def tried(folder):
    """What becomes of the files of a folder, by name, in a child process; the last one may have ended the child."""
    with run_child([sys.executable, Path(hostile.__file__), folder], stderr=DEVNULL) as child:
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


KINDS = tuple(hostile.CHANGES)
IN_PROCESS = tuple(kind for kind in KINDS if kind != "CatBoost")
"""The formats that need no process of their own, so that many files take no time."""


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
    found = fuzzed(IN_PROCESS, valid, tmp_path, range(3))
    assert not mistakes(found)
    assert {what.split(":")[0] for what in found.values()} == {"refused", "read"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_changed_files_are_refused_or_read_as_the_library_does(kind, valid, tmp_path):
    count = 300 if kind in IN_PROCESS else 20
    assert not mistakes(fuzzed([kind], valid, tmp_path, range(1000, 1000 + count)))


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
        lambda document: re.sub(r'"num_feature": "6"', '"num_feature": "2000000000"', json.dumps(document)),
        "it claims 2,000,000,000 columns without names",
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


def catboost_with(change):
    """A change of CatBoost's JSON, of symmetric trees."""

    def changed(document):
        change(document["oblivious_trees"][0], document["features_info"]["float_features"][0], document)

    return changed


HOSTILE_CATBOOST = {
    "a test out of bounds": catboost_with(lambda t, f, d: t["splits"][0].__setitem__("split_index", 10**6)),
    "another test": catboost_with(lambda t, f, d: t["splits"][0].__setitem__("border", 0.125)),
    "a test of another kind": catboost_with(lambda t, f, d: t["splits"][0].__setitem__("split_type", "Ctr")),
    "too few leaves": catboost_with(lambda t, f, d: t["leaf_values"].pop()),
    "too few weights": catboost_with(lambda t, f, d: t["leaf_weights"].pop()),
    "no weights in one tree": catboost_with(lambda t, f, d: t.pop("leaf_weights")),
    "leaves that are texts": catboost_with(lambda t, f, d: t["leaf_values"].__setitem__(0, "1")),
    "very many levels": catboost_with(lambda t, f, d: t.__setitem__("splits", t["splits"] * 99)),
    "another number of scores": catboost_with(
        lambda t, f, d: t.__setitem__("leaf_values", t["leaf_values"] * 2)
    ),
    "a column beyond all": catboost_with(lambda t, f, d: f.__setitem__("flat_feature_index", 2**31 - 1)),
    "a column twice": catboost_with(lambda t, f, d: f.__setitem__("flat_feature_index", 1)),
    "borders that descend": catboost_with(lambda t, f, d: f["borders"].append(-9.0)),
    "a bias for more scores": catboost_with(lambda t, f, d: d.__setitem__("scale_and_bias", [1, [0, 0, 0]])),
    "two kinds of trees": catboost_with(lambda t, f, d: d.__setitem__("trees", [{"value": 1, "weight": 1}])),
    "classes that are not there": catboost_with(
        lambda t, f, d: d["model_info"]["class_params"].__setitem__("class_to_label", [0, 7])
    ),
    "statistics without tests": catboost_with(lambda t, f, d: d.__setitem__("ctr_data", {"a": {}})),
}


def refuse_to_load(*_, **__):
    raise AssertionError("CatBoost got the file")


@pytest.mark.parametrize("name", HOSTILE_CATBOOST)
def test_what_catboost_would_trust_is_checked_first(name, valid, tmp_path, monkeypatch):
    import catboost

    monkeypatch.setattr(catboost.CatBoost, "load_model", refuse_to_load)
    document = json.loads(valid("CatBoost, JSON")[0])
    HOSTILE_CATBOOST[name](document)
    (tmp_path / "model.json").write_text(json.dumps(document))
    with pytest.raises(InvalidInput, match=r"model\.json cannot be read as a CatBoost model: ") as caught:
        pw.read(tmp_path / "model.json")
    assert "\n" not in str(caught.value)


def test_nested_trees_of_catboost_are_checked_node_by_node(tmp_path, monkeypatch):
    import catboost

    model = catboost.CatBoostClassifier(
        iterations=2, grow_policy="Lossguide", verbose=0, thread_count=1, allow_writing_files=False
    )
    path = tmp_path / "model.json"
    model.fit(X, Y).save_model(str(path), format="json")
    whole = path.read_text()
    assert (pw.read(path).predict(X) == model.predict(X)).all()
    monkeypatch.setattr(catboost.CatBoost, "load_model", refuse_to_load)
    nested = {"value": 1.0, "weight": 1.0}
    for _ in range(99):
        nested = {
            "left": {"value": 1.0, "weight": 1.0},
            "right": nested,
            "split": json.loads(whole)["trees"][0]["split"],
        }
    for key, value in [
        ("left", nested),
        ("left", {}),
        ("right", []),
        ("split", None),
        ("value", "a"),
        ("value", [1]),
    ]:
        document = json.loads(whole)
        document["trees"][0][key] = value
        path.write_text(json.dumps(document))
        with pytest.raises(InvalidInput, match="cannot be read as a CatBoost model"):
            pw.read(path)


def test_a_binary_file_that_catboost_crashes_on_is_refused(valid, tmp_path):
    raw, trees = bytearray(valid("CatBoost")[0]), json.loads(valid("CatBoost, JSON")[0])["oblivious_trees"]
    splits = [split["split_index"] for tree in trees for split in tree["splits"]]
    place = raw.index(np.array(splits, dtype="<i4").tobytes())
    raw[place : place + 4] = (10**9).to_bytes(4, "little")
    (tmp_path / "model.cbm").write_bytes(raw)
    with pytest.raises(InvalidInput, match=r"CatBoost could not read model\.cbm: it crashed"):
        pw.read(tmp_path / "model.cbm")


@contextmanager
def opened(path):
    """The members of a skops file, by name, which are written back at the end."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    yield members
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


@pytest.fixture
def tree_file(tmp_path):
    """A skops file of a decision tree, and the record of its tree in the schema."""
    import skops.io

    path = tmp_path / "model.skops"
    skops.io.dump(DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, Y), path)
    return path


def record_of_tree(schema):
    return schema["content"]["content"]["tree_"]


def changed_nodes(field, value):
    """A change of a field of the tree's last node, which is a leaf."""

    def change(members):
        name = record_of_tree(json.loads(members["schema.json"]))["content"]["content"]["nodes"]["file"]
        nodes = np.load(io.BytesIO(members[name]))
        nodes[field][-1] = value
        target = io.BytesIO()
        np.save(target, nodes)
        members[name] = target.getvalue()

    return change


def changed_schema(change):
    def changed(members):
        schema = json.loads(members["schema.json"])
        change(schema)
        members["schema.json"] = json.dumps(schema).encode()

    return changed


def add_bomb(members):
    members["bomb"] = bytes(2**27)


HOSTILE_SKOPS = {
    "a leaf that leads far away": (changed_nodes("left_child", -(2**40)), "is damaged"),
    "a leaf with one child": (changed_nodes("left_child", 1), "is damaged"),
    "very many outputs": (
        changed_schema(
            lambda s: record_of_tree(s)["__reduce__"]["args"]["content"][2].__setitem__("content", "60000")
        ),
        "do not fit its outputs",
    ),
    "very many nodes": (
        changed_schema(
            lambda s: record_of_tree(s)["content"]["content"]["node_count"].__setitem__("content", "2000000")
        ),
        "differ in length",
    ),
    "very many columns": (
        changed_schema(
            lambda s: s["content"]["content"]["n_features_in_"].__setitem__("content", "2000000000")
        ),
        "n_features_in_ must be a whole number from 0 to 100000",
    ),
    "an archive that unpacks to much": (add_bomb, "unpacks to"),
    "an array that is named very often": (
        changed_schema(lambda s: s.__setitem__("more", [{"file": "schema.json"}] * 20_000)),
        "unpacks to",
    ),
}


@pytest.mark.parametrize("name", HOSTILE_SKOPS)
def test_what_scikit_learn_would_trust_is_checked_first(name, tree_file, monkeypatch):
    monkeypatch.setattr(DecisionTreeClassifier, "predict_proba", refuse_to_load)
    change, words = HOSTILE_SKOPS[name]
    with opened(tree_file) as members:
        change(members)
    with pytest.raises(PrimewoodError, match=words):
        pw.Explainer(tree_file)


def test_objects_that_lack_something_are_refused_in_our_words(tree_file):
    with opened(tree_file) as members:
        changed_schema(lambda s: s["content"]["content"].pop("n_outputs_"))(members)
    with pytest.raises(UnsupportedModel, match=r"this DecisionTreeClassifier is damaged.*n_outputs_"):
        pw.Explainer(tree_file)


def test_commands_say_it_in_one_line(valid, tmp_path):
    raw, _ = valid("primewood")
    path = tmp_path / "model.json"
    path.write_bytes(raw[: len(raw) // 2])
    with run_child(
        [sys.executable, "-m", "primewood", "info", path], stdout=PIPE, stderr=PIPE, text=True
    ) as child:
        told, problem = child.communicate(timeout=60)
    assert child.returncode == 2 and not told
    assert problem.startswith("primewood: model") and problem.count("\n") == 1


def fitted(model, rows=X):
    return model.fit(rows, Y)


def with_fewer_columns(model):
    *others, (name, step, mask), rest = model._preprocessor.transformers_
    model._preprocessor.transformers_ = [*others, (name, step, np.zeros_like(mask)), rest]


DAMAGED_OBJECTS = {
    "a member that knows fewer classes": (
        lambda: fitted(RandomForestClassifier(2, max_depth=2)),
        lambda model: setattr(model.estimators_[1], "n_classes_", 1),
    ),
    "a member that knows a class twice": (
        lambda: fitted(BaggingClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=2)),
        lambda model: setattr(model.estimators_[0], "classes_", np.array([0, 0])),
    ),
    "more classes than labels": (
        lambda: fitted(RandomForestClassifier(2, max_depth=2)),
        lambda model: setattr(model, "n_classes_", 10**6),
    ),
    "an encoder that leaves columns out": (
        lambda: fitted(HistGradientBoostingClassifier(max_iter=2, categorical_features=[0]), X // 10),
        with_fewer_columns,
    ),
}


@pytest.mark.parametrize("name", DAMAGED_OBJECTS)
def test_objects_that_do_not_fit_together_are_refused_before_they_predict(name):
    make, damage = DAMAGED_OBJECTS[name]
    model = make()
    pw.read(model)
    damage(model)
    with pytest.raises(UnsupportedModel, match="laid out like"):
        pw.read(model)
