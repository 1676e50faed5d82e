"""Questions about a whole model, and about encodings."""
