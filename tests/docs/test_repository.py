"""What the files about the repository say is true: paths exist, the map is whole, versions and tools agree."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import primewood

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "primewood"
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
NAME = re.compile(r"`([\w./]+)`")
FILE = re.compile(r"[\w./]+\.(py|cpp|hpp|txt|cff|md)")
NOT_KEPT = ("build/", ".venv")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def names_in_the_map() -> set[str]:
    """The paths in the first column of the table of folders."""
    table = CONTRIBUTING.partition("| path |")[2].partition("\n\n")[0]
    return {name for line in table.splitlines()[2:] for name in NAME.findall(line.split("|")[1])}


def test_the_map_names_all_folders_and_modules_and_no_others():
    kept = {path.name + "/" * path.is_dir() for path in PACKAGE.iterdir() if not path.name.startswith("_")}
    assert names_in_the_map() == kept - {"py.typed"} | {"../native/"}


@pytest.mark.parametrize("name", sorted(set(NAME.findall(CONTRIBUTING)) - names_in_the_map()))
def test_a_path_that_is_named_exists(name):
    if name.startswith(NOT_KEPT) or not (FILE.fullmatch(name) or "/" in name):
        return
    places = (ROOT, PACKAGE, ROOT / "src" / "native")
    assert any((place / name).exists() for place in places), (
        f"CONTRIBUTING.md names {name}, which does not exist"
    )


def test_the_citation_has_the_version_of_the_package():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == primewood.__version__
    assert citation["license"] == PROJECT["license"]


def test_hooks_call_tools_that_development_installs():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    assert [hook["repo"] for hook in hooks] == ["local"], "nothing is downloaded"
    tools = {hook["entry"].split()[0].removeprefix(".venv/bin/") for hook in hooks[0]["hooks"]}
    installed = {re.split(r"[<>=\[]", name)[0] for name in PROJECT["optional-dependencies"]["dev"]}
    assert tools <= installed


@pytest.mark.parametrize("path", sorted((ROOT / ".github").rglob("*.md")), ids=lambda path: path.name)
def test_a_template_of_an_issue_says_what_it_is_for(path):
    if path.parent.name == "ISSUE_TEMPLATE":
        head = yaml.safe_load(path.read_text(encoding="utf-8").split("---")[1])
        assert set(head) == {"name", "about", "labels"}
