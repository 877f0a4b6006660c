"""The laboratory: an office's own months replayed under any rating system, and what each system predicts, measured.

What the command line and an analyst's file use stands here: :func:`freeze` copies the inputs of some months,
:func:`replay` calculates them by rule families and by analysts' classes, :func:`report` compares what these predicted,
and :func:`what_if` changes values of a regulation. :func:`study` does the first three with every system.
"""
