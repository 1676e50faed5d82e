"""Certificates on the command line: every command that proves writes one, and `confirm` checks it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import primewood.certify

CHECKERS = Path(primewood.certify.__file__).parent
ROW = ("forest.skops", "rows.csv", "--row", 3)
WRITERS = {
    "explain": ("explain", *ROW),
    "shortest": ("explain", *ROW, "--goal", "shortest"),
    "flip": ("flip", *ROW),
    "robustness": ("flip", *ROW, "--robustness"),
    "l0": ("flip", *ROW, "--robustness", "--norm", "l0"),
    "rule": ("verify", "forest.skops", "--rule", "income < 20 -> denied"),
    "letter": ("adverse-action", *ROW, "--favourable", "approved"),
}
SAID = {
    "explain": "this model decides denied",
    "shortest": "No set of features that is smaller suffices.",
    "flip": "No row",
    "robustness": "That covers every row in which",
    "l0": "No row",
    "rule": "this model decides denied",
    "letter": "this model decides approved",
}


@pytest.fixture(scope="module")
def checkers(tmp_path_factory):
    """The two files of the checker, alone in a folder."""
    folder = tmp_path_factory.mktemp("checkers")
    for name in ("check.py", "check_more.py"):
        shutil.copy(CHECKERS / name, folder)
    return folder


@pytest.mark.parametrize("name", WRITERS)
def test_commands_write_certificates_that_are_confirmed(files, call, tmp_path, checkers, name):
    path = tmp_path / "answer.pwcert"
    done = call(*WRITERS[name], "--certificate", path)
    assert done.code == 0 and f"written to {path}" in done.err
    confirmed = call("confirm", "ensemble.json", path)
    assert confirmed.code == 0 and confirmed.out.startswith("Confirmed (") and SAID[name] in confirmed.out
    alone = subprocess.run(
        [sys.executable, "-S", "-c", run_alone("check_more"), "ensemble.json", path],
        cwd=files,
        env={"PYTHONPATH": f"{checkers}:{numpy_only(tmp_path)}"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (alone.returncode, alone.stdout, alone.stderr) == (0, confirmed.out, "")


def run_alone(module):
    return (
        f"import runpy, sys; sys.argv[0] = '{module}.py'; runpy.run_module('{module}', run_name='__main__')"
    )


def numpy_only(tmp_path):
    """A folder on the path in which numpy is the only package."""
    import numpy

    folder = tmp_path / "packages"
    folder.mkdir()
    places = Path(numpy.__file__).parent
    (folder / "numpy").symlink_to(places)
    for libraries in places.parent.glob("numpy.libs"):
        (folder / "numpy.libs").symlink_to(libraries)
    return folder


def test_the_core_checker_runs_alone_as_the_docs_say(files, checkers):
    found = subprocess.run(
        [sys.executable, checkers / "check.py", "ensemble.json", "case-17.pwcert"],
        cwd=files,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert found.returncode == 0 and found.stdout.startswith("Confirmed (")


def test_the_core_checker_names_the_file_that_checks_more(files, call, tmp_path, checkers):
    path = tmp_path / "nearest.pwcert"
    call("flip", *ROW, "--certificate", path)
    found = subprocess.run(
        [sys.executable, checkers / "check.py", "ensemble.json", path],
        cwd=files,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert found.returncode == 1 and "check_more.py" in found.stdout


def test_the_letter_names_its_certificate(files, call, tmp_path):
    path, letter = tmp_path / "letter.pwcert", tmp_path / "letter.txt"
    done = call(*WRITERS["letter"], "--certificate", path, "--letter", letter, "--json")
    from hashlib import sha256

    digest = sha256(path.read_bytes()).hexdigest()
    assert json.loads(done.out)["certificate"] == digest
    assert digest in re.sub(r"\s", "", letter.read_text())


def test_what_is_not_proved_has_no_certificate_and_says_why(files, call, tmp_path):
    path = tmp_path / "none.pwcert"
    done = call("verify", "forest.skops", "--rule", "income > 20 -> denied", "--certificate", path)
    assert done.code == 1 and "there is no certificate: the outcome is fails" in done.err
    done = call("explain", *ROW, "--set", "near_features=1", "--certificate", path)
    assert done.code == 3 and "near_features is not covered" in done.err
    assert not path.exists()


@pytest.mark.parametrize(
    ("call_with", "words"),
    [
        (("explain", *ROW, "--row", 4), "pass one --row"),
        (("flip", "forest.skops", "rows.csv", "--row", 1, "--row", 2), "pass one --row"),
        (("adverse-action", *ROW, "--row", 4, "--favourable", "approved"), "pass one --row"),
        (("verify", "forest.skops", "--never", "denied", "--never", "approved", "--at-most", 1), "pass one"),
        (("explain", "forest.skops", "rows.csv", "-o", "somewhere"), "cannot be combined with -o"),
    ],
)
def test_a_certificate_is_about_one_answer(files, call, tmp_path, call_with, words):
    done = call(*call_with, "--certificate", tmp_path / "x.pwcert")
    assert done.code == 2 and words in done.err


def test_two_models_that_decide_alike(files, call, tmp_path):
    path = tmp_path / "alike.pwcert"
    done = call("compare", "old.json", "copy.json", "--certificate", path)
    assert done.code == 0
    said = call("confirm", "old.json", path, "--other", "copy.json")
    assert said.code == 0 and "The two models decide alike on every row." in said.out
    said = call("confirm", "old.json", path, "--other", "new.json", "--json")
    assert said.code == 1 and json.loads(said.out)["confirmed"] is False
    said = call("confirm", "old.json", path)
    assert said.code == 1 and "a wrong number of ensemble files" in said.out


def test_all_certificates_of_a_folder(files, call):
    done = call("confirm", "ensemble.json", "certified")
    assert done == (0, "Confirmed: the certificates of 60 of 60 rows in certified.\n", "")
    done = call("confirm", "new.json", "certified", "--json")
    assert done.code == 1 and "row 0: the certificate is about another ensemble file" in done.out
    assert call("confirm", "ensemble.json", "explained").code == 2


def test_a_report_lists_its_certificates(files, call, tmp_path):
    page, folder = tmp_path / "audit.html", tmp_path / "proofs"
    done = call(
        *("report", "forest.skops", "rows.csv", "-o", page, "--rows", 2, "--sample", 5),
        *("--rule", "income < 20 -> denied", "--certificates", folder),
    )
    assert done.code == 0 and "5 certificates written to" in done.err
    text = page.read_text()
    for path in folder.glob("*.pwcert"):
        assert path.stem in text
        assert call("confirm", folder / "ensemble.json", path).code == 0


def test_files_that_are_no_certificates_are_refused(files, call):
    for wrong in ("rows.csv", "ensemble.json", "forest.skops"):
        done = call("confirm", "ensemble.json", wrong)
        assert done.code == 1 and "not a gzip file" in done.out
    done = call("confirm", "rows.csv", "case-17.pwcert")
    assert done.code == 1 and "the ensemble file is not JSON" in done.out
    assert call("confirm", "ensemble.json", "missing.pwcert").code == 2
