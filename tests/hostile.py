"""Hostile model files: valid ones of every format, changed at random; and a child process that tries to read them.

Run by itself with a folder, it is that child: it reads the folder's files one by one, and notes before each which one
it is at, so that whoever started it knows which one ended it.
"""

from __future__ import annotations

import copy
import io
import json
import math
import random
import re
import resource
import signal
import struct
import sys
import zipfile
from pathlib import Path

import numpy as np

SECONDS = 60
MEMORY = 4 * 2**30
"""What the child may take: seconds per file, bytes of address space in all."""
NUMBERS = (-1, 0, 1, 2, 3, 7, 255, 10**6, 2**31 - 1, -(2**31), 2**40, 2**63, 10**400)
FLOATS = (0.5, -0.0, 1e-320, 3.5e38, 1e300, math.nan, math.inf, -math.inf)
OTHERS = (
    "",
    "x",
    "-1",
    "1e9",
    "99999999999",
    "NaN",
    None,
    True,
    [],
    {},
    [0],
    [[0]],
    {"a": 1},
    "\ud800"[:0] + "\u00e9",
)


def changed_number(number, chance):
    """A number near another, or far from all that is usual."""
    if chance.random() < 0.3:
        return number + chance.choice([-1, 1, 2]) if isinstance(number, int) else number * 1.5
    return chance.choice([*NUMBERS, *FLOATS])


