"""All rows of a file into a folder from the command line, stopped and gone on with; and what is told of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from children import run_child

PROGRAM = [sys.executable, "-m", "primewood"]
WORK = ("--set", "work_limit=100000")
with_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")


def contents(folder):
    return {
        path.name: path.read_bytes()
        for path in sorted(folder.iterdir())
        if path.name != "lock" and "timings" not in path.name
    }


def rules_of(folder):
    parts = sorted(folder.glob("part-*.parquet"))
    return [rule for path in parts for rule in pd.read_parquet(path)["rule"]]


@pytest.fixture
def many(files, tmp_path):
    """A file of many rows, so that a run takes a while."""
    rows = pd.read_csv(files / "train.csv")
    path = tmp_path / "many.csv"
    pd.concat([rows + k / 7 for k in range(100)]).to_csv(path, index=False)
    return path


def test_all_rows_are_explained_into_a_folder(files, call, tmp_path):
    alone = call("explain", "forest.skops", "rows.csv", "--train", "train.csv", "--every-row", "--json")
    told = [json.loads(line) for line in alone.out.splitlines()]
    done = call("explain", "forest.skops", "rows.csv", "--train", "train.csv", "-o", tmp_path / "out")
    assert done.code == 0 and "is finished: 60 rows in 1 part\n" in done.err
    assert done.out.startswith("60 explanations: proved (60)\n") and "time per row: median" in done.out
    frame = pd.read_parquet(tmp_path / "out" / "part-00000.parquet")
    assert frame["coverage"].tolist() == [document["coverage"] for document in told]
    assert frame["decision"].tolist() == [document["decision"] for document in told]
    assert frame["literals"].map(len).gt(0).all()


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_files_of_other_kinds(files, call, tmp_path, ending):
    rows = pd.read_csv("rows.csv")
    path = tmp_path / f"rows.{ending}"
    rows.to_parquet(path) if ending == "parquet" else rows.to_json(path, orient="records", lines=True)
    for source, folder in (("rows.csv", "a"), (path, "b")):
        done = call("explain", "forest.skops", source, *WORK, "-o", tmp_path / folder, "--jobs", 2)
        assert done.code == 0 and "no coverage without training rows" in done.err
    assert rules_of(tmp_path / "a") == rules_of(tmp_path / "b") and len(rules_of(tmp_path / "a")) == 60


def test_options_reach_the_explanations(files, call, tmp_path):
    asked = ("explain", "forest.skops", "rows.csv", "--literals", "values", "--avoid", "shoe")
    done = call(
        *asked,
        "-o",
        tmp_path / "out",
        "--set",
        "format=jsonl",
        "--reuse",
        "--set",
        "batch_limit=60",
        "--set",
        "part_rows=50",
    )
    assert done.code == 0
    lines = (tmp_path / "out" / "part-00000.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    assert {record["literal_language"] for record in found} == {"values"}
    assert all((record["if shoe"] is None) == (record["status"] == "proved") for record in found)
    settings = json.loads((tmp_path / "out" / "manifest.json").read_text())["settings"]
    assert settings["reuse"] and settings["batch_limit"] == 60 and settings["time_limit"] == 10
    assert settings["block"] == 50
    assert settings["options"]["avoid"] == ["shoe"]


def test_a_work_limit_alone_takes_no_time_into_account(files, call, tmp_path):
    call("explain", "forest.skops", "rows.csv", *WORK, "-o", tmp_path / "out")
    settings = json.loads((tmp_path / "out" / "manifest.json").read_text())["settings"]
    assert settings["time_limit"] is None and settings["work_limit"] == 100_000


def test_limits_reach_single_explanations(files, call, monkeypatch):
    from primewood.explainer import Explainer

    explain, limits = Explainer.explain, []

    def explaining(self, x, **options):
        limits.append((options["time_limit"], options["work_limit"]))
        return explain(self, x, **options)

    monkeypatch.setattr(Explainer, "explain", explaining)
    for more in ((), WORK, ("--time-limit", 3), (*WORK, "--time-limit", 3)):
        assert call("explain", "forest.skops", "rows.csv", *more).code == 0
    assert limits == [(10.0, None), (None, 100_000), (3.0, None), (3.0, 100_000)]


def test_training_rows_of_a_parquet_file(files, call, tmp_path):
    pd.read_csv("train.csv").to_parquet(tmp_path / "train.parquet")
    told = [
        call("explain", "forest.skops", "rows.csv", "--train", train)
        for train in ("train.csv", tmp_path / "train.parquet")
    ]
    assert told[0].code == 0 and told[0] == told[1] and "Covers" in told[0].out


def test_a_regressor_needs_a_question(files, call, tmp_path):
    from sklearn.ensemble import RandomForestRegressor

    import primewood as pw

    rows = pd.read_csv("rows.csv")
    forest = RandomForestRegressor(3, max_depth=3, random_state=0).fit(rows, rows.income)
    pw.read(forest).save(tmp_path / "model.json")
    refused = call("explain", tmp_path / "model.json", "rows.csv", "-o", tmp_path / "out")
    assert refused.code == 2 and "--within E" in refused.err and not (tmp_path / "out").exists()
    done = call("explain", tmp_path / "model.json", "rows.csv", "-o", tmp_path / "out", "--within", 9)
    assert done.code == 0 and len(rules_of(tmp_path / "out")) == 60


def test_what_does_not_go_together_is_refused(files, call, tmp_path):
    asked = ("explain", "forest.skops", "rows.csv")
    for more, words in (
        (("--resume",), "pass -o FILE or -o FOLDER"),
        (("--jobs", 2), "pass -o FILE or -o FOLDER"),
        (("--set", "part_rows=5"), "pass -o FILE or -o FOLDER"),
        (("-o", tmp_path / "out", "--row", 3), "--row cannot be combined with -o"),
        (("-o", tmp_path / "out", "--all"), "--all cannot be combined with -o"),
        (
            ("-o", tmp_path / "out", "--witnesses", "--set", "exact=true"),
            "--witnesses and --set exact cannot be combined with -o",
        ),
        (
            ("-o", tmp_path / "out", "--jobs", 2, "--set", "dask=tcp://x:1"),
            "pass either --jobs or --set dask",
        ),
        (("-o", "rows.csv"), "rows.csv is the file of rows itself"),
        (("-o", "forest.skops"), "is not a folder"),
    ):
        done = call(*asked, *more)
        assert done.code == 2 and words in done.err and not done.out, more
    assert call("explain", "forest.skops", "-", "-o", tmp_path / "out").code == 2
    assert not (tmp_path / "out").exists()


def test_a_folder_is_taken_until_it_is_gone_on_with(files, call, tmp_path):
    asked = ("explain", "forest.skops", "rows.csv", "-o", tmp_path / "out", *WORK)
    assert call(*asked).code == 0
    again = call(*asked)
    assert again.code == 2 and "--resume" in again.err
    done = call(*asked, "--resume")
    assert done.code == 0 and "was finished already" in done.err
    other = call("explain", "new.skops", *asked[2:], "--resume")
    assert other.code == 2 and "the model" in other.err and "changed since it began" in other.err


def test_the_summary_counts_what_is_there(files, call, tmp_path):
    rows = pd.read_csv("rows.csv").astype(object)
    rows.iloc[7, 0] = "much"
    rows.to_csv(tmp_path / "rows.csv", index=False)
    asked = ("explain", "forest.skops", tmp_path / "rows.csv", "--train", "train.csv", "-o", tmp_path / "out")
    direct = json.loads(call(*asked, "--json").out)
    told = json.loads(call("summarise", tmp_path / "out", "--json").out)
    assert told == direct and told["statuses"] == {"proved": 59, "failed": 1} and told["finished"]
    frame = pd.read_parquet(tmp_path / "out" / "part-00000.parquet")
    assert told["decisions"] == frame["decision"].value_counts().to_dict()
    assert told["features"]["income"] == frame["if income"].notna().sum()
    assert told["coverage"]["median"] == frame["coverage"].median()
    assert set(told["seconds"]) == {"median", "95th percentile", "worst"}
    words = call("summarise", tmp_path / "out").out
    assert "proved (59), failed (1)" in words and "features used: " in words


def test_a_folder_that_is_none(files, call, tmp_path):
    done = call("summarise", tmp_path)
    assert done.code == 2 and "not a folder of a batch" in done.err and not done.out
    assert call("summarise", tmp_path / "absent").code == 2


def stop(signal_number, many, folder):
    asked = [*PROGRAM, "explain", "forest.skops", many, *WORK, "-o", folder]
    with run_child(asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        while not (folder / "part-00001.parquet").exists():
            assert child.poll() is None, child.communicate()
            time.sleep(0.01)
        child.send_signal(signal_number)
        out, err = child.communicate(timeout=60)
    return child.returncode, out, err


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_is_stopped_goes_on(files, call, many, tmp_path, number):
    code, out, err = stop(number, many, tmp_path / "out")
    assert not out and "Traceback" not in err
    if number == signal.SIGINT:
        assert code == 130 and "are finished and stay" in err and "--resume continues" in err
    so_far = call("summarise", tmp_path / "out")
    assert so_far.code == 0 and so_far.out.startswith("not finished")
    done = call("explain", "forest.skops", many, *WORK, "-o", tmp_path / "out", "--resume")
    assert done.code == 0 and "by an earlier run" in done.err
    assert call("explain", "forest.skops", many, *WORK, "-o", tmp_path / "whole").code == 0
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_a_full_disk_is_one_message(files, tmp_path):
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000));"
    script = f"{limit} from primewood.cli.main import run; run()"
    asked = ["explain", "forest.skops", "rows.csv", "-o", str(tmp_path / "out"), *WORK]
    # -B: Python does not notice that it could write only half of a file of bytecode.
    command = [sys.executable, "-B", "-c", script, *asked]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and not done.stdout and "Traceback" not in done.stderr
    assert f"part-00000.parquet: {os.strerror(27)}" in done.stderr
    assert "0 rows in 0 parts are finished and stay" in done.stderr and "--resume" in done.stderr
    assert [name for name in contents(tmp_path / "out") if name.endswith("part")] == []


FULL = """
from primewood import files
from primewood.cli.main import run

