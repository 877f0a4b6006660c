"""What an account of a player is made of, what became of reports, what an import changes."""
