"""Batches that are stopped, damaged, disturbed or asked otherwise: what is finished stays, and the end is the same."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from batch.samples import write_answers
from children import run_child
from primewood import files
from primewood.batch import explain_rows
from primewood.batch import folder as folders
from primewood.batch.settings import Settings
from primewood.data.credit import load_credit
from primewood.errors import InvalidInput
from primewood.tables.files import Dialect

CREDIT = load_credit()
ROWS = 200
SETTINGS = Settings(time_limit=None, work_limit=100_000, block=20)
with_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
CHILD = """
import sys, time
from pathlib import Path
sys.path.insert(0, {here!r})
from batch.test_resume import SETTINGS, explainer_of
from dataclasses import replace
from primewood.batch.row_explainer import RowExplainer
from batch.samples import write_answers

explainer = explainer_of()
describe = RowExplainer.describe

def slowly(*asked):
    time.sleep({pause})
    return describe(*asked)

RowExplainer.describe = slowly
settings = replace(SETTINGS, reuse={reuse})
print("ready", flush=True)
write_answers(explainer, Path({source!r}), Path({folder!r}), settings, format={format!r}, resume=True)
print("done", flush=True)
"""


def explainer_of(seed=0, **more):
    forest = RandomForestClassifier(7, max_depth=5, random_state=seed).fit(CREDIT.X, CREDIT.y)
    names = {"feature_names": CREDIT.feature_names, "class_names": CREDIT.class_names}
    return pw.Explainer(
        forest, **{"X_train": CREDIT.X, "domain": CREDIT.domain, **names, **more}, literals="sets"
    )


@pytest.fixture(scope="module")
def explainer():
    return explainer_of()


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Rows, of which many are alike, and one is bad."""
    X = CREDIT.X[np.random.default_rng(0).integers(0, 100, ROWS)]
    path = tmp_path_factory.mktemp("data") / "rows.csv"
    pd.DataFrame(X, columns=CREDIT.feature_names).to_csv(path, index=False)
    lines = path.read_text().splitlines()
    lines[77] = "bad"
    path.write_text("\n".join(lines))
    return path


@pytest.fixture(scope="module")
def wholes(explainer, source, tmp_path_factory):
    """What runs write that nothing stops, without reuse and with it."""
    found = []
    for reuse in (False, True):
        folder = tmp_path_factory.mktemp("whole")
        write_answers(explainer, source, folder, replace(SETTINGS, reuse=reuse))
        found.append(contents(folder))
    return found


def contents(folder):
    return {
        path.name: path.read_bytes()
        for path in sorted(folder.iterdir())
        if path.name != folders.LOCK and "timings" not in path.name
    }


class Stop(Exception):
    """Ends a run in the middle."""


def stopped_after(monkeypatch, parts, explainer, source, folder, settings, problem=Stop, **more):
    """Run until so many parts are written, and then something goes wrong."""
    write, count = folders.Folder.write_part, [0]

    def writing(self, *asked):
        if count[0] == parts:
            raise problem
        count[0] += 1
        return write(self, *asked)

    with monkeypatch.context() as patched, pytest.raises(problem):
        patched.setattr(folders.Folder, "write_part", writing)
        write_answers(explainer, source, folder, settings, **more)


