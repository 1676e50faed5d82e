"""The command line as a person uses it: real processes, data on stdout, one clear error on stderr."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import skops.io
from pysat.formula import CNF
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier

import primewood as pw
from children import run_child

WINE = load_wine(as_frame=True)
COMMAND = [sys.executable, "-c", "from primewood.cli.main import run; run()"]
VARIABLES = ["--var", "A=1,2,3", "--var", "B=r,b,g", "--var", "C=l,m,h"]
DELTA = "(B=r | B=b) -> (A=2 & C!=h)"


@pytest.fixture
def primewood(call):
    """Call the command line and look at its exit code."""

    def called(*arguments, code=0):
        done = call(*arguments)
        assert done.code == code, done.err
        return done

    return called


def lines(done):
    return done.out.splitlines()


@pytest.fixture(scope="module")
def wine(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    forest = RandomForestClassifier(n_estimators=10, max_depth=3, random_state=0)
    skops.io.dump(forest.fit(WINE.data, WINE.target), folder / "forest.skops")
    WINE.frame.to_csv(folder / "wine.csv", index=False)
    return folder / "forest.skops", folder / "wine.csv"


def test_primes_of_an_expression(primewood):
    assert sorted(lines(primewood("primes", DELTA, *VARIABLES))) == ["A=2 & C!=h", "B=g"]
    assert lines(primewood("primes", DELTA, *VARIABLES, "--count")) == ["2"]
    assert len(lines(primewood("primes", DELTA, *VARIABLES, "--literals", "values"))) == 3
    records = [json.loads(line) for line in lines(primewood("primes", DELTA, *VARIABLES, "--json"))]
    assert {"term": "B=g", "literals": {"B": ["g"]}} in records


def test_names_that_stand_alone_are_boolean(primewood):
    done = primewood("primes", "(A | !C) & (B | C) & (A | B)")
    assert sorted(lines(done)) == ["!C & B", "A & B", "A & C"]


def test_pi_explanations_of_an_instance(primewood):
    done = primewood("primes", DELTA, *VARIABLES, "--instance", "A=1, B=r, C=m")
    assert lines(done) == ["A!=2 & B!=g"] and "negative" in done.err
    boolean = ("primes", "(A | !C) & (B | C) & (A | B)", "--instance", "A=1,B=true,C=0")
    assert sorted(lines(primewood(*boolean))) == ["!C & B", "A & B"]
    figure = ("primes", "X < 2 & Y >= -7 | 2 <= X < 6", "--var", "X<2<6", "--var", "Y<-7")
    found = lines(primewood(*figure, "--instance", "X=10,Y=-20"))
    assert sorted(found) == ["(X < 2 | X >= 6) & Y < -7", "X >= 6"]
    assert len(lines(primewood(*figure, "--engine", "sat", "--limit", "1"))) == 1


def test_encodings_are_shown_decoded_and_exported(primewood):
    example = ("encode", "X=x1 | Y=y1", "--var", "X=x1,x2,x3", "--var", "Y=y1,y2,y3")
    assert lines(primewood(*example))[1] == "Δ_b = !X_2 & !X_3 | !Y_2 & !Y_3"
    classical = primewood(*example, "--encoding", "classical")
    assert lines(classical)[1] == "Δ_b = X_1 | Y_1"
    assert lines(primewood(*example, "--encoding", "prefix"))[0] == "Ψ   = (X_3 -> X_2) & (Y_3 -> Y_2)"
    assert lines(primewood(*example, "--encoding", "highest-bit"))[0] == "Ψ   = true"
    assert lines(primewood(*example, "--decode", "!X_2 & !X_3")) == ["X=x1"]
    assert json.loads(primewood(*example, "--json").out)["variables"]["X_1"] == "X=x1"
    dimacs = primewood(*example, "--dimacs").out
    assert CNF(from_string=dimacs).nv >= 6 and "c means 1 X=x1" in dimacs
    failed = primewood(*example, "--decode", "!X_1 & !X_2 & !X_3", code=2)
    assert "leaves no value of X" in failed.err


def test_audits_of_random_functions_and_of_one(primewood):
    result = json.loads(primewood("audit", "--functions", 20, "--seed", 1, "--json").out)
    best = next(row for row in result["rows"] if row["keep"] == "negative" and row["formula"] == "Ψ⇒Δ_b")
    assert result["functions"] == 20 and best["missing"] == best["wrong"] == 0
    one = primewood("audit", "X=x1 | Y=y1", "--var", "X=x1,x2,x3", "--var", "Y=y1,y2,y3")
    assert lines(one)[0] == "one function with 2 prime implicants"


def test_info_and_explanations_of_a_model(primewood, wine):
    model, data = wine
    assert "10 trees" in primewood("info", model, data).out
    facts = json.loads(primewood("info", model, data, "--json").out)
    assert facts["trees"] == 10 and facts["fidelity"]["rows"] > len(WINE.data)
    paper = json.loads(primewood("info", model, data, "--set", "vote=majority", "--json").out)
    assert paper["predict_agrees"]["rows"] == len(WINE.data)
    why = primewood("explain", model, data, "--row", 100)
    assert lines(why)[0].startswith("IF ") and "Proved: " in why.out
    count = int(primewood("explain", model, data, "--row", 100, "--count", "--literals", "values").out)
    some = lines(primewood("explain", model, data, "--row", 100, "--all", "--limit", 7))
    assert count > 7 == len(some) and all(line.startswith("IF ") for line in some)
    shown = primewood("explain", model, data, "--row", 100, "--witnesses").out
    assert "What would change it:" in shown and "for example with" in shown
    assert "--witnesses" in primewood("explain", model, data, "--all", "--witnesses", code=2).err
    record = json.loads(primewood("explain", model, data, "--literals", "values", "--json").out)
    assert record["status"] == "proved" and record["literal_language"] == "values"


def test_the_demo_speaks_of_an_applicant_and_writes_a_page(primewood, tmp_path):
    page = tmp_path / "demo.html"
    shown = primewood("demo", "--output", page).out
    assert "declined" in shown and "PI-explanations" in shown and str(page) in shown
    assert "checking account" in page.read_text()
    records = [json.loads(line) for line in lines(primewood("demo", "--json"))]
    assert len(records) == 24 and all(record["status"] == "proved" for record in records)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["primes", "A=7", "--var", "A=1,2"], "its values are 1, 2"),
        (["primes", "A=1 &", "--var", "A=1,2"], "At position 5"),
        (["primes", "D=1", "--var", "A=1,2"], "the variables are A"),
        (["primes", "A=1", "--var", "A=1"], "at least two values"),
        (["primes", "A=1", "--var", "A=1,2", "--instance", "A=1,A=2"], "twice"),
        (["primes", "A=1", "--var", "A=1,2", "--instance", "B=1"], "names B"),
        (["primes", "A=1 & B=1", "--var", "A=1,2", "--var", "B=1,2", "--instance", "A=1"], "no value for B"),
        (["primes", "A=1", "--var", "A=1,2", "--instance", "A"], "not name=value"),
        (["primes", "X<2", "--var", "X<2<=6"], "not by both"),
        (["primes", "X<2", "--var", "X<two"], "X<2<6"),
        (["primes", "A", "--literals", "boxes"], "sets"),
        (["primes", "A", "--limit", "0"], "greater than or equal to 1"),
        (["primes"], "EXPRESSION"),
        (["nonsense"], "nonsense"),
        (["info", "none.skops"], "no file none.skops"),
        (["explain", "none.skops", "none.csv"], "no file"),
        (["encode", "A=1", "--var", "A=1,2", "--decode", "zzz"], "the variables are A_1, A_2"),
    ],
)
def test_bad_input_is_one_clear_error(primewood, arguments, words):
    done = primewood(*arguments, code=2)
    assert words in done.err and not done.out


def test_bad_tables_and_rows_are_refused(primewood, wine, tmp_path):
    model, data = wine
    assert "rows 0 to 177" in primewood("explain", model, data, "--row", 999, code=2).err
    frame = WINE.data.head(3)
    frame.drop(columns="alcohol").to_csv(tmp_path / "short.csv", index=False)
    assert "missing columns: alcohol" in primewood("explain", model, tmp_path / "short.csv", code=2).err
    frame.assign(alcohol="much").to_csv(tmp_path / "words.csv", index=False)
    refused = primewood("explain", model, tmp_path / "words.csv", code=2)
    assert "row 0: alcohol must be a finite number" in refused.err
    (tmp_path / "empty.csv").write_text("a,b\n")
    assert "at least one row" in primewood("explain", model, tmp_path / "empty.csv", code=2).err
    (tmp_path / "ragged.csv").write_text("a,b\n1\n")
    assert "1 cells under 2" in primewood("explain", model, tmp_path / "ragged.csv", code=2).err
    frame.assign(alcohol=np.nan).to_csv(tmp_path / "holes.csv", index=False)
    assert lines(primewood("explain", model, tmp_path / "holes.csv"))[0].startswith("IF ")


def test_ctrl_c_stops_cleanly_and_keeps_what_was_printed(wine):
    model, data = wine
    arguments = ["explain", model, data, "--row", "62", "--all"]
    with run_child(
        [*COMMAND, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        first = [process.stdout.readline() for _ in range(3)]
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopped after" in errors and "Traceback" not in errors
    assert all(line.startswith("IF ") for line in [*first, *rest.splitlines()])


def test_compile_shows_sizes_writes_a_file_and_draws(primewood, wine, tmp_path):
    pytest.importorskip("pygraphviz")
    to, picture = tmp_path / "wine.diagram", tmp_path / "wine.svg"
    arguments = ("compile", wine[0], wine[1])
    done = primewood(*arguments, "-o", to, "--picture", picture, "--most-drawn", 12)
    assert "nodes on" in lines(done)[0] and "12 of" in done.err and picture.read_text().startswith("<svg")
    loaded = pw.load(to)
    record = json.loads(primewood(*arguments, "--json").out)
    assert record["nodes"] == loaded.diagram.size == sum(level["nodes"] for level in record["levels"])
    assert sum(map(int, record["cells"].values())) == sum(loaded.count().values())


def test_compile_says_how_far_it_got_when_a_model_is_too_large(primewood, wine):
    done = primewood("compile", wine[0], wine[1], "--max-nodes", 50, code=3)
    assert "partial decisions were reached" in done.err and done.out == ""


def test_info_says_whether_a_model_compiles(primewood, wine):
    told = primewood("info", wine[0], wine[1])
    assert "compiles to" in told.out or "too large to compile" in told.out
    facts = json.loads(primewood("info", wine[0], "--json").out)
    assert set(facts["diagram"]) >= {"compiles"}


def test_what_is_too_large_has_an_exit_code_of_its_own(primewood):
    many = ",".join(map(str, range(14)))
    done = primewood("audit", "A=1", "--var", f"A={many}", code=3)
    assert "smaller expression" in done.err and done.out == ""


def test_a_model_too_large_for_an_engine_has_that_code_too(primewood, wine):
    asked = ("explain", *wine, "--row", 62, "--set", "engine=diagram", "--set", "max_nodes=50")
    for how in ("--count", "--all"):
        done = primewood(*asked, how, code=3)
        assert "partial decisions were reached" in done.err and done.out == ""
