"""Documents with one thing wrong: a type, a number, a place, a field too few."""

from __future__ import annotations

from copy import deepcopy

ODD = (
    None,
    True,
    False,
    0,
    -1,
    1,
    7,
    2**31,
    2**63,
    10**400,
    0.5,
    -0.0,
    1e308,
    float("inf"),
    float("nan"),
    "",
    "x",
    "\x1b[31m",
    "\ud800",
    [],
    [[]],
    {},
    {"x": 1},
    [None],
    [0, 0, 0],
)


def mutate(document, generator):
    """The document with one value, item or field changed, dropped, doubled or nested."""
    changed = deepcopy(document)
    places = list(_places(changed))
    holder, key = places[generator.randrange(len(places))]
    kind = generator.choice(("odd", "odd", "odd", "drop", "double", "nest", "near"))
    if kind == "drop":
        del holder[key]
    elif kind == "double" and isinstance(holder, list):
        holder.insert(key, deepcopy(holder[key]))
    elif kind == "nest":
        holder[key] = generator.choice(([holder[key]], {"x": holder[key]}))
    elif kind == "near" and isinstance(holder[key], int | float):
        holder[key] = generator.choice(
            (-holder[key] - 1, holder[key] + 1, str(holder[key]), holder[key] * 1.5)
        )
    else:
        holder[key] = deepcopy(generator.choice(ODD))
    return changed


def _places(value):
    """Where values stand: pairs of a holder and a key."""
    for key, held in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(held, dict | list):
            yield from _places(held)
