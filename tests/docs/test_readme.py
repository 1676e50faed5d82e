"""The picture at the top of the README is what its code draws."""

from __future__ import annotations

import doctest
import io
import re
from pathlib import Path

from rich.console import Console

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
PICTURE = re.compile(r"^```text\n(.*?)^```", re.MULTILINE | re.DOTALL)
WIDTH = 80


def names_of_the_example() -> dict:
    """What the README's code defines. (Its output is compared when pytest runs the README.)"""
    names: dict = {}
    for example in doctest.DocTestParser().get_examples(README):
        if not example.source.startswith("print("):
            exec(example.source, names)
    return names


def test_the_picture_is_the_drawn_answer():
    (picture,) = PICTURE.findall(README)
    written = io.StringIO()
    Console(file=written, width=WIDTH, force_terminal=False).print(names_of_the_example()["why"])
    assert written.getvalue() == picture
