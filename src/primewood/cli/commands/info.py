"""The commands that describe a whole model: its parts and its diagram."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from primewood.cli import output
from primewood.cli.help import LIMITS, OUTPUT
from primewood.cli.options import Json, MaxNodes, ModelFile, ReadingOptions, TrainingFile
from primewood.cli.progress import CommandProgress
from primewood.visible import join_lines

if TYPE_CHECKING:
    from primewood.properties.compiled import Compiled
    from primewood.render.records import DescriptionRecord


def info(
    model: ModelFile,
    rows: TrainingFile = None,
    *,
    reading: ReadingOptions,
    as_json: Json = False,
) -> None:
    """Show the trees, decisions and features of a model.

    Prints its trees, its decisions, how many values of each feature it distinguishes, whether its decisions were
    reproduced (on the rows and on planted rows), and whether it compiles to a diagram.

    Examples
    --------
    primewood info forest.skops
    primewood info booster.json train.csv --json
    """
    from primewood.cli.call_settings import collect_settings
    from primewood.cli.inputs import load_explainer

    explainer = load_explainer(model, rows, collect_settings(reading, "info"))
    with CommandProgress("compiling"):
        facts = explainer.describe()
    output.write_record(facts) if as_json else output.write_line(describe_facts(facts))


def compile_model(
    model: ModelFile,
    rows: TrainingFile = None,
    *,
    reading: ReadingOptions,
    to: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the diagram here; primewood.load reads it. An existing file is replaced.",
            metavar="FILE",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            "--picture",
            help="Draw it: an .svg, .png, .pdf or .dot file.",
            metavar="FILE",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    most_drawn: Annotated[
        int,
        typer.Option(
            "--most-drawn", min=2, help="Draw at most this many nodes.", metavar="N", rich_help_panel=OUTPUT
        ),
    ] = 60,
    max_nodes: MaxNodes = None,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", help="No limit by default.", metavar="SECONDS", rich_help_panel=LIMITS),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compile a model to a diagram that counts all explanations.

    Prints its size, the order of its levels, and the share of each decision.

    Exit codes
    ----------
    0  compiled
    3  it outgrew --max-nodes or --time-limit

    Examples
    --------
    primewood compile forest.skops train.csv -o forest.diagram
    primewood compile forest.skops train.csv --picture forest.svg
    """
    from primewood.cli.call_settings import collect_settings
    from primewood.cli.inputs import load_explainer

    output.check_target(to)
    output.check_target(picture, ".svg", ".png", ".pdf", ".dot")
    settings = collect_settings(reading, "compile")
    explainer = load_explainer(model, rows, settings, engine="diagram", max_nodes=max_nodes)
    with CommandProgress("compiling") as progress:

        def watch(stage: str, nodes: int, parts: int) -> None:
            words = {"order": "looking for an order", "decision": "going down the levels"}
            progress.say(f"{words.get(stage, stage)}: {nodes:,} nodes, {parts} parts")

        compiled = explainer.compile(time_limit=time_limit, watcher=watch)
    if to is not None:
        compiled.save(to)
        output.talk(f"written to {to}")
    if picture is not None:
        drawn = compiled.draw(most_nodes=most_drawn)
        drawn.save(picture)
        output.talk(f"drawn in {picture}" + (f" ({drawn.note})" if drawn.note else ""))
    output.write_record(compiled.info()) if as_json else output.write_line(describe_compiled(compiled))


def describe_compiled(compiled: Compiled) -> str:
    """Describe a compiled model."""
    facts = compiled.info()
    shares = compiled.share()
    lines = [
        f"{facts['nodes']:,} nodes on {len(facts['levels'])} levels, compiled in {facts['seconds']:.2f} s "
        f"({facts['states']:,} partial decisions looked into, {facts['settled']:,} settled by the library's own sum)",
        "levels from the top: feature, values, nodes",
        *(f"  {level['feature']}: {level['values']}, {level['nodes']:,}" for level in facts["levels"]),
        "decisions: cells, share of the cells",
        *(
            f"  {name}: {format_magnitude(facts['cells'][str(name)])}, {share:.2%}"
            for name, share in shares.items()
        ),
    ]
    return join_lines(lines)


def describe_facts(facts: DescriptionRecord) -> str:
    """Describe the parts of a model."""
    votes = {
        "mean": "the mean of what its trees say",
        "majority": "majority vote of its trees",
        "sum": "the sum of what its trees add",
    }
    lines = [
        f"{facts['model']}: {facts['trees']} trees, {facts['leaves']} leaves, depth at most {facts['depth']}",
        f"digest {facts['digest']}",
        f"decides between {', '.join(map(str, facts['classes']))} by {votes[facts['vote']]}",
        f"looks at {len(facts['tested'])} of {facts['features']} features; values that it distinguishes:",
        *(f"  {name}: {size}" for name, size in facts["tested"].items()),
        f"so it can tell {format_magnitude(facts['cells'])} kinds of rows apart",
    ]
    if "fidelity" in facts:
        tried = facts["fidelity"]
        lines.append(
            f"verified against the model on {tried['rows']:,} rows: "
            + ("identical" if not tried["differ"] else f"{tried['differ']:,} differ")
        )
    if "predict_agrees" in facts:
        agrees = facts["predict_agrees"]
        lines.append(f"model.predict agrees on {agrees['same']} of {agrees['rows']} rows")
    diagram = facts["diagram"]
    if diagram["compiles"]:
        lines.append(f"compiles to {diagram['nodes']:,} nodes in {diagram['seconds']:.2f} s, in this order:")
        lines.append(f"  {', '.join(diagram['order'])}")
    else:
        lines.append("too large to compile by itself; `primewood compile` tries harder")
    lines += [f"assumes: {assumption}" for assumption in facts["assumptions"]]
    return join_lines(lines)


def format_magnitude(cells: str) -> str:
    """Write a number of cells: all digits if they are few, else the order of magnitude."""
    return f"{int(cells):,}" if len(cells) <= 9 else f"about 10^{len(cells) - 1}"
