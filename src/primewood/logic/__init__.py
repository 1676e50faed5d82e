"""Multi-valued logic: variables, literals, terms, expressions; the ground truth for primes."""
