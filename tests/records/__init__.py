"""Records of what primewood answers: 2,000 seeded questions about 12 kinds of models, and their comparison.

``python -m records write FILE`` asks the questions and writes one line per answer; ``python -m records compare A B``
says what differs. A change of structure must leave every answer, and every count of search nodes, as it was.
"""

FORMAT = "primewood records"
