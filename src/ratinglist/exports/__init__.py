"""A published list in the shapes that other programs read."""
