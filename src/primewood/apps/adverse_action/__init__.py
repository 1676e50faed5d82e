"""Adverse-action reasons: why a case was declined, in order of importance and in the words of a table of codes.

Some features are *hidden*: protected, undisclosable, or immutable. They keep the row's values throughout and are
never named. A set S of the others is a *change* if some possible row that differs from the declined one in S only is
decided favourably; a *minimal* change contains no smaller one (a contrastive explanation towards the favourable
decision). With

    size(f)  the number of features in the smallest minimal change that contains f,
    move(f)  the least share of its training range by which f moves, over the favourable rows that make a change of
             that size that contains f (another category, or a number where none was given, is one whole range; a
             number moves to the nearest one that the model can tell from its own),

f is a reason iff it is in some minimal change, and reasons are ordered by size, then by move, then by column. So what
would have sufficed by itself comes first. Without training rows moves are not compared.

Minimal changes are found by `primewood.questions.changes_by_size`; here they are ranked, coded and put into words.
"""

from primewood.apps.adverse_action.asking import LetterOptions, adverse_action
from primewood.apps.adverse_action.codes import Codes, CodeTable
from primewood.apps.adverse_action.reasons import AdverseAction, AdverseReason

__all__ = ["AdverseAction", "AdverseReason", "CodeTable", "Codes", "LetterOptions", "adverse_action"]
