"""Questions about one decision, written once over the engine contract."""
