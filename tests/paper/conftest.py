import pytest

import primewood as pw


@pytest.fixture(params=["bdd", "sat", "diagram"])
def engine(request):
    return request.param


@pytest.fixture
def figure_tree():
    """The tree of the paper's figure; a test that is true goes left."""
    return pw.Tree.build((0, 6, (0, 2, (1, -7, [1, 0], [0, 1]), [0, 1]), [1, 0]))


@pytest.fixture
def figure(figure_tree):
    """The tree of the paper's figure as an ensemble with the strict test `<`."""
    return pw.Ensemble((figure_tree,), ("X", "Y"), (0, 1), operator="<", dtype="float64")
