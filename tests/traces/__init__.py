"""The trace fuzzer: random models, random calls, every answer judged by brute force.

- `recipes`, `constraints`, `data`: a recipe is a few plain numbers; the same recipe always makes the same model.
- `training`, `hand`, `deciding`, `models`: the model of a recipe, and who decides: the library itself.
- `table`, `moves`, `explanations`: all cells, all boxes over them, all distances; what judges answers.
- `why`, `contrasts`, `what_if`, `adverse`, `whole`, `states`: calls; each asks one question and judges its answer.
- `calls`, `drawing`, `trace`: which calls there are, how a seed becomes a trace, and how a trace is run.
- `shrink`, `running`: what fails is made small and written as a script; child processes survive crashes.
"""

from traces.calls import Call
from traces.recipes import Recipe
from traces.trace import Trace, replay

__all__ = ["Call", "Recipe", "Trace", "replay"]
