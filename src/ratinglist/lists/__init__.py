"""List formats: each format's reader and writer, and the table of formats."""
