"""The diagram engine: compile once, then ask anything. A multi-valued decision diagram, one level per variable."""
