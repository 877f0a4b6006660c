"""How one player's number of a published list came about, for an officer and for the player."""
