"""A whole page around cards: one file that opens offline, runs no script and loads nothing."""

from __future__ import annotations

from collections.abc import Iterable

from primewood.render.html.environment import render, style


def page(title: str, fragments: Iterable[str]) -> str:
    """An HTML document with a title and some fragments.

    Parameters
    ----------
    title
        Plain text.
    fragments
        HTML, as the functions of `primewood.render.html` make it; it is not escaped. The style that each of them
        carries is written once.
    """
    from markupsafe import Markup

    bare = [Markup(fragment.replace(style(), "")) for fragment in fragments]  # noqa: S704
    return render("page.html.j2", title=title, style=Markup(style()), fragments=bare)  # noqa: S704
