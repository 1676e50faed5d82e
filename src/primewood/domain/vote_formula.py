"""The decision of an ensemble as an expression (the paper's section 4.4).

A leaf is the term of the tests on its path. A tree's vote for a class is the disjunction of its leaves
of that class. The ensemble decides for a class iff, against every rival, it has at least as many votes,
and more where the rival comes first in ties: a gate "at least k of the trees' votes".
"""

from __future__ import annotations

from primewood.domain.domain import Domain
from primewood.ensemble import Ensemble, Tree
from primewood.logic.connectives import at_least, conjunction, disjunction
from primewood.logic.expression import FALSE, TRUE, Expression


class Formulas:
    """The expressions of an ensemble's decisions over a domain; the trees' votes are shared."""

    def __init__(self, ensemble: Ensemble, domain: Domain) -> None:
        self.ensemble = ensemble
        self.domain = domain
        self._votes: dict[int, list[Expression]] = {}

    def decision(self, label: int) -> Expression:
        """The expression "the ensemble decides for the class with this index"."""
        classes, trees = len(self.ensemble.classes), len(self.ensemble.trees)
        votes = self.votes(label)
        gates = []
        for rival in range(classes):
            ahead = 1 if rival < label else 0
            if rival == label:
                continue
            if classes == 2 or trees == 1:
                gates.append(at_least((trees + ahead + 1) // 2, votes))
            else:
                against = [~vote for vote in self.votes(rival)]
                gates.append(at_least(trees + ahead, [*votes, *against]))
        return conjunction(gates).over(self.domain.variables)

    def votes(self, label: int) -> list[Expression]:
        """Per tree the expression "this tree votes for the class"."""
        if label not in self._votes:
            self._votes[label] = [self._vote(tree, label) for tree in self.ensemble.trees]
        return self._votes[label]

    def _vote(self, tree: Tree, label: int) -> Expression:
        paths: list[Expression] = []
        classes = self.ensemble.leaf_classes(tree)
        todo: list[tuple[int, Expression]] = [(0, TRUE)]
        while todo:
            node, path = todo.pop()
            if tree.is_leaf[node]:
                if classes[node] == label:
                    paths.append(path)
                continue
            left = self._test(tree, node)
            for child, side in ((tree.right[node], ~left), (tree.left[node], left)):
                longer = conjunction([path, side])
                if longer != FALSE:
                    todo.append((int(child), longer))
        return disjunction(paths)

    def _test(self, tree: Tree, node: int) -> Expression:
        left = self.domain.left_of(self.ensemble, tree, node)
        if isinstance(left, bool):
            return TRUE if left else FALSE
        return self.domain.variables[int(self.domain.places[tree.feature[node]])].of_mask(left)
