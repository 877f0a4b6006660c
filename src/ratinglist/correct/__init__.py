"""What was wrong, what it moves, and what was known before."""
