"""What is built on the questions: the audit report, adverse action, checking what others claim."""
