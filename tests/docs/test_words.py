"""The project writes plain English: pages, docstrings and messages use none of the phrases that were given up."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
NOTEBOOKS = sorted((ROOT / "docs").rglob("*.ipynb"))
SOURCES = [path for kind in ("*.py", "*.j2") for path in (ROOT / "src" / "primewood").rglob(kind)]
GAP = r"""(?:\s|f?")++"""
"""White space, or the end of a string literal and the beginning of the next one."""
COMPARATIVE = "more|less|longer|larger|smaller|lighter|better|shorter|wider|nearer"
INSTEAD = {
    r"decide[sd] otherwise": "gets a different decision",
    r"all else (as|the same|equal)": "everything else unchanged",
    r"taken? for granted|takes for granted": "assumed",
    rf"(?<!there)(?<!\s) (is|are) no (?!such|{COMPARATIVE})": "is not a ...",
    r"\blacks?\b": "missing: x0",
    r"so many": "at most N; the most rows that are shown",
    r"[\";,] say (one|which|it)\b": "pass one of ...",
    r"[;,] say `?\w+=": "pass domain=...",
    r"is said so|said to be so": "undecided features are listed in `undecided`",
    r"when the time is over|the time is over": "at the time limit",
    r"let in if": "included if",
    r"no rule speaks": "rows match no rule",
    r"read faithfully": "verified against the model: identical",
    r"holds for rows where": "Assumes:",
    r"volume of their ranges": "share of the feature space",
    r"primewood does not read|that primewood knows": "is not supported",
    r"\bif anything then\b": "always approved",
    r"is only gained as": "raising income never turns approved into declined",
    r"the ending says": "unrecognised file extension",
    r"missing is NaN there": "use NaN for a missing value",
    r"gone on with": "resumed",
    r"letting in": "including",
    r"(row|class|column|file|one) that is not there": "does not exist",
    r"\blet(s|ting)? go\b": "drop",
    r"\bspeaks? (of|for|about)\b": "mentions, covers or refers to",
    r"(is|are|was|were) taken by": "is based on",
    r"\bholds? good\b": "holds",
    r"\blays? down\b": "states",
    r"in no (fixed|promised) order": "not in a fixed order",
}
"""The phrases, as patterns, and what to write instead; a blank stands for a `GAP`."""


def found(text: str) -> list[str]:
    """What to change in a text: the line, the phrase and what to write instead."""
    hits = (
        (match.start(), match.group(), instead)
        for phrase, instead in INSTEAD.items()
        for match in re.finditer(phrase.replace(" ", GAP), text, re.IGNORECASE)
    )
    return [f"line {text.count(chr(10), 0, at) + 1}: {said!r}; write {w!r}" for at, said, w in sorted(hits)]


def read_prose(notebook: Path) -> str:
    """The text cells of a notebook."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def test_no_text_uses_a_phrase_that_was_given_up():
    texts = {path: path.read_text(encoding="utf-8") for path in [*PAGES, *SOURCES]}
    texts |= {path: read_prose(path) for path in NOTEBOOKS}
    problems = {str(path.relative_to(ROOT)): found(text) for path, text in texts.items()}
    assert not {name: lines for name, lines in problems.items() if lines}


@pytest.mark.parametrize(
    "text",
    [
        "A row that is decided\n    otherwise.",
        "the file is no pickle",
        "pass both; say domain= for both",
        "this file lacks a header",
        "At most so many rows.",
        "Features that it lets\n    go of.",
        "the class that a probability speaks of",
        'f"the row is decided "\n    f"otherwise"',
    ],
)
def test_a_phrase_is_found_across_lines_and_in_messages(text):
    assert found(text)


@pytest.mark.parametrize(
    "text", ["there is no such row", "a radius that is no larger", "the answers say which row"]
)
def test_good_english_is_not_a_phrase(text):
    assert not found(text)
