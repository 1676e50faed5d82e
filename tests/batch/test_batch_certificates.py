"""Certificates of batches: written beside the parts, the same in every run, checked together."""

from __future__ import annotations

import json
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import primewood as pw
from primewood.batch.folder import Folder
from primewood.errors import CertificateRejected, InvalidInput


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 5)).round(1), columns=list("abcde"))
    X.loc[20:39] = X.loc[0:19].to_numpy()  # rows in the cells of others
    return X, (X.a + X.b * X.c > 0.3).astype(int)


@pytest.fixture(scope="module")
def explainer(table):
    X, y = table
    return pw.Explainer(RandomForestClassifier(12, max_depth=4, random_state=0).fit(X, y), X)


@pytest.fixture
def source(table, tmp_path):
    path = tmp_path / "rows.csv"
    table[0].to_csv(path, index=False)
    return path


def explain(explainer, source, folder, **more):
    options = {"format": "jsonl", "part_rows": 50, "certificates": True, **more}
    return explainer.explain_file(source, folder, **options)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if "timings" not in path.name}


def read_rows(folder):
    return [
        json.loads(line)
        for path in sorted(folder.glob("part-?????.jsonl"))
        for line in path.read_text().splitlines()
    ]


def test_every_proved_row_has_a_certificate_that_is_confirmed(explainer, source, tmp_path):
    written = explain(explainer, source, tmp_path / "out")
    found = written.confirm()
    assert (found.rows, found.confirmed, found.without) == (120, 120, 0)
    assert str(found) == f"Confirmed: the certificates of 120 of 120 rows in {tmp_path / 'out'}."
    rows = read_rows(tmp_path / "out")
    assert rows[0]["certificate"] == rows[20]["certificate"]  # of one cell


def test_a_certificate_of_a_batch_is_that_of_the_row(explainer, source, table, tmp_path):
    explain(explainer, source, tmp_path / "out")
    row = read_rows(tmp_path / "out")[7]
    with ZipFile(tmp_path / "out" / "part-00000.certificates.zip") as archive:
        content = archive.read(row["certificate"] + ".pwcert")
    alone = explainer.explain(table[0].iloc[[7]]).certificate()
    assert content == alone.content
    (tmp_path / "7.pwcert").write_bytes(content)
    assert "this model decides" in str(pw.confirm(tmp_path / "out" / "ensemble.json", tmp_path / "7.pwcert"))


def test_the_same_bytes_come_from_several_workers_and_from_a_run_that_went_on(explainer, source, tmp_path):
    explain(explainer, source, tmp_path / "one")
    explain(explainer, source, tmp_path / "two", n_jobs=2)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    (tmp_path / "two" / "part-00001.certificates.zip").unlink()
    with pytest.warns(UserWarning, match=r"part-00001\.certificates\.zip is damaged or gone"):
        explain(explainer, source, tmp_path / "two", resume=True)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_a_batch_that_goes_on_must_want_certificates_as_before(explainer, source, tmp_path):
    explain(explainer, source, tmp_path / "out", certificates=False)
    with pytest.raises(InvalidInput, match="certificates \\(false then, true now\\)"):
        explain(explainer, source, tmp_path / "out", resume=True)


def test_rows_that_take_over_an_explanation_are_counted_apart(explainer, source, tmp_path):
    found = explain(explainer, source, tmp_path / "out", reuse=True).confirm()
    assert found.taken_over > 0
    assert found.confirmed + found.taken_over == 120


def test_rows_without_a_proof_say_why_in_their_notes(explainer, source, tmp_path):
    explain(explainer, source, tmp_path / "out", near_features=2)
    assert all(
        row["certificate"] is None and "near_features is not covered" in row["notes"][-1]
        for row in read_rows(tmp_path / "out")
        if row["status"] == "proved"
    )


def test_predictions_near_their_own_are_certified(table, source, tmp_path):
    X, _ = table
    model = RandomForestRegressor(8, max_depth=3, random_state=0).fit(X, X.a - X.b)
    found = explain(pw.Explainer(model, X), source, tmp_path / "out", within=0.5).confirm()
    assert (found.confirmed, found.without) == (120, 0)


def test_a_changed_certificate_is_found(explainer, source, tmp_path):
    folder = tmp_path / "out"
    explain(explainer, source, folder)
    other = folder / "part-00001.certificates.zip"
    changed = folder / "part-00000.certificates.zip"
    changed.write_bytes(other.read_bytes())
    with pytest.raises(CertificateRejected, match=r"row 0: its certificate \w+ is missing or changed"):
        explain_again = pw.answers.Written(folder, 120, 3)
        explain_again.confirm()
    changed.write_bytes(b"no archive")
    with pytest.raises(InvalidInput, match="not an archive of certificates"):
        explain_again.confirm()


def test_certificates_are_about_the_model_in_the_folder(explainer, source, table, tmp_path):
    X, y = table
    written = explain(explainer, source, tmp_path / "out")
    other = pw.read(RandomForestClassifier(12, max_depth=4, random_state=1).fit(X, y))
    other.save(tmp_path / "other.json")
    with pytest.raises(CertificateRejected, match="another ensemble file"):
        written.confirm(tmp_path / "other.json")


def test_one_file_has_no_place_for_certificates(explainer, source, tmp_path):
    with pytest.raises(InvalidInput, match="certificates go into a folder of parts"):
        explainer.explain_file(source, tmp_path / "out.csv", certificates=True)


def test_a_folder_without_certificates_cannot_be_confirmed(explainer, source, tmp_path):
    written = explain(explainer, source, tmp_path / "out", certificates=False)
    assert Folder(tmp_path / "out").manifest().finished
    with pytest.raises(InvalidInput, match="has no certificates"):
        written.confirm()
