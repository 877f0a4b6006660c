"""Corrections: parsed, applied to what was received, and their effect on a list as a diff with its causes.

What other packages use stands here: :func:`parse_corrections` reads a file of them, :func:`apply_correction` puts one
into the store, and :func:`compare_revisions` says for which players a list differs, and why.
"""
