"""Measure the structure of the package: sizes, names, records, docstrings, and how far a question travels.

The same script measures any checkout, so that two states can be compared. Most figures are read from the sources. The
public names, the command line and the travel of a question need the package itself, imported from the checkout.

A file change is a pair of files of which the first calls a function of the second, directly or through a library.
Each pair counts once, and each question is asked once before its pairs are counted: the figure does not depend on the
length of a search.

Usage: python benchmarks/structure.py [CHECKOUT] [--json FILE] [--verbose]
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import io
import json
import re
import sys
import tokenize
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

PACKAGE = "primewood"
MOST_PARAMETERS = 6
SECTIONS = ("Returns", "Raises", "Examples")
PREPOSITIONS = re.compile(
    "about|above|across|after|against|along|among|around|as|at|before|behind|below|between|beyond|by|down|during|"
    "except|for|from|in|inside|into|like|near|of|off|on|onto|out|over|per|since|through|to|under|until|up|via|"
    "with|within|without"
)
PARTICIPLES = re.compile(
    r"(?!(bring|embed|everything|exceed|feed|need|nothing|proceed|seed|string)$)\w\w+(ed|ing)"
)
CONVERSIONS = re.compile("as|from|to")
BUILT_IN_TYPES = re.compile("bool|bytes|complex|dict|float|frozenset|int|list|object|set|str|tuple|type")
MAKERS_OF_TYPES = ("NewType", "TypedDict", "NamedTuple", "namedtuple")
NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """A source file of the package."""

    name: str
    text: str
    tree: ast.Module
    is_package: bool

    @property
    def folder(self) -> str:
        """The first folder below the package, or the module's own name."""
        return self.name.split(".")[1] if "." in self.name else ""


@dataclass(frozen=True)
class Finding:
    """A figure, and the things that it counts."""

    figure: int | str
    items: tuple[str, ...] = ()


def read_modules(source: Path) -> list[Module]:
    found = []
    for path in sorted((source / PACKAGE).rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        text = path.read_text(encoding="utf-8")
        name = ".".join(parts[:-1] if is_package else parts)
        found.append(Module(name, text, ast.parse(text), is_package))
    return found


# What the sources say


def walk_functions(modules: list[Module]) -> Iterator[tuple[str, Function]]:
    """All functions and methods with their places; what is defined inside a function too."""
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, Function):
                yield f"{module.name}:{node.lineno} {node.name}", node


def count_parameters(function: Function) -> int:
    """Parameters of every kind, `self` and `cls` excluded."""
    given = function.args
    plain = [*given.posonlyargs, *given.args]
    if plain and plain[0].arg in ("self", "cls"):
        plain = plain[1:]
    return len(plain) + len(given.kwonlyargs) + (given.vararg is not None) + (given.kwarg is not None)


def measure_signatures(modules: list[Module]) -> dict[str, Finding]:
    """Functions with many parameters; those of the command line are its options, and do not count."""
    outside = [module for module in modules if module.folder != "cli"]
    sizes = sorted(((count_parameters(one), place) for place, one in walk_functions(outside)), reverse=True)
    long = tuple(f"{size:2} {place}" for size, place in sizes if size > MOST_PARAMETERS)
    return {
        f"functions with more than {MOST_PARAMETERS} parameters": Finding(len(long), long),
        "most parameters": Finding(sizes[0][0]),
    }


