"""Corrections: parsed from a file, applied to the store, their effect on a list as a diff."""
