"""The command line: a thin layer that calls the library and writes its answers."""