def is_type(node: ast.expr) -> bool:
    """Whether an expression reads as a type: `Any`, `dict[str, int]`, `Tree | None`."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.BitOr) and is_type(node.left) and is_type(node.right)
    if isinstance(node, ast.Subscript):
        return is_type(node.value)
    if isinstance(node, ast.Call):
        return read_name(node.func) in MAKERS_OF_TYPES
    return is_type_name(read_name(node)) or (isinstance(node, ast.Constant) and node.value is None)


def read_name(node: ast.expr) -> str:
    """The last part of a name, or nothing."""
    return ast.unparse(node).rpartition(".")[2] if isinstance(node, ast.Name | ast.Attribute) else ""


def is_type_name(name: str) -> bool:
    """Whether a name is written as types are; a constant such as LIMIT is not."""
    bare = name.lstrip("_")
    return bool(BUILT_IN_TYPES.fullmatch(name)) or (
        bare[:1].isupper() and not (bare.isupper() and len(bare) > 1)
    )


def list_type_names(module: Module) -> set[str]:
    """Classes anywhere and type aliases at module level, as written. Type variables do not count."""
    found = {node.name for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef)}
    return found | {name for node in module.tree.body for name in read_alias(node)}


def read_alias(node: ast.stmt) -> list[str]:
    """The name of a type alias, if the statement defines one."""
    if isinstance(node, ast.AnnAssign):
        return [read_name(node.target)] if read_name(node.annotation) == "TypeAlias" else []
    if isinstance(node, ast.Assign):
        name = read_name(node.targets[0])
        return [name] if is_type_name(name) and is_type(node.value) else []
    # `type X = ...`, which this script's Python need not know.
    return [read_name(node.name)] if type(node).__name__ == "TypeAlias" else []  # type: ignore[attr-defined]


def find_repeated_types(modules: list[Module]) -> Finding:
    places = defaultdict(list)
    for module in modules:
        for name in list_type_names(module):
            places[name].append(module.name)
    repeated = sorted((name, where) for name, where in places.items() if len(where) > 1)
    return Finding(len(repeated), tuple(f"{name}: {', '.join(sorted(where))}" for name, where in repeated))


def find_asserts(modules: list[Module]) -> Finding:
    """Asserts that something is not None."""
    found = []
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Assert) and any(map(is_not_none, ast.walk(node.test))):
                found.append(f"{module.name}:{node.lineno} {ast.unparse(node)}")
    return Finding(len(found), tuple(found))


def is_not_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Compare) and any(
        isinstance(sign, ast.IsNot) and isinstance(right, ast.Constant) and right.value is None
        for sign, right in zip(node.ops, node.comparators, strict=True)
    )


def find_untyped_records(modules: list[Module]) -> Finding:
    """Mentions of `dict[str, Any]`."""
    counts = {module.name: len(re.findall(r"\bdict\[str, Any\]", module.text)) for module in modules}
    listed = sorted(((count, name) for name, count in counts.items() if count), reverse=True)
    return Finding(sum(counts.values()), tuple(f"{count:3} {name}" for count, name in listed))


def find_names_without_verb(modules: list[Module]) -> dict[str, Finding]:
    """Functions whose first word is a preposition or ends like a participle: a guess, good for comparison only.

    Conversions such as `to_dict` are the trade's usual names, so they are counted apart.
    """
    found = [(place, function.name) for place, function in walk_functions(modules) if lacks_verb(function)]
    conversions = tuple(place for place, name in found if CONVERSIONS.fullmatch(read_first_word(name)))
    others = tuple(place for place, _ in found if place not in conversions)
    return {
        "functions named by a participle or preposition": Finding(len(others), others),
        "functions named as_, from_ or to_": Finding(len(conversions), conversions),
    }


def lacks_verb(function: Function) -> bool:
    """Whether the name of a function has no verb; a property is data and needs none."""
    first = read_first_word(function.name)
    is_property = any(read_name(one).endswith("property") for one in function.decorator_list)
    return bool(PREPOSITIONS.fullmatch(first) or PARTICIPLES.fullmatch(first)) and not is_property


def read_first_word(name: str) -> str:
    return name.lstrip("_").split("_")[0]


def list_imports(module: Module, known: set[str]) -> set[str]:
    """The modules of the package that a file imports, wherever in the file."""
    found = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = resolve_base(module, node)
            inner = {f"{base}.{alias.name}" for alias in node.names}
            found |= inner & known
            if not inner <= known:
                found.add(base)
    return (found & known) - {module.name}


def resolve_base(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    kept = parts[: len(parts) - node.level + module.is_package]
    return ".".join([*kept, *([node.module] if node.module else [])])


def find_single_use_modules(modules: list[Module], stubs: list[Module]) -> Finding:
    """Modules that one other file imports; a stub that lists public names counts as a file."""
    known = {module.name for module in modules}
    users = defaultdict(set)
    for module in [*modules, *stubs]:
        for name in list_imports(module, known):
            users[name].add(module.name)
    single = sorted((name, *who) for name, who in users.items() if len(who) == 1)
    return Finding(len(single), tuple(f"{name} (by {who})" for name, who in single))


def read_stubs(source: Path) -> list[Module]:
    """The package's own stub, which imports lazily what it names."""
    path = source / PACKAGE / "__init__.pyi"
    if not path.exists():
        return []
    text = path.read_text(encoding="utf-8")
    return [Module(PACKAGE, text, ast.parse(text), True)]


