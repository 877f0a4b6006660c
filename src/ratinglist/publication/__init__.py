"""A list that readers see whole or not at all."""
