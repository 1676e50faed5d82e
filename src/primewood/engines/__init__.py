"""The engines: exact answers about one decision, behind one contract."""
