"""Answers as HTML, from their plain records: cards for notebooks, and whole pages that open offline."""
