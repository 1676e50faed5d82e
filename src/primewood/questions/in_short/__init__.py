"""A decision in short: few conditions, with counts of how often they hold."""
