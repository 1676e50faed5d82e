"""Bundled data sets for the demo and the tests."""
