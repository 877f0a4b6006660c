"""A static site of everything published: pages, and data files that a browser reads."""
