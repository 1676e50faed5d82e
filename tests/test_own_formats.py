"""Our own files with one thing wrong: an error of ours that says what, or an object that can be used."""

from __future__ import annotations

import io
import json
import random
import warnings

import numpy as np
import pytest
from rich.console import Console

import primewood as pw
from every_answer import explainer_of, rows
from mutations import mutate
from primewood.cli.call_settings import read_settings
from primewood.encodings.clauses import Cnf
from primewood.encodings.obdd import Obdd
from primewood.ensemble.file import ensemble_of
from primewood.errors import InvalidInput, PrimewoodError

COUNTS = [120, pytest.param(3000, marks=pytest.mark.slow)]


@pytest.fixture(scope="module")
def explainer():
    return explainer_of(constraints=["age <= amount + 60", "housing = own -> age >= 1"])


def archive(path):
    with np.load(path, allow_pickle=False) as held:
        arrays = {name: held[name] for name in held.files}
    return json.loads(arrays.pop("document").tobytes()), arrays


def write_archive(path, document, arrays):
    text = json.dumps(document).encode("utf-8", "surrogatepass")
    np.savez(path, document=np.frombuffer(text, dtype=np.uint8), **arrays)


def mutated_arrays(arrays, generator):
    """One array with another shape, type or entry."""
    if not arrays:
        return arrays
    name = generator.choice(sorted(arrays))
    held = arrays[name].copy()
    kind = generator.randrange(6)
    if kind < 3 and held.size:
        odd = (-1, 2**31 - 1, 7) if held.dtype.kind == "i" else (np.nan, np.inf, -1e300)
        held.reshape(-1)[generator.randrange(held.size)] = odd[kind]
    changed = (held, held, held, held[:, :-1], held.astype("S4"), held.reshape(-1))[kind]
    return (
        {**arrays, name: changed}
        if generator.random() < 0.9
        else {k: v for k, v in arrays.items() if k != name}
    )


