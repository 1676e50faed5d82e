"""The example notebooks run from the beginning to the end, and show what their files say that they show.

Texts are compared word for word; of pictures and cards only that there is one. ``python docs/examples/refresh.py``
writes what a fresh run shows.
"""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))
MOST_BYTES = 500_000
refresh = runpy.run_path(str(EXAMPLES / "refresh.py"))
read, run = refresh["read"], refresh["run"]

notebooks = pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])


def text_of(output) -> str:
    """What an output says: the words of a stream or a value, without addresses; of a picture, that it is one."""
    if output.output_type == "stream":
        return f"{output.name}: {output.text}"
    if "image/png" in output.data:
        return "a picture"
    kinds = ", ".join(sorted(output.data))
    return f"{kinds}: {re.sub(r'0x[0-9a-f]+', '0x...', output.data['text/plain'])}"


def code_of(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def shown(notebook) -> dict[str, list[str]]:
    """Per code cell what it shows."""
    return {cell.id: [text_of(x) for x in cell.outputs] for cell in code_of(notebook)}


def test_the_three_examples_are_there():
    assert {path.stem for path in NOTEBOOKS} == {"credit", "medicine", "digits"}


@pytest.mark.slow
@notebooks
def test_a_fresh_run_shows_what_the_file_shows(path):
    kept, fresh = shown(read(path)), shown(run(path))
    for cell, outputs in fresh.items():
        assert outputs == kept[cell], f"cell {cell} shows something else: see docs/examples/refresh.py"


@notebooks
def test_a_notebook_is_kept_tidy(path):
    notebook = read(path)
    assert path.stat().st_size < MOST_BYTES
    assert notebook.metadata == refresh["METADATA"]
    counts = [cell.execution_count for cell in code_of(notebook)]
    assert counts == list(range(1, len(counts) + 1)), "cells ran once, in order"
    assert all(set(cell.metadata) <= {"tags"} for cell in notebook.cells), "no times, no state of an editor"
    identities = [cell.id for cell in notebook.cells]
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", name) for name in identities), "ids are names, which stay"
    assert len(set(identities)) == len(identities)


@notebooks
def test_a_notebook_shows_pictures_and_no_warnings(path):
    outputs = [text for texts in shown(read(path)).values() for text in texts]
    assert "a picture" in outputs
    assert not [text for text in outputs if text.startswith("stderr")]