make = files.create_beside

def making(path):
    if not path.name.startswith({name!r}) or not any(path.parent.glob({after!r})):
        return make(path)
    link = path.with_name(path.name + ".part")
    link.symlink_to("/dev/full")
    return link.open("wb")

files.create_beside = making
run()
"""
"""The command line where the temporary file of some name is a link to /dev/full, once there is another file."""


@pytest.mark.slow
@with_full
@pytest.mark.parametrize(
    ("name", "after", "parts"),
    [
        ("part-00000.parquet", "lock", 0),
        ("part-00002.parquet", "lock", 2),
        ("manifest.json", "part-00002.parquet", 2),
    ],
)
def test_no_space_left_is_one_message(files, call, tmp_path, name, after, parts):
    rows = pd.read_csv("train.csv")
    pd.concat([rows] * 8).to_csv(tmp_path / "rows.csv", index=False)
    asked = ["explain", "forest.skops", str(tmp_path / "rows.csv"), *WORK, "-o"]
    script = FULL.format(name=name, after=after)
    done = subprocess.run(
        [sys.executable, "-c", script, *asked, str(tmp_path / "out")],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2 and not done.stdout
    assert done.stderr.splitlines()[1:] == [
        f"{parts * 1000:,} rows in {parts} parts are finished and stay in {tmp_path / 'out'}; "
        "the same call with --resume continues",
        f"primewood: {tmp_path / 'out' / name}: {os.strerror(28)}",
    ]
    assert call("summarise", tmp_path / "out").code == 0
    assert call(*asked, tmp_path / "out", "--resume").code == 0
    assert call(*asked, tmp_path / "whole").code == 0
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def onto_full(*asked):
    with Path("/dev/full").open("wb") as full:
        return subprocess.run(
            [*PROGRAM, *map(str, asked)], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
        )


@with_full
@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_answers_that_cannot_be_printed_are_one_message(files, call, tmp_path, more):
    asked = ("explain", "forest.skops", "rows.csv", *WORK, "-o")
    done = onto_full(*asked, tmp_path / "out", *more)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert done.stderr.splitlines()[1:] == [
        f"{tmp_path / 'out'} is finished: 60 rows in 1 part",
        f"primewood: {os.strerror(28)}",
    ]
    assert call(*asked, tmp_path / "whole", *more).code == 0
    held = contents(tmp_path / "out")
    assert held == contents(tmp_path / "whole")
    told = onto_full("summarise", tmp_path / "out", *more)
    assert (told.returncode, told.stderr) == (2, f"primewood: {os.strerror(28)}\n")
    assert contents(tmp_path / "out") == held
    again = call("summarise", tmp_path / "out", "--json")
    assert again.code == 0 and json.loads(again.out)["finished"]


def test_a_long_run_tells_in_a_log_how_far_it_is(files, call, tmp_path, monkeypatch):
    from primewood import progress

    asked = ("explain", "forest.skops", "rows.csv", *WORK, "-o")
    assert "explaining" not in call(*asked, tmp_path / "short").err
    for name in ("PATIENCE", "LOGGED", "WIDEST"):
        monkeypatch.setattr(progress, name, 0.001)
    done = call(*asked, tmp_path / "long")
    assert done.code == 0 and "explaining" not in done.out
    assert any(line.startswith("explaining: ") and " in 0 s, " in line for line in done.err.splitlines())


@pytest.mark.slow
def test_rows_are_shared_out_on_a_cluster(files, tmp_path):
    script = f"""
from distributed import LocalCluster
from primewood.cli.main import run

if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        run(["explain", "forest.skops", "rows.csv", *{WORK!r}, "-o", {str(tmp_path / "a")!r}, "--set",
             "dask=" + cluster.scheduler_address])
"""
    (tmp_path / "cluster.py").write_text(script)
    done = subprocess.run(
        [sys.executable, tmp_path / "cluster.py"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    asked = ["explain", "forest.skops", "rows.csv", *WORK, "-o", str(tmp_path / "b")]
    assert subprocess.run([*PROGRAM, *asked], capture_output=True, timeout=60).returncode == 0
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_a_cluster_that_is_not_there(files, call, tmp_path):
    asked = ("explain", "forest.skops", "rows.csv", "-o", tmp_path / "out", "--set", "dask=nonsense")
    done = call(*asked)
    assert done.code == 2 and "no Dask scheduler at nonsense" in done.err
