"""The static site: everything published, as pages and as data files that a browser reads."""
