"""What an account of a player is made of, statistics of lists, what an import changes."""
