"""Explanations of many rows."""