@contextmanager
def running(source, folder, *, reuse=False, kind="parquet", pause=0.004):
    """A process that explains the rows until the end of the block, where it is killed."""
    here = str(Path(__file__).parents[1])
    script = CHILD.format(
        here=here, source=str(source), folder=str(folder), reuse=reuse, format=kind, pause=pause
    )
    with run_child([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        yield child


def wait_for(path, child):
    while not path.exists():
        assert child.poll() is None, "the run ended before"
        time.sleep(0.002)


# The same end.


@pytest.mark.parametrize("reuse", [False, True])
@pytest.mark.parametrize("parts", [0, 4, 9])
def test_a_run_that_goes_on_ends_with_the_same_bytes(
    monkeypatch, explainer, source, wholes, tmp_path, reuse, parts
):
    settings = replace(SETTINGS, reuse=reuse)
    stopped_after(monkeypatch, parts, explainer, source, tmp_path / "parts", settings)
    held = contents(tmp_path / "parts")
    assert len([name for name in held if name.endswith(".parquet")]) == parts
    written = write_answers(explainer_of(), source, tmp_path / "parts", settings, resume=True)
    assert (written.rows, written.parts, written.before) == (ROWS, 10, 20 * parts)
    found = contents(tmp_path / "parts")
    assert found == wholes[reuse]
    assert all(found[name] == content for name, content in held.items() if name != "manifest.json")


@pytest.mark.parametrize("reuse", [False, True])
def test_how_many_cells_are_remembered_makes_no_difference(
    monkeypatch, explainer, source, wholes, tmp_path, reuse
):
    monkeypatch.setattr(explain_rows, "REMEMBERED", 3)
    settings = replace(SETTINGS, reuse=reuse)
    stopped_after(monkeypatch, 6, explainer, source, tmp_path / "out", settings)
    write_answers(explainer, source, tmp_path / "out", settings, resume=True)
    assert contents(tmp_path / "out") == wholes[reuse]


def test_rounds_of_a_block_are_gone_on_with(monkeypatch, explainer, source, tmp_path):
    """Blocks of 70 rows are explained in several rounds, and what the first ones lent is known to the next run."""
    settings = replace(SETTINGS, reuse=True, block=70)
    write_answers(explainer, source, tmp_path / "whole", settings, n_jobs=2)
    stopped_after(monkeypatch, 2, explainer, source, tmp_path / "parts", settings)
    write_answers(explainer_of(), source, tmp_path / "parts", settings, resume=True)
    assert contents(tmp_path / "parts") == contents(tmp_path / "whole")


@pytest.mark.parametrize("reuse", [False, True])
def test_a_run_that_is_killed_goes_on(explainer, source, wholes, tmp_path, reuse):
    with running(source, tmp_path / "out", reuse=reuse) as child:
        wait_for(tmp_path / "out" / "part-00002.parquet", child)
    begun = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert 2 <= len(begun["parts"]) < 10 and not begun["finished"]
    settings = replace(SETTINGS, reuse=reuse)
    written = write_answers(explainer, source, tmp_path / "out", settings, resume=True)
    assert written.before == 20 * len(begun["parts"])
    assert contents(tmp_path / "out") == wholes[reuse]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
def test_a_run_that_is_killed_again_and_again_ends_the_same(explainer, source, tmp_path, kind):
    generator = np.random.default_rng(0)
    for _ in range(12):
        with running(source, tmp_path / "out", reuse=True, kind=kind, pause=0.0005):
            time.sleep(generator.uniform(0.0, 0.12))
    settings = replace(SETTINGS, reuse=True)
    write_answers(explainer, source, tmp_path / "out", settings, format=kind, resume=True)
    write_answers(explainer, source, tmp_path / "whole", settings, format=kind)
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_a_finished_run_is_left_alone(explainer, source, tmp_path):
    write_answers(explainer, source, tmp_path / "out", SETTINGS)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").iterdir()}
    written = write_answers(explainer, source, tmp_path / "out", SETTINGS, resume=True)
    assert written.before == written.rows == ROWS and "finished already" in str(written)
    del before[tmp_path / "out" / folders.LOCK]
    assert all(path.stat().st_mtime_ns == then for path, then in before.items())


def test_going_on_with_nothing_begins(explainer, source, tmp_path):
    (tmp_path / "out").mkdir()
    assert write_answers(explainer, source, tmp_path / "out", SETTINGS, resume=True).rows == ROWS


# Damage.


@pytest.mark.parametrize("reuse", [False, True])
@pytest.mark.parametrize(("damage", "finished"), [("cut", False), ("changed", True), ("gone", False)])
def test_a_damaged_part_is_done_again(
    monkeypatch, explainer, source, wholes, tmp_path, reuse, damage, finished
):
    settings = replace(SETTINGS, reuse=reuse)
    if finished:
        write_answers(explainer, source, tmp_path / "out", settings)
    else:
        stopped_after(monkeypatch, 5, explainer, source, tmp_path / "out", settings)
    bad = tmp_path / "out" / ("part-00002.boxes.jsonl" if reuse else "part-00002.parquet")
    content = bad.read_bytes()
    bad.unlink()
    if damage != "gone":
        bad.write_bytes(content[:-7] if damage == "cut" else content[:-7] + b"damaged")
    with pytest.warns(UserWarning, match=f"{bad.name} is damaged or gone"):
        written = write_answers(explainer, source, tmp_path / "out", settings, resume=True)
    assert written.before == (180 if finished else 80)
    assert contents(tmp_path / "out") == wholes[reuse]


def test_a_damaged_manifest_is_an_error(explainer, source, tmp_path):
    write_answers(explainer, source, tmp_path / "out", SETTINGS)
    for content, words in (("{", "damaged"), ('{"format": "x"}', "not a batch"), ("[]", "not a batch")):
        (tmp_path / "out" / "manifest.json").write_text(content)
        with pytest.raises(InvalidInput, match=words):
            write_answers(explainer, source, tmp_path / "out", SETTINGS, resume=True)


def test_what_a_killed_run_was_writing_is_removed(monkeypatch, explainer, source, tmp_path):
    stopped_after(monkeypatch, 2, explainer, source, tmp_path / "out", SETTINGS)
    for name in ("part-00002.parquetabc.part", "manifest.jsonxyz.part"):
        (tmp_path / "out" / name).write_bytes(b"half")
    write_answers(explainer, source, tmp_path / "out", SETTINGS, resume=True)
    assert not list((tmp_path / "out").glob("*.part"))


# Something else is asked.


def test_a_folder_that_is_taken_is_refused(monkeypatch, explainer, source, tmp_path):
    stopped_after(monkeypatch, 2, explainer, source, tmp_path / "out", SETTINGS)
    with pytest.raises(InvalidInput, match=r"not finished of 40 rows; resume"):
        write_answers(explainer, source, tmp_path / "out", SETTINGS)
    write_answers(explainer, source, tmp_path / "out", SETTINGS, resume=True)
    with pytest.raises(InvalidInput, match=r"holds a finished batch of 200 rows"):
        write_answers(explainer, source, tmp_path / "out", SETTINGS)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("dear")
    for resume in (False, True):
        with pytest.raises(InvalidInput, match="is not empty"):
            write_answers(explainer, source, tmp_path / "other", SETTINGS, resume=resume)
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["letter.txt"]


OTHERWISE = {
    "the model": {"explainer": {"seed": 1}},
    "the training rows": {"explainer": {"X_train": CREDIT.X[:900]}},
    "how the model is read": {"explainer": {"class_names": ["bad", "good"]}},
    "the data file": {"data": "1"},
    "how the data file is read": {"dialect": Dialect(decimal=",")},
    "the format": {"format": "jsonl"},
    "work_limit .100000 then, 5 now": {"settings": {"work_limit": 5}},
    "time_limit .null then, 1.0 now": {"settings": {"time_limit": 1.0}},
    "reuse .false then, true now": {"settings": {"reuse": True}},
    "block .20 then, 21 now": {"settings": {"block": 21}},
    "options": {"settings": {"options": {"literals": "values"}}},
    "options .*also": {"settings": {"options": {"also": CREDIT.X + 1e-9}}},
}


@pytest.mark.parametrize("words", OTHERWISE)
def test_what_changed_is_named_and_refused(monkeypatch, explainer, source, tmp_path, words):
    stopped_after(monkeypatch, 2, explainer, source, tmp_path / "out", SETTINGS)
    before = contents(tmp_path / "out")
    other = OTHERWISE[words]
    asked = explainer_of(**other["explainer"]) if "explainer" in other else explainer
    if "data" in other:
        changed = tmp_path / source.name
        changed.write_text(source.read_text() + other["data"])
        source = changed
    settings = replace(SETTINGS, **other.get("settings", {}))
    more = {"format": other.get("format", "parquet"), "dialect": other.get("dialect", Dialect())}
    with pytest.raises(InvalidInput, match=f"cannot be continued: {words}.*changed since it began"):
        write_answers(asked, source, tmp_path / "out", settings, resume=True, **more)
    assert contents(tmp_path / "out") == before


def test_another_version_is_refused(monkeypatch, explainer, source, tmp_path):
    stopped_after(monkeypatch, 1, explainer, source, tmp_path / "out", SETTINGS)
    path = tmp_path / "out" / "manifest.json"
    path.write_text(path.read_text().replace(f'"primewood": "{pw.__version__}"', '"primewood": "0.0.7"'))
    with pytest.raises(InvalidInput, match="the version of primewood"):
        write_answers(explainer, source, tmp_path / "out", SETTINGS, resume=True)


def test_two_runs_into_one_folder_are_refused(explainer, source, tmp_path):
    with running(source, tmp_path / "out") as child:
        wait_for(tmp_path / "out" / "part-00000.parquet", child)
        with pytest.raises(InvalidInput, match="another run is writing"):
            write_answers(explainer, source, tmp_path / "out", SETTINGS, resume=True)
    assert write_answers(explainer, source, tmp_path / "out", SETTINGS, resume=True).rows == ROWS


# Nothing can be written.


def test_a_full_disk_leaves_what_is_finished(explainer, source, wholes, tmp_path):
    script = f"""
import resource, sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from batch.test_resume import SETTINGS, explainer_of
from primewood.batch.row_explainer import RowExplainer
from batch.samples import write_answers
explainer = explainer_of()
describe = RowExplainer.describe
def fill(self, result, *asked):
    if result.place == 70:
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, resource.RLIM_INFINITY))
    return describe(self, result, *asked)
RowExplainer.describe = fill
try:
    write_answers(explainer, {str(source)!r}, {str(tmp_path / "out")!r}, SETTINGS)
except OSError as problem:
    print(problem.filename, problem.strerror)
"""
    # -B: Python does not notice that it could write only half of a file of bytecode.
    done = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout == f"{tmp_path / 'out' / 'part-00003.parquet'} {os.strerror(27)}\n", done
    held = contents(tmp_path / "out")
    assert sorted(held) == ["manifest.json", *(f"part-0000{i}.parquet" for i in range(3))]
    assert json.loads(held["manifest.json"])["rows"] == 60
    write_answers(explainer, source, tmp_path / "out", SETTINGS, resume=True)
    assert contents(tmp_path / "out") == wholes[False]


@contextmanager
def full_disk(monkeypatch, name, times):
    """A context in which a file is written so many times, and after that onto a disk that is full.

    Its temporary file is then a link to /dev/full, so that the system itself says that there is no space left.
    """
    make, count = files.create_beside, [0]

    def making(path):
        count[0] += path.name == name
        if path.name != name or count[0] <= times:
            return make(path)
        link = path.with_name(f"{name}full.part")
        link.symlink_to("/dev/full")
        return link.open("wb")

    with monkeypatch.context() as patched:
        patched.setattr(files, "create_beside", making)
        yield


@with_full
@pytest.mark.parametrize("reuse", [False, True])
@pytest.mark.parametrize(
    ("name", "times", "rows"),
    [
        ("part-00000.parquet", 0, 0),
        ("part-00003.parquet", 0, 60),
        ("part-00003.timings.jsonl", 0, 60),
        ("manifest.json", 4, 60),  # which is written once at the beginning, and once for each part
        ("manifest.json", 11, 200),
    ],
)
def test_no_space_left_leaves_what_is_finished(
    monkeypatch, explainer, source, wholes, tmp_path, name, times, rows, reuse
):
    settings = replace(SETTINGS, reuse=reuse)
    with full_disk(monkeypatch, name, times), pytest.raises(OSError, match=r"No space left") as problem:
        write_answers(explainer, source, tmp_path / "out", settings)
    assert problem.value.errno == errno.ENOSPC and problem.value.filename == str(tmp_path / "out" / name)
    assert Path("/dev/full").is_char_device() and not list((tmp_path / "out").glob("*.part"))
    begun = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert begun["rows"] == rows and not begun["finished"]
    held = contents(tmp_path / "out")
    listed = [file for part in begun["parts"] for file in part["files"]]
    assert all(held[file] == wholes[reuse][file] for file in listed)
    with full_disk(monkeypatch, name, 0), pytest.raises(OSError, match=r"No space left"):
        write_answers(explainer, source, tmp_path / "out", settings, resume=True)
    assert contents(tmp_path / "out") == held
    written = write_answers(explainer, source, tmp_path / "out", settings, resume=True)
    assert written.before == rows and contents(tmp_path / "out") == wholes[reuse]


@with_full
def test_no_space_left_for_the_beginning_leaves_nothing_behind(
    monkeypatch, explainer, source, wholes, tmp_path
):
    with full_disk(monkeypatch, "manifest.json", 0), pytest.raises(OSError, match=r"No space left"):
        write_answers(explainer, source, tmp_path / "out", SETTINGS)
    assert contents(tmp_path / "out") == {}
    write_answers(explainer, source, tmp_path / "out", SETTINGS)
    assert contents(tmp_path / "out") == wholes[False]


def test_ctrl_c_leaves_what_is_finished(monkeypatch, explainer, source, wholes, tmp_path):
    stopped_after(monkeypatch, 3, explainer, source, tmp_path / "out", SETTINGS, KeyboardInterrupt, n_jobs=2)
    write_answers(explainer, source, tmp_path / "out", SETTINGS, resume=True)
    assert contents(tmp_path / "out") == wholes[False]
