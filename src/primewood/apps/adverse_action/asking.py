"""Asking for the reasons."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from primewood.apps.adverse_action.codes import Codes, CodeTable
from primewood.apps.adverse_action.letter import letter
from primewood.apps.adverse_action.ranking import Ranking
from primewood.apps.adverse_action.reasons import AdverseAction
from primewood.engines.protocol import Clock
from primewood.errors import InvalidInput, NoCertificate, format_list
from primewood.model.decision import RowDecision
from primewood.questions.certified import Certifier
from primewood.questions.changes_by_size import MinimalChanges
from primewood.questions.in_short.answer import InShort
from primewood.questions.in_short.find import find_in_short
from primewood.questions.rule_certificate import RuleCertifier


@dataclass(frozen=True)
class LetterOptions:
    """What may be said in an adverse action, and how.

    Attributes
    ----------
    codes : Codes or None
        What to say about each feature.
    protected, undisclosable : iterable of str
        Features that keep the row's values and are never named.
    most : int
        How many reasons to give at most.
    in_short : bool
        Whether to add how often cases like this one got the same decision.
    certificate : bool
        Whether the letter names a certificate of its ranges.
    """

    codes: Codes | None = None
    protected: Iterable[str] = ()
    undisclosable: Iterable[str] = ()
    most: int = 4
    in_short: bool = False
    certificate: bool = False

    @property
    def hidden(self) -> tuple[str, ...]:
        """The features that are never named."""
        protected = _check_names("protected", self.protected)
        return (*protected, *_check_names("undisclosable", self.undisclosable))

    def check(self) -> None:
        """Raise for what cannot be."""
        if isinstance(self.most, bool) or not isinstance(self.most, int) or self.most < 1:
            raise InvalidInput(f"most must be a positive number, not {self.most!r}")


def _check_names(what: str, names: Iterable[str]) -> tuple[str, ...]:
    """Names of features as a tuple; a single text is refused, as its letters would be taken for names."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InvalidInput(f"{what} must be a list of feature names; write {what}=[{names!r}]")
    return tuple(names)


def adverse_action(
    decision: RowDecision, favourable: object, wording: LetterOptions, clock: Clock
) -> AdverseAction:
    """The principal reasons for a decision that is not the favourable one."""
    context, hidden = decision.context, wording.hidden
    wording.check()
    table = CodeTable(wording.codes, context.feature_names)
    if favourable is None:
        raise InvalidInput(f"pass the favourable decision; there are {format_list(context.class_names)}")
    target = context.label(favourable)
    if decision.sum_sequentially().label == target:
        raise InvalidInput(f"the row is decided {favourable} already: there is no adverse action to explain")
    changes = MinimalChanges(decision, target, hidden, clock)
    score = changes.decision.score_towards(target)
    ranking = Ranking(changes, table, wording.most)
    reasons, status = ranking.reasons(), ranking.status
    uncoded = [x.feature for x in reasons if table.given and table.entry(x.feature, x.direction) is None]
    short = _shorten(changes.decision, hidden) if wording.in_short else None
    others = tuple(k for k in range(len(context.class_names)) if k != target)
    certify: Certifier = RuleCertifier(decision.model, tuple(ranking.boxes), others)
    certified = None
    if wording.certificate and ranking.boxes:
        with suppress(NoCertificate):
            certificate = certify(Clock(clock.limit))
            certified, certify = certificate.digest, lambda _: certificate
    return AdverseAction(
        decision=changes.decision.name,
        favourable=favourable,
        reasons=reasons,
        status=status,
        left_out=_check_names("protected", wording.protected),
        uncoded=tuple(uncoded),
        score=score,
        letter=letter(context, score, favourable, reasons, status, short, certified),
        model=context.digest,
        in_short=short,
        certified=certified,
        certify=certify,
    )


def _shorten(decision: RowDecision, hidden: tuple[str, ...]) -> InShort:
    """The decision in short, without the features that are never named."""
    model = decision.model
    return find_in_short(decision, avoided=model.find_places("protected", {*hidden, *model.immutable}))
