"""Records are the same in every process, and their comparison finds what differs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from records.comparison import Comparison, Records
from records.models import RECIPES
from records.questions import QUESTIONS
from records.recorder import TOTAL, plain, write_records

KIND, COUNT = "majority", 12
TESTS = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("records") / "here.jsonl"
    write_records(path, [KIND], COUNT)
    return path


def run(*arguments, **environment):
    command = [sys.executable, "-m", "records", *map(str, arguments)]
    path = os.pathsep.join([str(TESTS), *sys.path])
    return subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def changed(path, change):
    """A copy of a file in which one record is changed; None leaves it out."""
    header, *questions = path.read_text().splitlines()
    places = [i for i, line in enumerate(questions) if json.loads(line)["work"]["nodes"] > 0]
    record = change(json.loads(questions[places[0]]))
    questions[places[0]] = None if record is None else json.dumps(record)
    other = path.with_name("changed.jsonl")
    other.write_text("\n".join(line for line in [header, *questions] if line))
    return other


def told(path, other, **options):
    found = Comparison(Records.read(path), Records.read(other), **options)
    return found.same, "\n".join(found.lines())


@pytest.mark.slow
def test_another_process_with_another_hash_seed_writes_the_same_bytes(written, tmp_path):
    other = tmp_path / "there.jsonl"
    ran = run("write", other, "--questions", COUNT, "--kinds", KIND, PYTHONHASHSEED="12")
    assert ran.returncode == 0, ran.stderr
    assert other.read_bytes() == written.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("kind", RECIPES)
def test_every_question_has_the_same_record_in_every_process(kind, tmp_path):
    paths = [tmp_path / f"{seed}.jsonl" for seed in (1, 2)]
    for seed, path in enumerate(paths):
        ran = run("write", path, "--questions", len(QUESTIONS), "--kinds", kind, PYTHONHASHSEED=str(seed))
        assert ran.returncode == 0, ran.stderr
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_every_question_is_asked_of_every_kind_of_model():
    assert len(RECIPES) == 12
    assert len(QUESTIONS) <= TOTAL // len(RECIPES)


def test_a_record_counts_search_nodes(written):
    records = Records.read(written).questions.values()
    assert sum(record["work"]["nodes"] for record in records) > 100
    assert {"proved", "interrupted"} <= {record["status"] for record in records}


def test_a_record_holds_no_time():
    assert plain({"seconds": 1.5, "history": [(0.25, 2, 3)]}) == {"seconds": None, "history": [[2, 3]]}


def test_a_file_is_the_same_as_itself(written):
    ran = run("compare", written, written)
    assert ran.returncode == 0
    assert f"{COUNT} of {COUNT} shared questions have the same record" in ran.stdout


def test_a_changed_answer_is_named_with_both_values(written):
    other = changed(written, lambda record: {**record, "status": "guessed"})
    ran = run("compare", written, other, "--ignore-nodes")
    assert ran.returncode == 1
    assert 'status\n    first:  "' in ran.stdout
    assert 'second: "guessed"' in ran.stdout


def test_changed_nodes_are_a_difference_unless_they_are_ignored(written):
    def search_more(record):
        return {**record, "work": {**record["work"], "nodes": record["work"]["nodes"] + 1000}}

    other = changed(written, search_more)
    same, text = told(written, other)
    assert not same
    assert "work.nodes" in text
    assert "1 questions differ" in text
    assert told(written, other, ignore_nodes=True)[0]


def test_a_question_in_one_file_only_is_a_difference(written):
    other = changed(written, lambda record: None)
    for pair, which in (((written, other), "first"), ((other, written), "second")):
        same, text = told(*pair)
        assert not same
        assert f"1 questions are only in the {which} file" in text


def test_other_models_are_told_apart_from_other_answers(written):
    header, *questions = written.read_text().splitlines()
    models = {**json.loads(header)["models"], f"{KIND}, large": "0" * 16}
    other = written.with_name("models.jsonl")
    other.write_text("\n".join([json.dumps({**json.loads(header), "models": models}), *questions]))
    assert "The models differ, so their answers may: majority, large" in told(written, other)[1]


def test_a_run_that_is_stopped_leaves_nothing(tmp_path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("records.recorder.answer", stop)
    with pytest.raises(KeyboardInterrupt):
        write_records(tmp_path / "stopped.jsonl", ["tree"], 5)
    assert not list(tmp_path.iterdir())


def test_a_file_of_something_else_is_refused(tmp_path):
    (tmp_path / "other.jsonl").write_text("{}\n")
    with pytest.raises(SystemExit, match="not a file that `make record` wrote"):
        Records.read(tmp_path / "other.jsonl")
