"""The templates: every value is escaped, and a missing value is an error."""

from __future__ import annotations

from functools import cache, partial
from importlib import resources
from typing import TYPE_CHECKING, Any

from primewood.logic.interval import number
from primewood.render import text
from primewood.render.numbers import format_count
from primewood.visible import visible

if TYPE_CHECKING:
    from jinja2 import Environment

OWN = __package__

__all__ = ["environment", "percent", "render", "style"]


@cache
def environment(package: str = OWN) -> Environment:
    """The environment for the templates of a package; they may use those of this package."""
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(partial(_source, package)),
        autoescape=True,
        finalize=_visible,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(percent=percent, share=text.write_share, number=number, counted=format_count)
    return made


def _visible(value: Any) -> Any:
    """A value for a template: invisible characters of text are escaped; HTML is passed on."""
    return visible(value) if type(value) is str else value


def _source(package: str, name: str) -> str:
    file = resources.files(package).joinpath("templates", name)
    if not file.is_file():
        file = resources.files(OWN).joinpath("templates", name)
    return file.read_text(encoding="utf-8")


def render(template: str, *, package: str = OWN, **values: Any) -> str:
    """Fill in a template of this package, or of another package with templates."""
    return environment(package).get_template(template).render(**values)


@cache
def style() -> str:
    """The style element that all fragments share."""
    return f"<style>\n{render('style.css.j2')}</style>\n"


def percent(place: float) -> str:
    """A position on a lane as a CSS length.

    >>> percent(0.5), percent(1 / 3)
    ('50%', '33.33%')
    """
    return f"{100 * place:.2f}".rstrip("0").rstrip(".") + "%"
