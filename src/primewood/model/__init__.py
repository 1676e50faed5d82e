"""What is asked about: a model over its domain, and a decision that it takes."""
