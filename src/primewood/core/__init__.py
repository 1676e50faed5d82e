"""The C++ core, compiled from ``src/native``: links, exact search on tree ensembles, and decision diagrams."""
