"""How a player's number came about, game by game, as data and as text."""
