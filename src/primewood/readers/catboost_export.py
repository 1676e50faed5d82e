"""The program of a child process: it loads CatBoost's binary file, and writes the model as CatBoost's JSON."""

from __future__ import annotations

import sys

import catboost  # type: ignore[import-untyped]


def export(source: str, target: str) -> None:
    """Load a binary file, and write its model."""
    model = catboost.CatBoost().load_model(source, format="cbm")
    derived = [*model.get_text_feature_indices(), *model.get_embedding_feature_indices()]
    if derived:
        sys.exit("it tests numbers that are derived from text or embedding columns, which are not read")
    model.save_model(target, format="json")


if __name__ == "__main__":
    try:
        export(*sys.argv[1:])
    except catboost.CatBoostError as problem:
        sys.exit(str(problem).partition("\n")[0])
