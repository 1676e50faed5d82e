"""The paper's own procedure on existing Boolean tools."""
