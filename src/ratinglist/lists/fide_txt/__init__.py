"""FIDE's list as fixed-width text: the reader and the writer."""
