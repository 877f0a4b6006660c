"""The desk: an office in the browser of the same computer. It decides nothing: it shows, and gives commands.

What other packages use stands here: :func:`serve`.
"""
