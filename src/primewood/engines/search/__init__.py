"""Exact branch and bound on the trees themselves: real forests at real size."""
