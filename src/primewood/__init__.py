"""primewood: why a tree ensemble decided what it decided, with proof.

The public names are listed in the stub beside this file, and imported when they are first used: a program that only
prints its help, or only reads saved explanations, does not wait for the engines.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