def tried(path, use):
    """What becomes of a file: True if it was read and used, False if it was refused as it should be."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            use(pw.load(path))
    except PrimewoodError as problem:
        assert str(problem) and len(str(problem)) < 3000
        return False
    return True


@pytest.mark.parametrize("count", COUNTS)
def test_changed_diagrams(explainer, tmp_path, count):
    path = tmp_path / "model.npz"
    compiled = explainer.compile()
    compiled.save(path)
    document, arrays = archive(path)
    write_archive(path, document, arrays)
    assert tried(path, lambda found: None)

    def use(found):
        for x in rows()[:3]:
            assert found.decide(x) in found.class_names
        assert found.info()["nodes"] >= 1 and str(found) and found.share()

    seen = set()
    for seed in range(count):
        generator = random.Random(seed)
        if seed % 4:
            write_archive(path, mutate(document, generator), arrays)
        else:
            write_archive(path, document, mutated_arrays(arrays, generator))
        seen.add(tried(path, use))
    assert False in seen


@pytest.mark.parametrize(
    ("feature", "words"), [(7, "an object"), ([1], "an object"), ("x", "an object"), ({}, "name is missing")]
)
def test_features_of_the_wrong_type_are_named(explainer, tmp_path, feature, words):
    path = tmp_path / "model.npz"
    explainer.compile().save(path)
    document, arrays = archive(path)
    document["features"][1] = feature
    write_archive(path, document, arrays)
    with pytest.raises(
        InvalidInput, match=rf"model.npz is damaged: features\[1\].*{words}.*; save the compiled model"
    ):
        pw.load(path)


@pytest.mark.parametrize("count", [80, pytest.param(2000, marks=pytest.mark.slow)])
def test_changed_explainers(explainer, tmp_path, count):
    path = tmp_path / "saved.explainer.npz"
    with path.open("wb") as file:
        explainer.save(tmp_path / "saved")
        file.write((tmp_path / "saved").read_bytes())
    document, arrays = archive(path)
    del document["model"]["ensemble"]["trees"][1:]
    document["model"]["digest"] = None
    model = dict(document["model"])

    def use(found):
        assert found.explain(rows()[0], time_limit=None, work_limit=2000).status in ("proved", "interrupted")

    for seed in range(count):
        generator = random.Random(seed)
        changed = mutate({name: value for name, value in document.items() if name != "model"}, generator)
        digest = ensemble_of(model["ensemble"]).digest
        changed["model"] = (
            {**model, "digest": digest} if seed % 3 else mutate({**model, "digest": digest}, generator)
        )
        held = arrays if seed % 4 else mutated_arrays(arrays, generator)
        write_archive(path, changed, held)
        tried(path, use)


@pytest.mark.parametrize("count", COUNTS)
def test_changed_explanations(explainer, count):
    why = explainer.explain(rows()[3], literals="sets", goal="widest")
    document = json.loads(why.to_json(witnesses=True, distribution=True))
    assert pw.Explanation.from_json(json.dumps(document)).to_dict() == why.to_dict(
        witnesses=True, distribution=True
    )
    refused = 0
    for seed in range(count):
        changed = mutate(document, random.Random(seed))
        try:
            found = pw.Explanation.from_json(json.dumps(changed))
        except InvalidInput:
            refused += 1
            continue
        assert {**found.to_dict(), "format": 0, "version": 0} == {**changed, "format": 0, "version": 0}
        assert str(found) and repr(found) and found.to_html() and found._repr_html_()
        Console(file=io.StringIO(), width=100).print(found)
        found.to_frame()
    assert refused > count / 2


@pytest.mark.parametrize("count", COUNTS)
def test_changed_boolean_diagrams(tmp_path, count):
    A, B = pw.Variable("A", [1, 2, 3]), pw.Variable("B", [1, 2, 3])
    path = tmp_path / "model.json"
    obdd = pw.compile((A == 1) | (B == 2)).obdd(True)
    obdd.save(path)
    document = json.loads(path.read_text())
    assert Obdd.load(path) == obdd
    for seed in range(count):
        changed = mutate(document, random.Random(seed))
        path.write_text(json.dumps(changed))
        try:
            found = Obdd.load(path)
        except InvalidInput:
            continue
        assert 0 <= found.count() <= 2 ** len(found.variables) and found.to_dot() and found.to_cnf()
        assert json.loads(json.dumps(found.to_dict())) == changed


@pytest.mark.parametrize("count", COUNTS)
def test_changed_clauses(count):
    whole = 'c map 1 a\nc map 2 "\nc means 1 x\np cnf 3 2\n1 -2 0\n2 3 0\n'
    words = whole.split(" ")
    odd = ("9" * 5000, "-", "0", "-4", "p", "c", "²", "٣", "1e3", "", "\n", "%", "\x00", "99999999999")
    for seed in range(count):
        generator = random.Random(seed)
        changed = list(words)
        changed[generator.randrange(len(changed))] = generator.choice(odd)
        try:
            found = Cnf.from_dimacs(" ".join(changed))
        except InvalidInput:
            continue
        assert all(0 < abs(x) <= found.size for clause in found.clauses for x in clause)


@pytest.mark.parametrize("count", COUNTS)
def test_changed_settings(tmp_path, count):
    text = """threshold = 0.4
positive = "approved"
class_names = ["declined", "approved"]
feature_names = ["amount", "age", "housing"]
constraints = ["age >= 18"]
max_nodes = 1000
[units]
amount = "DM"
[domain]
age = { low = 18, high = 99, whole = true }
housing = { 0 = "own", 1 = "rent", 2 = "free" }
[groups]
"""
    odd = (
        "-1",
        "1e400",
        "nan",
        '"x"',
        "[]",
        "{}",
        "true",
        "[[1]]",
        "9" * 400,
        "{ a = { b = 1 } }",
        "1979-05-27",
        '"\\u202e"',
    )
    path = tmp_path / "settings.toml"
    path.write_text(text)
    assert read_settings(path)["units"] == {"amount": "DM"}
    lines = text.splitlines()
    for seed in range(count):
        generator = random.Random(seed)
        place = generator.randrange(len(lines))
        name = lines[place].partition("=")[0].strip("[] ")
        changed = [*lines[:place], f"{name} = {generator.choice(odd)}", *lines[place + 1 :]]
        path.write_text("\n".join(changed))
        try:
            options = read_settings(path)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = explainer_of()._model.as_read
                names = options.pop("feature_names", None)
                pw.Explainer(model, rows(), feature_names=names, **options)
        except PrimewoodError as problem:
            assert str(problem)
