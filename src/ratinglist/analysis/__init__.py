"""Analyse lists: explain a rating, compare a list with an official one, find players who may be one person."""
