"""Read the settings of a call from its settings file, its `--set` options and its own flags, and merge them.

A settings file is TOML. `--set NAME=VALUE` is one line of it, in which plain text needs no quotation marks. What is
given by a flag wins over `--set`, and that over the file.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from primewood.cli.options import ReadingOptions
from primewood.cli.setting_names import MODEL, SETTINGS, TEXTS, list_settings
from primewood.domain.declarations import Number, ordered
from primewood.errors import InvalidInput, UnknownName, format_list, suggest

SET = "--set"


@dataclass(frozen=True)
class CallSettings:
    """The settings of a call.

    Attributes
    ----------
    model : dict
        Parameters of `primewood.Explainer`.
    other : dict
        The other settings: of files of rows, of answers, of batches.
    assigned : frozenset of str
        The names that `--set` assigns. A settings file is shared by calls, so it may hold what one of them does not
        use; what `--set` gives is meant for this call.
    trust_pickle : bool
    """

    model: dict[str, Any]
    other: dict[str, Any]
    assigned: frozenset[str]
    trust_pickle: bool

    def get(self, name: str) -> Any:
        """Look up a setting that is not about the model; None if it is not given."""
        return self.other.get(name)

    def find_assigned(self, names: Collection[str]) -> list[str]:
        """List those of some settings that `--set` assigns, as a user writes them."""
        return [f"{SET} {name}" for name in names if name in self.assigned]


def collect_settings(reading: ReadingOptions, command: str) -> CallSettings:
    """Collect the settings of a call and of its settings file."""
    flags = {"positive": reading.positive, "threshold": reading.threshold}
    by_flag = {name: value for name, value in flags.items() if value is not None}
    by_set = read_assignments(reading.assignments or [], list_settings(command))
    for name in by_flag.keys() & by_set.keys():
        raise InvalidInput(f"{name} is given twice; pass either --{name} or {SET} {name}")
    by_call = by_set | by_flag
    by_file = {} if reading.settings is None else read_settings(reading.settings)
    if by_call.keys() & {"threshold", "between"}:
        by_file = {name: value for name, value in by_file.items() if name not in ("threshold", "between")}
    merged = by_file | {name: _merge_tables(by_file.get(name), value) for name, value in by_call.items()}
    return CallSettings(
        {name: value for name, value in merged.items() if name in MODEL},
        {name: value for name, value in merged.items() if name not in MODEL},
        frozenset(by_set),
        reading.trust_pickle,
    )


def _merge_tables(old: Any, new: Any) -> Any:
    """Add the entries of a table to another table; other values replace the old ones."""
    return {**old, **new} if isinstance(old, dict) and isinstance(new, dict) else new


def read_settings(path: Path) -> dict[str, Any]:
    """Read a settings file."""
    if not path.is_file():
        raise InvalidInput(f"there is no file {path}")
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise InvalidInput(f"{path.name} is not TOML: {problem}") from None
    return _check_settings(path.name, found, list(SETTINGS))


def read_assignments(texts: Collection[str], names: Collection[str]) -> dict[str, Any]:
    """Read the values of `--set`, for a command that takes settings of some names.

    >>> read_assignments(["units.income=EUR", "units.debt=EUR", "max_nodes=50"], ["units", "max_nodes"])
    {'units': {'income': 'EUR', 'debt': 'EUR'}, 'max_nodes': 50}
    >>> read_assignments(["constraints=rent <= income", "constraints=age >= 18"], ["constraints"])
    {'constraints': ['rent <= income', 'age >= 18']}
    """
    found: dict[str, Any] = {}
    for text in texts:
        given = _parse_assignment(text)
        name = next(iter(given))
        if SETTINGS.get(name) is TEXTS and isinstance(given[name], str):
            found.setdefault(name, []).append(given[name])
        else:
            _add(found, given, "")
    return _check_settings(SET, found, names)


def _parse_assignment(text: str) -> dict[str, Any]:
    """Parse one line of TOML; a value that is not TOML, or that is only right as text, is text.

    >>> _parse_assignment("domain.size=[1, 2]"), _parse_assignment('units."a=b"=km/h'), _parse_assignment("sheet=3")
    ({'domain': {'size': [1, 2]}}, {'units': {'a=b': 'km/h'}}, {'sheet': '3'})
    """
    found = [given for written in (text, *_quote_value(text)) if len(given := _parse_line(written)) == 1]
    if not found:
        raise InvalidInput(
            f"{SET} takes NAME=VALUE, such as units.income=EUR, not {text!r}; "
            "put a name with other signs than letters, digits, - and _ in quotation marks"
        )
    return next((given for given in found if _fits(given)), found[0])


def _parse_line(written: str) -> dict[str, Any]:
    """Parse TOML; the result is empty for invalid TOML."""
    try:
        return tomllib.loads(written)
    except tomllib.TOMLDecodeError:
        return {}


def _fits(given: Mapping[str, Any]) -> bool:
    ((name, value),) = given.items()
    return name in SETTINGS and SETTINGS[name].fits(value)


def _quote_value(text: str) -> Iterator[str]:
    """Write the value as a string, after each equals sign in turn: a quoted name may contain some."""
    for place in (place for place, letter in enumerate(text) if letter == "="):
        yield f"{text[:place]}={json.dumps(text[place + 1 :].strip(), ensure_ascii=False)}"


def _add(found: dict[str, Any], given: Mapping[str, Any], path: str) -> None:
    """Add assignments to those before; tables are merged, and nothing is assigned twice."""
    for name, value in given.items():
        if isinstance(found.get(name), dict) and isinstance(value, dict):
            _add(found[name], value, f"{path}{name}.")
        elif name in found:
            raise InvalidInput(f"{SET} gives {path}{name} twice")
        else:
            found[name] = value


def _check_settings(source: str, found: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Check names and values, and bring them into the form that the explainer takes."""
    unknown = [name for name in found if name not in names]
    if unknown:
        elsewhere = [name for name in unknown if name in SETTINGS]
        problem = f"unknown setting {format_list(unknown)}{suggest(unknown, names)}"
        if elsewhere:
            problem = f"{format_list(elsewhere)} is for another command"
        raise UnknownName(f"{source}: {problem}; the settings are {format_list(names, len(names))}")
    return {name: _check_value(source, name, value) for name, value in found.items()}


def _check_value(source: str, name: str, value: Any) -> Any:
    setting = SETTINGS[name]
    if not setting.fits(value):
        raise InvalidInput(f"{source}: {name} must be {setting.form}, not {value!r}")
    if name == "domain":
        return {feature: _read_declaration(source, feature, told) for feature, told in value.items()}
    return tuple(value) if name == "between" else value


def _read_declaration(source: str, feature: str, told: Any) -> Any:
    """Read the domain of a feature: words and lists as they are, tables as bounds, orders or named codes."""
    if not isinstance(told, dict):
        return told
    if set(told) <= {"low", "high", "whole"}:
        return Number(**told)
    if set(told) == {"ordered"}:
        inner = told["ordered"]
        return ordered(_read_codes(source, feature, inner) if isinstance(inner, dict) else inner)
    return _read_codes(source, feature, told)


def _read_codes(source: str, feature: str, named: Mapping[str, object]) -> dict[float, object]:
    """Read the names of a feature's category codes."""
    try:
        return {float(code): name for code, name in named.items()}
    except ValueError:
        raise InvalidInput(
            f'{source}: the domain of {feature} names numbers, such as {{0 = "own", 1 = "rented"}}; '
            f"got {', '.join(named)}"
        ) from None
