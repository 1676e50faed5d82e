"""The commands of the program, a module for each or for a few that belong together."""