def changed_text(text, chance):
    """A text with another number in it, cut short, or something else."""
    if re.fullmatch(r"-?\d+", text) and chance.random() < 0.8:
        return str(chance.choice([*NUMBERS, int(text) + 1, int(text) - 1, "1.5", "nan", ""]))
    return copy.deepcopy(chance.choice([text[: len(text) // 2], text + "\0", text * 3, *OTHERS]))


def change_somewhere(node, chance):
    """A document in which one place is changed; lists and objects are changed in place."""
    if isinstance(node, dict) and node and chance.random() < 0.95:
        return change_member(node, chance)
    if isinstance(node, list | np.ndarray) and len(node) and chance.random() < 0.9:
        return change_item(node, chance)
    if isinstance(node, str) and is_json(node) and chance.random() < 0.5:
        return json.dumps(change_somewhere(json.loads(node), chance))
    if isinstance(node, bool) or not isinstance(node, int | float | str) or chance.random() < 0.15:
        return copy.deepcopy(chance.choice([*NUMBERS[:8], *OTHERS]))
    return changed_text(node, chance) if isinstance(node, str) else changed_number(node, chance)


def is_json(text):
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return False


def change_member(record, chance):
    key, draw = chance.choice(sorted(record)), chance.random()
    if draw < 0.04:
        del record[key]
    elif draw < 0.08:
        record[key] = copy.deepcopy(record[chance.choice(sorted(record))])
    elif draw < 0.1:
        record[Twin(key)] = change_somewhere(copy.deepcopy(record[key]), chance)
    else:
        record[key] = change_somewhere(record[key], chance)
    return record


def change_item(values, chance):
    place, draw = chance.randrange(len(values)), chance.random()
    if draw < 0.08:
        return values[:place]
    if draw < 0.14:
        return (
            np.concatenate([values, values[:1]]) if isinstance(values, np.ndarray) else [*values, values[0]]
        )
    if draw < 0.2:
        order = chance.sample(range(len(values)), len(values))
        return values[order] if isinstance(values, np.ndarray) else [values[i] for i in order]
    if isinstance(values, np.ndarray):
        return change_array(values, place, chance)
    values[place] = change_somewhere(values[place], chance)
    return values


def change_array(values, place, chance):
    values = values.copy()
    with np.errstate(all="ignore"):
        try:
            values[place] = changed_number(values[place].item(), chance)
        except (OverflowError, ValueError):
            values[place] = -1
    return values


class Twin(str):
    """A name that an object has twice."""

    def __eq__(self, other):
        return self is other

    def __hash__(self):
        return id(self)


def changed_bytes(raw, chance):
    """Bytes of which some are flipped, overwritten, removed or repeated."""
    found, draw = bytearray(raw), chance.random()
    place = chance.randrange(max(1, len(raw)))
    if draw < 0.1 or len(raw) < 4:
        return bytes(found[:place])
    if draw < 0.2:
        return bytes(found[:place] + found[place : place + chance.randrange(1, 40)] + found[place:])
    if draw < 0.6:
        for _ in range(chance.choice([1, 1, 2, 8])):
            found[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
        return bytes(found)
    number = chance.choice([0, 1, 2**31 - 1, 2**32 - 1, 2**16, chance.randrange(2**32)])
    place -= place % 4 if chance.random() < 0.7 else 0
    found[place : place + 4] = struct.pack("<I", number)
    return bytes(found)


def changed_json(raw, chance):
    if chance.random() < 0.05:
        return changed_bytes(raw, chance)
    document = json.loads(raw)
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        document = change_somewhere(document, chance)
    return json.dumps(document, ensure_ascii=False).encode()


def changed_ubjson(raw, chance):
    from primewood.readers.xgboost_file import Ubjson

    if chance.random() < 0.2:
        return changed_bytes(raw, chance)
    document = Ubjson(raw).document()
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        document = change_somewhere(document, chance)
    return ubjson(document)


def ubjson(node):
    """A document in UBJSON as XGBoost writes it."""
    if isinstance(node, dict):
        return b"{" + b"".join(ubjson(str(key))[1:] + ubjson(value) for key, value in node.items()) + b"}"
    if isinstance(node, np.ndarray):
        mark = {"i1": b"i", "u1": b"U", "i2": b"I", "i4": b"l", "i8": b"L", "f4": b"d", "f8": b"D"}[
            node.dtype.str[1:]
        ]
        return (
            b"[$"
            + mark
            + b"#L"
            + struct.pack(">q", len(node))
            + node.astype(node.dtype.newbyteorder(">")).tobytes()
        )
    if isinstance(node, list):
        return b"[#L" + struct.pack(">q", len(node)) + b"".join(map(ubjson, node))
    if isinstance(node, str):
        return b"SL" + struct.pack(">q", len(node.encode())) + node.encode()
    if node is None or isinstance(node, bool):
        return {None: b"Z", True: b"T", False: b"F"}[node]
    if isinstance(node, int):
        return b"L" + struct.pack(">q", max(-(2**63), min(node, 2**63 - 1)))
    return b"D" + struct.pack(">d", node)


def changed_lines(raw, chance):
    """A text of LightGBM's in which a number or a line is changed; mostly, the sizes of trees fit again."""
    if chance.random() < 0.05:
        return changed_bytes(raw, chance)
    lines = raw.decode().split("\n")
    place = chance.choice([i for i, line in enumerate(lines) if "=" in line])
    draw = chance.random()
    if draw < 0.05:
        del lines[place]
    elif draw < 0.1:
        lines.insert(place, lines[chance.randrange(len(lines))])
    else:
        lines[place] = changed_line(lines[place], chance)
    text = "\n".join(lines)
    if chance.random() < 0.9:
        sizes = [len(block) for block in re.findall(r"Tree=\d+\n.*?\n\n\n", text, re.DOTALL)]
        text = re.sub(r"tree_sizes=.*", lambda _: "tree_sizes=" + " ".join(map(str, sizes)), text, count=1)
    return text.encode()


def changed_line(line, chance):
    key, _, value = line.partition("=")
    words = value.split(" ")
    place = chance.randrange(len(words))
    odd = [*NUMBERS, *FLOATS, "x", "", "1e5", "0x10", "1_0", "-0", "٣"]
    near = [str(int(words[place]) + 1)] * 9 if words[place].isdigit() else []
    words[place] = str(chance.choice([*odd, *near]))
    return f"{key}={' '.join(words[: place + 1] if chance.random() < 0.1 else words)}"


def changed_archive(raw, chance):
    """A skops file of which the schema or an array is changed."""
    if chance.random() < 0.1:
        return changed_bytes(raw, chance)
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = "schema.json" if chance.random() < 0.6 else chance.choice(sorted(members))
    if name == "schema.json":
        members[name] = changed_json(members[name], chance)
    else:
        head = 0 if chance.random() < 0.1 else 128
        members[name] = members[name][:head] + changed_bytes(members[name][head:], chance)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    return target.getvalue()


CHANGES = {
    "XGBoost, JSON": changed_json,
    "XGBoost, UBJSON": changed_ubjson,
    "LightGBM": changed_lines,
    "CatBoost": changed_bytes,
    "CatBoost, JSON": changed_json,
    "skops": changed_archive,
    "primewood": changed_json,
}


def changed(kind, raw, seed):
    """A file of a format, changed as a seed says."""
    return CHANGES[kind](raw, random.Random(seed))


def outcome(path):
    """What becomes of a file: refused with an error of ours, read as the library has it, or a mistake of ours."""
    import primewood as pw
    from primewood.errors import PrimewoodError

    try:
        explainer = pw.Explainer(path)
    except PrimewoodError as problem:
        text = str(problem)
        if "not read exactly" in text or "\n" in text or len(text) > 1000:
            return f"wrong: {text}"
        return f"refused: {text}"
    except Exception as problem:
        return f"wrong: {type(problem).__name__}: {problem}"
    return compared(path, explainer)


def compared(path, explainer):
    """Whether the scores are those that the library itself computes from the file."""
    from primewood.readers import scores_of
    from primewood.readers.fidelity import plant_rows

    own = library_model(path)
    if own is None:
        return "read"
    rows = plant_rows(explainer.ensemble, None, missing=explainer.ensemble.allows_missing, seed=1)
    theirs, ours = scores_of(own, rows, explainer.ensemble.categories), explainer.ensemble.scores(rows)
    return "read" if theirs is None or (theirs == ours).all() else "wrong: other scores than the library"


def library_model(path):
    """The model as its library loads it, without any check; None for our own format."""
    raw = path.read_bytes()
    if path.suffix == ".txt":
        import lightgbm

        return lightgbm.Booster(model_file=path)
    if path.suffix == ".cbm" or b'"features_info"' in raw[: 10**6]:
        import catboost

        return catboost.CatBoost().load_model(str(path), format=path.suffix[1:])
    if path.suffix == ".ubj" or b'"learner"' in raw:
        import xgboost

        return xgboost.Booster(model_file=path)
    return None


def read_all(folder):
    """Read the files of a folder in order, and note what became of each; those that were begun already are left out."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    log = folder / "log"
    begun = {line.split(" ")[0] for line in log.read_text().splitlines()} if log.exists() else set()
    with log.open("a") as notes:
        for path in sorted(path for path in folder.iterdir() if path.name != "log"):
            if path.name in begun:
                continue
            print(path.name, "begun", file=notes, flush=True)
            signal.alarm(SECONDS)
            print(path.name, " ".join(outcome(path).split()), file=notes, flush=True)


if __name__ == "__main__":
    read_all(Path(sys.argv[1]))
