"""A home and publications of each release, kept so that every later version is tried on them."""
