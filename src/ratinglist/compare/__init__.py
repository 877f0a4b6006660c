"""Our list beside an official one: every difference, and why."""
