"""One month's list, from what is known: dated rules, the change of every game, entries, the new list."""