def count_code_lines(module: Module) -> int:
    """Lines that hold code; a docstring, a comment or a blank line is none."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
        if token.type not in NO_CODE:
            lines |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(module.tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            lines -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def measure_sources(source: Path) -> dict[str, Finding]:
    modules = read_modules(source)
    return {
        **measure_signatures(modules),
        "type names defined twice or more": find_repeated_types(modules),
        "asserts that something is not None": find_asserts(modules),
        "mentions of dict[str, Any]": find_untyped_records(modules),
        **find_names_without_verb(modules),
        "modules": Finding(len(modules)),
        "modules imported by one file": find_single_use_modules(modules, read_stubs(source)),
        "lines of code": Finding(sum(map(count_code_lines, modules))),
    }


# What the package itself says


def import_package(source: Path) -> Any:
    sys.path.insert(0, str(source))
    package = importlib.import_module(PACKAGE)
    if not Path(package.__file__ or "").is_relative_to(source):
        raise SystemExit(
            f"{PACKAGE} was imported from {package.__file__}, not from {source}: run with its Python"
        )
    return package


def list_methods(kind: type) -> dict[str, Any]:
    return {
        name: member
        for name, member in inspect.getmembers(kind, inspect.isroutine)
        if not name.startswith("_") and not hasattr(object, name)
    }


def measure_explainer(package: Any) -> dict[str, Finding]:
    kind = package.Explainer
    classes = [base for base in kind.__mro__ if base is not object]
    methods = list_methods(kind)
    inherited = tuple(name for name in methods if name not in vars(kind))
    return {
        "classes of Explainer": Finding(len(classes), tuple(base.__qualname__ for base in classes)),
        "public methods of Explainer": Finding(len(methods)),
        "public methods that Explainer inherits": Finding(len(inherited), inherited),
    }


def has_section(thing: Any, title: str) -> bool:
    return bool(re.search(rf"^\s*{title}\n\s*-{{3,}}\s*$", thing.__doc__ or "", re.MULTILINE))


def measure_docstrings(package: Any) -> dict[str, Finding]:
    """How many public functions, methods and classes have each section; a class needs an example only."""
    public = {name: getattr(package, name) for name in package.__all__}
    classes = {name: thing for name, thing in public.items() if inspect.isclass(thing)}
    functions = {name: thing for name, thing in public.items() if inspect.isroutine(thing)}
    functions |= {f"Explainer.{name}": thing for name, thing in list_methods(package.Explainer).items()}
    found = {}
    for title in SECTIONS:
        found[f"functions and methods with {title}"] = tell_share(functions, (title,))
    found["functions and methods with all three"] = tell_share(functions, SECTIONS)
    found["classes with Examples"] = tell_share(classes, ("Examples",))
    return found


def tell_share(things: dict[str, Any], titles: tuple[str, ...]) -> Finding:
    """How many have all these sections; the items are those that have not."""
    lacking = tuple(
        name for name, thing in things.items() if not all(has_section(thing, title) for title in titles)
    )
    return Finding(
        f"{len(things) - len(lacking)} of {len(things)}", tuple(f"without: {name}" for name in lacking)
    )


def find_flags() -> Finding:
    """The options of `primewood explain`, each once; `--x/--no-x` is one."""
    import typer

    program = importlib.import_module(f"{PACKAGE}.cli.main")
    command: Any = typer.main.get_command(program.app)
    flags = [
        param.opts[0] for param in command.commands["explain"].params if param.param_type_name == "option"
    ]
    return Finding(len(flags), tuple(flags))


# How far a question travels


class Travel:
    """The pairs of files of which the first calls the second, while a question is answered."""

    def __init__(self, folder: Path) -> None:
        self.folder = f"{folder}/"
        self.pairs: set[tuple[str, str]] = set()

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(self.folder):
            caller = self.find_caller(frame)
            if caller not in (None, file):
                self.pairs.add((caller, file))

    def find_caller(self, frame: FrameType) -> str | None:
        """The nearest file of the package that waits for this call."""
        waiting = frame.f_back
        while waiting and not waiting.f_code.co_filename.startswith(self.folder):
            waiting = waiting.f_back
        return waiting.f_code.co_filename if waiting else None

    def list_changes(self) -> Finding:
        pairs = sorted(tuple(file.removeprefix(self.folder) for file in pair) for pair in self.pairs)
        return Finding(len(pairs), tuple(" -> ".join(pair) for pair in pairs))


def follow(ask: Callable[[], object], folder: Path) -> Finding:
    ask()
    travel = Travel(folder)
    sys.setprofile(travel.note)
    try:
        ask()
    finally:
        sys.setprofile(None)
    return travel.list_changes()


def make_questions(package: Any) -> dict[str, Callable[[], object]]:
    """Some questions to a small forest, without limits of time, so that the way is the same each time."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import RandomForestClassifier

    data = load_breast_cancer(as_frame=True)
    X = data.data.iloc[:, :6].rename(columns=lambda name: name.replace("mean ", ""))
    model = RandomForestClassifier(n_estimators=10, max_depth=3, random_state=0, n_jobs=1).fit(X, data.target)
    explainer = package.Explainer(model, X, class_names=["malignant", "benign"], progress=False)
    row, rows = X.iloc[0], X.iloc[:30]
    report = explainer.report(rows, explain=2, sample=10, time_limit=None)
    return {
        "explain": lambda: explainer.explain(row, time_limit=None),
        "counterfactual": lambda: explainer.counterfactual(row, time_limit=None),
        "verify": lambda: explainer.verify("radius > 20 -> malignant", time_limit=None),
        "batch with reuse": lambda: explainer(rows, reuse=True, n_jobs=1, time_limit=None),
        "report": lambda: explainer.report(rows, explain=2, sample=10, time_limit=None),
        "page of the report": report.to_html,
    }


def measure_package(source: Path) -> dict[str, Finding]:
    package = import_package(source)
    found = measure_explainer(package)
    found["public names"] = Finding(len(package.__all__))
    found["flags of primewood explain"] = find_flags()
    found |= measure_docstrings(package)
    for name, ask in make_questions(package).items():
        found[f"file changes: {name}"] = follow(ask, source / PACKAGE)
    return found


def show(findings: dict[str, Finding], verbose: bool) -> None:
    width = max(map(len, findings))
    for name, finding in findings.items():
        print(f"{name:{width}}  {finding.figure:>8}")
        for item in finding.items if verbose else ():
            print(f"    {item}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    here = Path(__file__).resolve().parents[1]
    parser.add_argument(
        "checkout", nargs="?", type=Path, default=here, help="by default the one of this script"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    parser.add_argument("--verbose", action="store_true", help="list what was counted")
    given = parser.parse_args()
    source = given.checkout.resolve() / "src"
    findings = measure_package(source) | measure_sources(source)
    show(findings, given.verbose)
    if given.json:
        figures = {name: finding.figure for name, finding in findings.items()}
        given.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
