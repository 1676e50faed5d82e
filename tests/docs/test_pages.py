"""Every page is in the table of contents, and every relative link of the pages and of the README leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    page for kind in ("*.md", "*.ipynb") for page in DOCS.rglob(kind) if "_build" not in page.parts
)
TEXTS = [*(page for page in PAGES if page.suffix == ".md"), *sorted(ROOT.glob("*.md"))]
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
NOT_DOCTESTS = {
    "how-to/batches.md": "a cluster, which tests/batch/test_dask.py has",
    "how-to/checking-others.md": "how to call tools that are not installed here",
    "how-to/command-line.md": "makes files, and is run by test_shell_examples.py",
}
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)


def named(paths):
    return {"argvalues": paths, "ids": [str(path.relative_to(ROOT)) for path in paths]}


def entries(page: Path) -> set[Path]:
    """The pages that a page's tables of contents name; a pattern names all that it matches."""
    found: set[Path] = set()
    for body in TOCTREE.findall(page.read_text(encoding="utf-8")):
        names = [line for line in body.splitlines() if line and not line.startswith(":")]
        for name in names:
            matches = [path for path in page.parent.glob(f"{name}.*") if path in PAGES]
            assert matches, f"{page.name}: {name} is in a toctree, and is no page"
            found.update(matches)
    return found


def test_every_page_can_be_reached_from_the_index():
    reached, waiting = set(), [DOCS / "index.md"]
    while waiting:
        page = waiting.pop()
        if page not in reached:
            reached.add(page)
            waiting += entries(page) if page.suffix == ".md" else []
    assert not {str(page.relative_to(DOCS)) for page in set(PAGES) - reached}


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as MyST and code hosts make them."""
    heads = (re.sub(r"\]\([^)]*\)", "", head) for head in HEADING.findall(FENCE.sub("", text)))
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", **named(TEXTS))
def test_every_relative_link_resolves(page):
    text = page.read_text(encoding="utf-8")
    for link in LINK.findall(FENCE.sub("", text)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{link} leads nowhere"
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), f"{link}: there is no such heading"


@pytest.mark.parametrize("page", **named([page for page in PAGES if page.suffix == ".md"]))
def test_a_page_has_one_title_and_its_code_is_run(page):
    text = page.read_text(encoding="utf-8")
    titles = [line for line in FENCE.sub("", text).splitlines() if line.startswith("# ")]
    assert len(titles) == 1
    cells = "```{code-cell}" in text
    assert cells == text.startswith("---\nfile_format: mystnb\n"), (
        "code cells run only on a page that says so"
    )
    assert not (cells and "\n>>> " in text), "one session per page: code cells or doctests"


def test_python_that_is_no_doctest_is_known():
    plain = {
        str(page.relative_to(DOCS))
        for page in PAGES
        if page.suffix == ".md"
        for code in PYTHON.findall(page.read_text(encoding="utf-8"))
        if ">>> " not in code
    }
    assert plain == set(NOT_DOCTESTS)
