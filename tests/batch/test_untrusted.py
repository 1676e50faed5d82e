"""Folders of batches that someone else has written to: nothing but regular files of our own names is opened."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys

import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from batch.samples import write_answers
from children import run_child
from mutations import mutate
from primewood.batch.folder import Folder, Manifest
from primewood.batch.overview import overview
from primewood.batch.settings import Settings
from primewood.data.credit import load_credit
from primewood.errors import InvalidInput, PrimewoodError

CREDIT = load_credit()
SETTINGS = Settings(time_limit=None, work_limit=100_000, block=5, reuse=True)
posix = pytest.mark.skipif(os.name != "posix", reason="links and pipes are those of POSIX systems")


@pytest.fixture(scope="module")
def explainer():
    forest = RandomForestClassifier(3, max_depth=3, random_state=0).fit(CREDIT.X, CREDIT.y)
    return pw.Explainer(forest, feature_names=CREDIT.feature_names, literals="sets")


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "rows.csv"
    pd.DataFrame(CREDIT.X[:12], columns=CREDIT.feature_names).to_csv(path, index=False)
    return path


@pytest.fixture
def folder(explainer, source, tmp_path):
    write_answers(explainer, source, tmp_path / "out", SETTINGS, format="jsonl")
    return tmp_path / "out"


def change(folder, edit):
    document = json.loads((folder / "manifest.json").read_text())
    edit(document)
    (folder / "manifest.json").write_text(json.dumps(document))


def resume(explainer, source, folder):
    return write_answers(explainer, source, folder, SETTINGS, format="jsonl", resume=True)


@pytest.mark.parametrize(
    "name",
    [
        "../../../../../../dev/zero",
        "/dev/zero",
        "../out/part-00001.jsonl",
        "part-00000.jsonl",
        "part-00001.jsonl\n",
        "part-1.jsonl",
        "",
    ],
)
def test_only_the_files_of_a_part_are_opened(explainer, source, folder, name):
    change(folder, lambda document: document["parts"][1]["files"].update({name: "0" * 64}))
    with pytest.raises(InvalidInput, match=r"manifest.json is damaged: parts\[1\].files names"):
        resume(explainer, source, folder)
    with pytest.raises(InvalidInput, match=r"only its own files \(part-00001.jsonl\); write to a new folder"):
        overview(folder)


DAMAGED = {
    "parts[0].rows must be a whole number of at least 0, not '5'": lambda d: d["parts"][0].update(rows="5"),
    "parts[2].rows must be a whole number of at least 0, not -1": lambda d: d["parts"][2].update(rows=-1),
    "parts[0].rows must be a whole number of at least 0, not True": lambda d: d["parts"][0].update(rows=True),
    "parts[0].files must be an object, not list": lambda d: d["parts"][0].update(files=[]),
    "parts[0].files does not name part-00000.jsonl": lambda d: d["parts"][0].update(files={}),
    "parts[1] must be an object, not int": lambda d: d["parts"].insert(1, [1]) or d["parts"][1].pop() or d,
    "parts must be a list": lambda d: d.update(parts={}),
    "features[1] must be text, not 7": lambda d: d["features"].__setitem__(1, 7),
    "finished must be true or false, not 1": lambda d: d.update(finished=1),
    "settings must be an object, not 'x'": lambda d: d.update(settings="x"),
    "kind must be 'parquet' or 'jsonl', not '../x'": lambda d: d.update(kind="../x"),
    "model is missing": lambda d: d.pop("model"),
    "dialect must be an object": lambda d: d.update(dialect=[]),
    "a SHA-256 in 64 hexadecimal digits, not 'A": lambda d: d["parts"][0]["files"].update(
        {"part-00000.jsonl": "A" * 64}
    ),
}


@pytest.mark.parametrize("words", DAMAGED)
def test_every_field_of_the_manifest_is_checked(explainer, source, folder, words):
    change(folder, DAMAGED[words])
    expected = words.split(", not int")[0]
    for ask in (lambda: resume(explainer, source, folder), lambda: overview(folder)):
        with pytest.raises(InvalidInput) as problem:
            ask()
        assert str(folder / "manifest.json") in str(problem.value) and expected in str(problem.value)
        assert "write to a new folder" in str(problem.value)


def test_json_that_is_too_deep_or_too_long_is_an_error(folder):
    for content in ("[" * 100_000, '{"a": ' + "9" * 5000 + "}", '{"format": NaN}', b"\xff{}"):
        (folder / "manifest.json").write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(InvalidInput, match="damaged: not JSON"):
            overview(folder)


@posix
@pytest.mark.parametrize("name", ["manifest.json", "lock"])
@pytest.mark.parametrize("kind", ["link", "pipe", "device", "folder"])
def test_a_manifest_or_lock_that_is_no_regular_file_is_an_error(folder, explainer, source, name, kind):
    path = folder / name
    path.rename(folder.parent / "kept")
    replace_with(path, kind, folder.parent / "kept")
    with pytest.raises(InvalidInput, match=f"{name} is a link, or not a regular file; remove it"):
        resume(explainer, source, folder)


@posix
def test_a_lock_is_not_made_through_a_link(explainer, source, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InvalidInput, match="lock is a link"):
        resume(explainer, source, tmp_path / "out")
    assert not (tmp_path / "elsewhere").exists()


@posix
@pytest.mark.parametrize("kind", ["link", "pipe", "device"])
def test_a_part_that_is_no_regular_file_is_done_again(folder, explainer, source, kind):
    part = folder / "part-00001.jsonl"
    content = part.read_bytes()
    part.rename(folder.parent / "kept")
    replace_with(part, kind, folder.parent / "kept")
    with pytest.raises(InvalidInput, match=r"part-00001.jsonl is a link, or not a regular file"):
        overview(folder)
    with pytest.warns(UserWarning, match=r"part-00001.jsonl is damaged or gone: it is done again"):
        resume(explainer, source, folder)
    assert part.read_bytes() == content and not part.is_symlink()


def replace_with(path, kind, kept):
    if kind == "link":
        path.symlink_to(kept)
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero")


@posix
def test_a_part_larger_than_any_is_not_read(folder, explainer, source):
    with (folder / "part-00001.jsonl").open("r+b") as file:
        file.truncate(2**40)
    with pytest.warns(UserWarning, match="done again"):
        resume(explainer, source, folder)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda lines: ["{"], "not JSON"),
        (lambda lines: lines[:-1], "it has 4 rows, and the manifest says 5"),
        (lambda lines: [*lines[:-1], "[]"], "line 5 must be an object"),
        (lambda lines: [x.replace('"size": ', '"size": -') for x in lines], "size in line 1 must be a whole"),
        (lambda lines: [x.replace('"status"', '"state"') for x in lines], "line 1.status is missing"),
    ],
)
def test_what_a_part_holds_is_checked(folder, edit, words):
    path = folder / "part-00000.jsonl"
    path.write_text("\n".join(edit(path.read_text().splitlines())) + "\n")
    with pytest.raises(InvalidInput) as problem:
        overview(folder)
    assert words in str(problem.value) and f"{path} is damaged" in str(problem.value)
    assert "resume (--resume) makes it again" in str(problem.value)


def test_a_parquet_part_of_other_columns_is_an_error(explainer, source, tmp_path):
    write_answers(explainer, source, tmp_path / "out", SETTINGS)
    path = tmp_path / "out" / "part-00000.parquet"
    pd.DataFrame({"status": ["proved"] * 5}).to_parquet(path)
    with pytest.raises(InvalidInput, match=r"part-00000.parquet is damaged: its columns cannot be read"):
        overview(tmp_path / "out")
    path.write_bytes(b"PAR1" * 9)
    with pytest.raises(InvalidInput, match=r"part-00000.parquet is damaged: its columns cannot be read"):
        overview(tmp_path / "out")


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({"label": 7, "row": 0}, "label must be a whole number from 0 to 1, not 7"),
        ({"box": ["1"]}, "box must be a list of"),
        ({"box": ["fffffffffffff"] * 13}, "box must be a list of|other values of"),
        ({"box": 3}, "box must be a list of"),
    ],
)
def test_boxes_that_are_taken_over_are_of_the_model(folder, explainer, source, record, words):
    """Whoever writes the digests too cannot make a run fail in the middle."""
    from hashlib import sha256

    path = folder / "part-00000.boxes.jsonl"
    lines = [json.loads(line) | record for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    digest = sha256(path.read_bytes()).hexdigest()
    change(folder, lambda d: d["parts"][0]["files"].update({path.name: digest}) or d.update(finished=False))
    with pytest.raises(InvalidInput, match=f"{path.name} is damaged: line 1.*({words})"):
        resume(explainer, source, folder)


@pytest.mark.parametrize("count", [300, pytest.param(5000, marks=pytest.mark.slow)])
def test_a_changed_manifest_is_an_error_or_read_as_it_is(tmp_path, count):
    for seed in range(count):
        document = mutate(MANIFEST, random.Random(seed))
        (tmp_path / "manifest.json").write_text(json.dumps(document))
        try:
            found = Folder(tmp_path).manifest()
        except PrimewoodError:
            continue
        assert found.to_dict() == {**document, "rows": found.rows}


MANIFEST = Manifest.from_dict(
    {
        "primewood": "0",
        "model": "m",
        "training": None,
        "reading": "r",
        "data": "d",
        "dialect": {"sheet": None, "decimal": None},
        "kind": "jsonl",
        "settings": {"options": {"literals": "sets"}, "block": 5},
        "features": ["a", "b"],
        "parts": [{"rows": 5, "files": {"part-00000.jsonl": "0" * 64}}],
        "finished": False,
    }
).to_dict()


@posix
def test_a_manifest_that_names_a_device_does_not_hang_the_command_line(folder, tmp_path):
    change(folder, lambda d: d["parts"][0].update(files={"../../../../../../../dev/zero": "0" * 64}))
    command = [sys.executable, "-m", "primewood", "summarise", folder]
    with run_child(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        _, err = child.communicate(timeout=30)
        assert child.returncode == 2 and "names '../../../../../../../dev/zero'" in err
