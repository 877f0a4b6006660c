"""The laboratory: an office's own months replayed under any rating system, and what each system predicts, measured.

:func:`~ratinglist_lab.replay.replay` calculates them by rule families and by systems without a list,
:func:`~ratinglist_lab.report.report` compares what these predicted, and
:func:`~ratinglist_lab.report.what_if` changes values of a regulation.
"""
