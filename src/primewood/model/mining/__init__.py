"""Finding knowledge in the training rows: rules about two features that no training row breaks.

Begin with `mine` in `mining/mine.py`.
"""

from primewood.model.mining.mine import mine

__all__ = ["mine"]
