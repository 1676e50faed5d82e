"""The tests themselves: the same however, wherever and whenever they are started."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import rotation
from children import run_child

ROOT = Path(__file__).parents[1]
WAITING = "import time; print('ready', flush=True); time.sleep(60)"


def test_ctrl_c_is_heard_in_a_child():
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with run_child([sys.executable, "-c", WAITING], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout.readline() == b"ready\n"
        child.send_signal(signal.SIGINT)
        assert b"KeyboardInterrupt" in child.communicate(timeout=60)[1]
    assert child.returncode == -signal.SIGINT


BACKGROUND = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


def test_ctrl_c_is_heard_where_the_tests_are_a_background_job():
    """There the shell lets them ignore it."""
    test = f"{__file__}::test_ctrl_c_is_heard_in_a_child"
    command = [sys.executable, "-c", BACKGROUND, "-m", "pytest", "-q", "-p", "no:cacheprovider", test]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout


def test_a_child_does_not_outlive_its_test(recwarn):
    with (
        pytest.raises(AssertionError),
        run_child([sys.executable, "-c", WAITING], stdout=subprocess.PIPE) as child,
    ):
        raise AssertionError("the test fails while its child runs")
    assert child.returncode == -signal.SIGKILL and child.stdout.closed
    with pytest.raises(ProcessLookupError):
        os.kill(child.pid, 0)
    del child
    gc.collect()
    assert not recwarn.list


def commit(folder, text):
    (folder / "text").write_text(text)
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    for command in (["add", "."], [*identity, "commit", "-q", "-m", text]):
        subprocess.run(["git", "-C", str(folder), *command], check=True)
    return rotation.find_commit(folder)


@pytest.fixture
def outside(tmp_path, monkeypatch):
    """A folder that is in no repository."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_the_commit_chooses_the_slow_tests(outside):
    subprocess.run(["git", "init", "-q", str(outside)], check=True)
    commits = [commit(outside, str(i)) for i in range(3)]
    assert len(set(commits)) == 3
    for name in commits:
        subprocess.run(["git", "-C", str(outside), "checkout", "-q", name], check=True)
        assert rotation.choose_part(outside) == int(name, 16) % rotation.PARTS


def test_without_a_repository_the_sources_choose_the_slow_tests(outside):
    (outside / "src").mkdir()
    parts = set()
    for i in range(120):
        (outside / "src" / "module.py").write_text(f"x = {i}\n")
        parts.add(rotation.choose_part(outside))
        assert rotation.find_commit(outside) is None
    assert parts == set(range(rotation.PARTS))


def test_without_git_the_sources_choose_the_slow_tests(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert rotation.choose_part(ROOT) == int(rotation.digest_sources(ROOT), 16) % rotation.PARTS


def named(name, *markers):
    return SimpleNamespace(nodeid=name, keywords=dict.fromkeys(markers))


def test_each_slow_test_is_in_one_part_and_each_quick_one_in_all():
    slow, quick = [named(f"test_slow[{i}]", "slow") for i in range(40)], named("test_quick")
    taken = []
    for part in range(rotation.PARTS):
        kept, left_out = rotation.divide([quick, *slow], part)
        assert kept[0] is quick and len(kept) + len(left_out) == 41
        taken += kept[1:]
    assert sorted(test.nodeid for test in taken) == sorted(test.nodeid for test in slow)


def test_a_run_says_which_part_it_takes(outside):
    """And takes it, though a configuration says to take none."""
    (outside / "pytest.ini").write_text("[pytest]\naddopts = -m 'not slow'\nmarkers = slow\n")
    several = '@pytest.mark.slow\n@pytest.mark.parametrize("i", range(40))\ndef test_slow(i): pass\n'
    (outside / "test_it.py").write_text(f"import pytest\n{several}def test_quick(): pass\n")
    for name in ("conftest.py", "rotation.py"):
        shutil.copy(ROOT / "tests" / name, outside)
    command = [sys.executable, "-m", "pytest", "--rotate-slow", "--collect-only"]
    done = subprocess.run(command, cwd=outside, capture_output=True, text=True, timeout=120)
    part = rotation.choose_part(outside)
    count = sum(rotation.part_of(f"test_it.py::test_slow[{i}]") == part for i in range(40))
    assert f"--slow-part {part}\n" in done.stdout and f"{1 + count}/41 tests collected" in done.stdout
    assert done.stdout.count("<Function test_slow[") == count and "<Function test_quick>" in done.stdout
