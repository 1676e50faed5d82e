"""The subject of questions: a model over its domain, and a decision that it takes."""
