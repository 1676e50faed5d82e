"""Boolean encodings of multi-valued expressions: Ψ, Δ_b, decoding, clauses."""

from primewood.encodings.clauses import Cnf
from primewood.encodings.encoding import Encoding, entails_under
from primewood.encodings.highest_bit import HighestBit
from primewood.encodings.obdd import Obdd
from primewood.encodings.one_hot import OneHot
from primewood.encodings.prefix import Prefix

__all__ = ["Cnf", "Encoding", "HighestBit", "Obdd", "OneHot", "Prefix", "entails_under"]
