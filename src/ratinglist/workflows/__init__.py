"""One module per command: it opens the store, calls the steps in order and returns a summary."""
