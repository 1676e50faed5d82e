"""Matplotlib, where it is needed: loaded late, and named in a hint where it is absent."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from primewood.errors import InvalidInput, MissingDependency

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def library(module: str) -> Any:
    """A module of matplotlib."""
    try:
        importlib.import_module("matplotlib")
    except ImportError:
        raise MissingDependency("plots need matplotlib: pip install 'primewood[plots]'") from None
    return importlib.import_module(f"matplotlib.{module}")


def checked(ax: object) -> Axes | None:
    """The axes to draw on, as they were given; None for new ones."""
    if ax is None or isinstance(ax, library("axes").Axes):
        return ax
    raise InvalidInput(
        f"ax is an Axes of matplotlib, or None for a new figure; this is a {type(ax).__name__}"
    )


def new_axes(width: float, height: float, *, layout: str | None = None) -> Axes:
    """Axes in a new figure of that size in inches; as always with pyplot, the figure stays open until it is closed."""
    figure = library("pyplot").figure(figsize=(width, height), layout=layout)
    if layout:
        figure.get_layout_engine().set(w_pad=0.12, h_pad=0.12)
    ax: Axes = figure.add_subplot() if layout else figure.add_axes((0, 0, 1, 1))
    return ax


def keep_inside(ax: Axes, above: float = 0.0) -> None:
    """Make axes smaller where what is on them would be cut off by the figure; a layout engine does that by itself.

    Parameters
    ----------
    above
        So many inches are kept free above the axes, out of their own room.
    """
    root: Any = ax.figure.figure
    if root.get_layout_engine() is not None:
        return
    place, whole = ax.get_position(), ax.figure.bbox
    top = above * ax.figure.dpi / whole.height
    ax.set_position((place.x0, place.y0, place.width, max(place.height / 2, place.height - top)))
    drawn, place = ax.get_tightbbox(), ax.get_position()
    assert drawn is not None
    left = max(0.0, (whole.x0 - drawn.x0) / whole.width)
    right = max(0.0, (drawn.x1 - whole.x1) / whole.width)
    low = max(0.0, (whole.y0 - drawn.y0) / whole.height)
    high = max(0.0, (drawn.y1 - whole.y1) / whole.height)
    width, height = place.width - left - right, place.height - low - high
    if width > place.width / 3 and height > place.height / 3:
        ax.set_position((place.x0 + left, place.y0 + low, width, height))
    # Axes that were put somewhere are no longer laid out, unless one says so.
    ax.set_in_layout(True)


def size_of(ax: Axes) -> tuple[float, float]:
    """The width and the height of axes in inches, with all that is on them so far."""
    root: Any = ax.figure.figure
    if root.get_layout_engine() is not None:
        root.draw_without_rendering()
    extent = ax.get_window_extent()
    return extent.width / ax.figure.dpi, extent.height / ax.figure.dpi
