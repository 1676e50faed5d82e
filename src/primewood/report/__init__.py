"""Words for answers, from their plain records; nothing computes here."""
