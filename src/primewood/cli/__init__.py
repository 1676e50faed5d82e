"""The command line: thin, it calls the library and writes what it answers."""
