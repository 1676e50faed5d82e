"""Text, frames, plots and pages from the plain records of answers; nothing is computed here."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submodules={"plots"})
