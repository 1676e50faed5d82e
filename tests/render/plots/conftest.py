"""No figure stays open after a test."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    yield
    plt.close("all")
