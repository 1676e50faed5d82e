"""The commands of the program: one module for each command, or for a few related commands."""
