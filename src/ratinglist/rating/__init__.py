"""The calculation of one month, in pure functions: dated rules, verdicts, changes, entries, the new list."""
