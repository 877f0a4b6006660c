"""Explain how a player's rating of one list was calculated, game by game, as data and as text."""
