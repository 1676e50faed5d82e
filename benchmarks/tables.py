"""The tables of docs/reference/benchmarks.md, as Markdown, from the files in ``benchmarks/results``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path

import numpy as np

RESULTS = Path(__file__).parent / "results"
TICK = 0.005
"""What the clock of CPU time may miss."""
Row = dict


def read(name: str) -> dict:
    return json.loads((RESULTS / f"{name}.json").read_text())


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    head = list(head)
    print("|", " | ".join(head), "|")
    print("|" + "---|" * len(head))
    for row in rows:
        print("|", " | ".join(map(str, row)), "|")
    print()


def seconds(s: float) -> str:
    """Seconds or milliseconds, in two or three digits."""
    if s >= 1:
        return f"{s:.1f} s"
    return f"{1000 * s:.0f} ms" if s >= 0.01 else f"{1000 * s:.1f} ms"


def size(row: Row) -> tuple[int, str]:
    return row["trees"], str(row["depth"] or "unlimited")


def by_model(rows: list[Row]) -> dict[tuple, dict[str, Row]]:
    found: dict[tuple, dict[str, Row]] = {}
    for row in rows:
        found.setdefault((*size(row), row["data"]), {})[row["tool"]] = row
    return found


def proved(rows: list[Row]) -> str:
    return f"{sum(r['proved'] for r in rows)} of {sum(r['rows'] for r in rows)}"


def spread(rows: list[Row]) -> str:
    medians = [r["median_s"] for r in rows]
    worst = max(r["worst_s"] for r in rows)
    return f"{seconds(min(medians))} – {seconds(max(medians))}, worst {seconds(worst)}"


def faster(models: list[dict[str, Row]], peer: str) -> str:
    ratios = [m[peer]["median_s"] / m["primewood values"]["median_s"] for m in models if peer in m]
    return f"{np.median(ratios):.0f} ({min(ratios):.0f} – {max(ratios):.0f})" if ratios else "not run"


def overview() -> None:
    """One line per size of forest, over all data sets."""
    models = by_model(read("search")["rows"])
    key: Callable[[tuple], tuple] = lambda m: (m[0], m[1])  # noqa: E731
    lines = []
    for forest, names in groupby(sorted(models, key=key), key=key):
        group = [models[name] for name in names]
        ours, sets = [m["primewood values"] for m in group], [m["primewood sets"] for m in group]
        veritas = [m["veritas values"] for m in group if "veritas values" in m]
        lines.append(
            (
                f"{forest[0]}/{forest[1]}",
                len(group),
                spread(ours),
                proved(ours),
                faster(group, "veritas values"),
                proved(veritas) if veritas else "not run",
                spread(sets),
                proved(sets),
            )
        )
    table(
        (
            "trees/depth",
            "data sets",
            "`values`",
            "proved",
            "times faster than Veritas",
            "Veritas proved",
            "`sets`",
            "proved",
        ),
        lines,
    )


def details() -> None:
    """One line per model."""
    tools = ("primewood values", "veritas values", "pyxai", "primewood sets")
    lines = []
    for (trees, depth, data), found in by_model(read("search")["rows"]).items():
        cells = []
        for tool in tools:
            row = found.get(tool)
            cells.append(
                f"{seconds(row['median_s'])} / {seconds(row['p90_s'])} / {seconds(row['worst_s'])}, "
                f"{row['proved']} of {row['rows']}" + (f", {row['wrong']} wrong" if "wrong" in row else "")
                if row
                else "not run"
            )
        mine = found["primewood sets"]
        lines.append(
            (f"{data} {trees}/{depth}", *cells, f"{mine['mean_size']:.1f}", f"{mine['coverage']:.1%}")
        )
    table(("forest", "`values`", "Veritas loop", "PyXAI", "`sets`", "features", "covers"), lines)


def scaling() -> None:
    figures = read("scaling")
    for by, rows in (
        ("trees", [r for r in figures["growth"] if r["depth"] == 6]),
        ("depth", [r for r in figures["growth"] if r["trees"] == 100]),
    ):
        rows = sorted(rows, key=lambda r: (r["depth"] or 99, r["trees"]))
        table(
            (
                by,
                "leaves",
                "`values` median",
                "`values` worst",
                "`sets` median",
                "`sets` worst",
                "proved of 10",
            ),
            (
                (
                    r[by] or "unlimited",
                    r["leaves"],
                    *(
                        seconds(r[f"{kind}_{what}_s"])
                        for kind in ("values", "sets")
                        for what in ("median", "worst")
                    ),
                    r["sets_proved"],
                )
                for r in rows
            ),
        )
    table(
        ("forest", "exact", "integers alone", "cost of exactness", "other answers", "refuted"),
        (
            (
                f"{r['data']} {r['trees']}/{r['depth']}",
                seconds(r["exact_s"]),
                seconds(r["integers_s"]),
                f"{r['cost']:.2f}",
                f"{r['other_answers']} of {r['rows']}",
                r["wrong"],
            )
            for r in figures["exactness"]
        ),
    )
    print(figures["memory"], figures["threads"], sep="\n", end="\n\n")


def orders() -> None:
    table(
        ("order", "features", "rows covered", "log10 of volume", "median"),
        (
            (
                name,
                f"{r['mean_features']:.1f}",
                f"{r['mean_coverage']:.1%}",
                f"{r['mean_log10_volume']:.1f}",
                seconds(r["median_s"]),
            )
            for name, r in read("orders").items()
        ),
    )


def compiled(figures: Row) -> tuple[str, str]:
    """Time and nodes of a compilation; what did not compile says so."""
    if "too_large" in figures:
        return "too large" if "not done" not in figures["too_large"] else figures["too_large"], ""
    return seconds(figures["seconds"]), f"{figures['nodes']:,}"


def counted(figures: Row) -> str:
    """The row with the most explanations."""
    if "too_large" in figures:
        return ""
    if not figures.get("explained"):
        return "too many"
    took = seconds(figures["most_s"]) if figures["most_s"] > TICK else "a tick"
    return f"{figures['most']:,} in {took}"


def diagrams() -> None:
    table(
        (
            "forest",
            "variables, values",
            "majority: time",
            "nodes",
            "most explanations of a row",
            "OxiDD: time",
            "nodes",
            "own vote: time",
            "nodes",
            "most explanations of a row",
            "rows tried, differ",
        ),
        (
            (
                f"{r['data']} {r['trees']}/{r['depth']}",
                next(
                    (f"{f['variables']}, {f['values']}" for f in (r["majority"], r["model"]) if "nodes" in f),
                    "",
                ),
                *compiled(r["majority"]),
                counted(r["majority"]),
                *compiled(r["oxidd"]),
                *compiled(r["model"]),
                counted(r["model"]),
                tried(r),
            )
            for r in read("diagrams")["forests"]
        ),
    )


def tried(row: Row) -> str:
    done = [row[vote] for vote in ("majority", "model") if "nodes" in row[vote]]
    if not done:
        return ""
    return f"{sum(f['rows_tried'] for f in done):,}, {sum(f['rows_that_differ'] for f in done)}"


def single_trees() -> None:
    rows = read("single_trees")["trees"]
    questions = [name for name in rows[0] if "(" in name]
    table(
        ("leaves", "features", *questions),
        (
            (
                f"{r['leaves']:,}",
                r["features"],
                *(f"{seconds(r[q]['median_s'])}, worst {seconds(r[q]['worst_s'])}" for q in questions),
            )
            for r in rows
        ),
    )


def timed(figures: Row) -> str:
    return f"{seconds(figures['median_s'])}, {seconds(figures['p95_s'])}, {seconds(figures['worst_s'])}"


def boosted() -> None:
    figures = read("boosted")
    languages = ("values", "sets")
    everything = [
        ("all", "", "", *(timed(figures["aaai"]["all"][language]) for language in languages), ""),
    ]
    table(
        ("data", "classes", "trees", "`values`: median, 95%, worst", "`sets`", "proved, broken"),
        [
            *(
                (
                    row["data"],
                    row["classes"],
                    row["trees"],
                    *(timed(row[language]) for language in languages),
                    f"{sum(row[x]['proved'] for x in languages)} of {sum(row[x]['rows'] for x in languages)}, "
                    f"{sum(row[x]['broken'] for x in languages)}",
                )
                for row in figures["aaai"]["models"]
            ),
            *everything,
        ],
    )
    table(
        ("LightGBM", "trees", "leaves", "`values`: median, 95%, worst", "`sets`", "proved"),
        (
            (
                row["data"],
                row["trees"],
                f"{row['leaves']:,}",
                *(timed(row[language]) for language in languages),
                f"{sum(row[x]['proved'] for x in languages)} of {sum(row[x]['rows'] for x in languages)}",
            )
            for row in figures["lightgbm"]["models"]
        ),
    )
    table(
        ("native categories", "per column", "`values`: median, 95%, worst", "`sets`"),
        (
            (row["library"], row["categories"], *(timed(row[language]) for language in languages))
            for row in figures["categories"]["models"]
        ),
    )
    table(
        ("model", "trees", "read in", "explainer ready in"),
        (
            (name, row["trees"], seconds(row["read_s"]), seconds(row["ready_s"]))
            for name, row in figures["reading"].items()
        ),
    )


def batches() -> None:
    lines = read("batches")["lines"]
    of = {(line["what"], line["data"], line.get("literals")): line for line in lines}
    speeds = [line for line in lines if line["what"] == "speed"]
    table(
        ("data", "one row", "rows per second, 1 job", "2 jobs", "times", "overhead", "written row"),
        (
            (
                line["data"],
                seconds(line["row_s"]),
                f"{line['one_job_rows_per_s']:,.1f}",
                f"{line['two_jobs_rows_per_s']:,.1f}",
                f"{line['speed_up']:.2f}",
                f"{100 * line['overhead']:.1f}%",
                f"{1000 * of['files', line['data'], None]['row_s']:.2f} ms",
            )
            for line in speeds
        ),
    )

    def fewer(line: Row) -> str:
        return (
            f"{line['explained']:,}, **{line['times_fewer']:.1f}**, "
            f"{line['cpu_s']:.3g} s of {line['cpu_s_without']:.3g} s"
        )

    table(
        ("data", "rows", "cells", "`sets`: explained, times fewer, CPU time", "`intervals`", "`values`"),
        (
            (
                data,
                f"{of['reuse', data, 'sets']['rows']:,}",
                f"{of['reuse', data, 'sets']['distinct_cells']:,}",
                *(fewer(of["reuse", data, literals]) for literals in ("sets", "intervals", "values")),
            )
            for data in (line["data"] for line in speeds)
        ),
    )
    for grown in (line for line in lines if line["what"] == "growth"):
        each = ", ".join(map(str, grown["explained_by_block"]))
        print(f"{grown['data']}, {grown['rows']:,} rows, blocks of {grown['block']:,}, explained: {each}\n")
    (million,) = (line for line in lines if line["what"] == "million")
    table(
        ("cores", *million["hours"]),
        (
            (cores, *(f"{60 * hours[cores]:,.0f} min" for hours in million["hours"].values()))
            for cores in next(iter(million["hours"].values()))
        ),
    )


if __name__ == "__main__":
    overview()
    details()
    scaling()
    orders()
    diagrams()
    single_trees()
    boosted()
    batches()
