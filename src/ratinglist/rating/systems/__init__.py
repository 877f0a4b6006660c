"""The systems that are not FIDE's: each takes a list, its rules and the sides of games, and returns the new list."""
