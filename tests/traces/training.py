"""The estimators that recipes name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from traces.recipes import Recipe


def make(recipe: Recipe, native: Sequence[str]) -> Any:
    """The estimator of a recipe, not fitted yet; `native` are the columns that it takes for categories itself."""
    return MAKERS[recipe.kind](recipe, native)


def _tree(recipe: Recipe, native: Sequence[str]) -> Any:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    chosen = DecisionTreeRegressor if recipe.number else DecisionTreeClassifier
    return chosen(max_depth=recipe.depth, random_state=recipe.seed)


def _forest(recipe: Recipe, native: Sequence[str]) -> Any:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    chosen = RandomForestRegressor if recipe.number else RandomForestClassifier
    return chosen(recipe.trees, max_depth=recipe.depth, random_state=recipe.seed, n_jobs=recipe.jobs)


def _extra(recipe: Recipe, native: Sequence[str]) -> Any:
    from sklearn.ensemble import ExtraTreesClassifier

    return ExtraTreesClassifier(recipe.trees, max_depth=recipe.depth, random_state=recipe.seed)


def _bagging(recipe: Recipe, native: Sequence[str]) -> Any:
    from sklearn.ensemble import BaggingClassifier

    return BaggingClassifier(_tree(recipe, native), recipe.trees, random_state=recipe.seed)


def _voting(recipe: Recipe, native: Sequence[str]) -> Any:
    from sklearn.ensemble import VotingClassifier

    if recipe.seed % 2 and recipe.cutoff is None:
        trees = [(f"tree {i}", _tree(replace(recipe, depth=1 + i), native)) for i in range(recipe.trees)]
        return VotingClassifier(trees, voting="hard")
    parts = [
        ("tree", _tree(recipe, native)),
        ("forest", _forest(recipe, native)),
        ("extra", _extra(recipe, native)),
    ]
    return VotingClassifier(parts[: 1 + recipe.trees], voting="soft")


def _gradient(recipe: Recipe, native: Sequence[str]) -> Any:
    from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

    chosen = GradientBoostingRegressor if recipe.number else GradientBoostingClassifier
    return chosen(
        n_estimators=recipe.trees, max_depth=recipe.depth, random_state=recipe.seed, learning_rate=0.5
    )


def _hist(recipe: Recipe, native: Sequence[str]) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    chosen = HistGradientBoostingRegressor if recipe.number else HistGradientBoostingClassifier
    return chosen(
        max_iter=recipe.trees,
        max_depth=recipe.depth,
        min_samples_leaf=2,
        early_stopping=False,
        random_state=recipe.seed,
        categorical_features=list(native) or None,
    )


def _pipeline(recipe: Recipe, native: Sequence[str]) -> Any:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import KBinsDiscretizer, MinMaxScaler, StandardScaler

    steps = [StandardScaler(), MinMaxScaler(), KBinsDiscretizer(3, encode="ordinal", strategy="uniform")]
    return make_pipeline(steps[recipe.seed % 3], _forest(recipe, native))


def _imputed(recipe: Recipe, native: Sequence[str]) -> Any:
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline

    return make_pipeline(SimpleImputer(strategy="median"), _forest(recipe, native))


def _encoded(recipe: Recipe, native: Sequence[str]) -> Any:
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

    encoders = [
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
    ]
    table = make_column_transformer((encoders[recipe.seed % 2], list(native)), remainder="passthrough")
    return make_pipeline(table, _forest(recipe, native))


def _fixed(recipe: Recipe, native: Sequence[str]) -> Any:
    from sklearn.model_selection import FixedThresholdClassifier

    return FixedThresholdClassifier(_forest(recipe, native), threshold=(0.3, 0.5, 2 / 3)[recipe.seed % 3])


def _xgboost(recipe: Recipe, native: Sequence[str]) -> Any:
    from xgboost import XGBClassifier, XGBRegressor

    chosen = XGBRegressor if recipe.number else XGBClassifier
    return chosen(
        n_estimators=recipe.trees,
        max_depth=recipe.depth,
        n_jobs=1,
        random_state=recipe.seed,
        min_child_weight=0,
        enable_categorical=bool(native),
        max_cat_to_onehot=(1, 9)[recipe.seed % 2],
        booster="dart" if recipe.seed % 5 == 0 and not recipe.saved else "gbtree",
    )


def _lightgbm(recipe: Recipe, native: Sequence[str]) -> Any:
    from lightgbm import LGBMClassifier, LGBMRegressor

    chosen = LGBMRegressor if recipe.number else LGBMClassifier
    return chosen(
        n_estimators=recipe.trees,
        max_depth=recipe.depth,
        num_leaves=2**recipe.depth,
        min_child_samples=1,
        min_data_per_group=1,
        cat_smooth=1,
        n_jobs=1,
        random_state=recipe.seed,
        verbose=-1,
        deterministic=True,
        force_row_wise=True,
        boosting_type="dart" if recipe.seed % 5 == 0 else "gbdt",
    )


def _catboost(recipe: Recipe, native: Sequence[str]) -> Any:
    from catboost import CatBoostClassifier, CatBoostRegressor

    chosen = CatBoostRegressor if recipe.number else CatBoostClassifier
    more = {} if recipe.number or recipe.classes == 2 else {"loss_function": "MultiClass"}
    return chosen(
        iterations=recipe.trees,
        depth=recipe.depth,
        random_seed=recipe.seed,
        thread_count=1,
        verbose=False,
        allow_writing_files=False,
        one_hot_max_size=9,
        cat_features=list(native) or None,
        learning_rate=0.5,
        **more,
    )


MAKERS: dict[str, Callable[[Recipe, Sequence[str]], Any]] = {
    "tree": _tree,
    "forest": _forest,
    "extra": _extra,
    "bagging": _bagging,
    "voting": _voting,
    "gradient": _gradient,
    "hist": _hist,
    "pipeline": _pipeline,
    "imputed": _imputed,
    "encoded": _encoded,
    "fixed": _fixed,
    "xgboost": _xgboost,
    "lightgbm": _lightgbm,
    "catboost": _catboost,
}
