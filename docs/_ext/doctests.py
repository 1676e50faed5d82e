"""Doctests as they read best: without the empty line that ends their last output for the tests."""

from __future__ import annotations

import re

from sphinx.application import Sphinx


def trim(_app: Sphinx, _page: str, source: list[str]) -> None:
    """Close code blocks right after their last line."""
    source[0] = re.sub(r"\n\n```$", "\n```", source[0], flags=re.MULTILINE)


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", trim)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
