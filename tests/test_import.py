"""What importing the package costs, and what it leaves alone."""

import subprocess
import sys

import pytest

import primewood

HEAVY = (
    "numpy",
    "scipy",
    "sklearn",
    "xgboost",
    "lightgbm",
    "catboost",
    "pandas",
    "polars",
    "pyarrow",
    "narwhals",
    "matplotlib",
    "jinja2",
    "rich",
)


def imported_by(code: str) -> set[str]:
    """The packages that a new interpreter has imported after some code."""
    script = f"import sys\n{code}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    return set(
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        ).stdout.split()
    )


def test_importing_the_package_imports_nothing_heavy():
    assert imported_by("import primewood").isdisjoint(HEAVY)


def test_an_explainer_imports_no_plotting_no_pages_and_no_model_library():
    libraries = {"sklearn", "xgboost", "lightgbm", "catboost", "pandas", "polars", "pyarrow", "narwhals"}
    assert imported_by("import primewood; primewood.Explainer").isdisjoint(
        {*libraries, "matplotlib", "jinja2"}
    )


def test_importing_the_package_takes_less_than_a_third_of_a_second():
    script = "import time; t = time.process_time(); import primewood; print(time.process_time() - t)"
    seconds = [
        float(
            subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
        )
        for _ in range(3)
    ]
    assert min(seconds) < 0.3


@pytest.mark.parametrize("name", primewood.__all__)
def test_every_public_name_is_there(name):
    assert getattr(primewood, name) is not None
    assert name in dir(primewood)


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(primewood, "nothing_like_this")
