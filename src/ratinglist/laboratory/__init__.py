"""The laboratory: an office's own months replayed under any rating system, and what each system predicts, measured.

What the command line and an analyst's file use stands here: :func:`freeze` copies the inputs of some months,
:func:`replay` calculates them by rule families and by analysts' classes, :func:`report` compares what these predicted,
and :func:`what_if` changes values of a regulation. :func:`study` does the first three with every system.
"""

from ratinglist.laboratory.freezing import freeze
from ratinglist.laboratory.own_system import OwnMonth, gather, logistic
from ratinglist.laboratory.ready_study import study
from ratinglist.laboratory.replay import STARTS, replay
from ratinglist.laboratory.report import report
from ratinglist.laboratory.what_if import TABLES, what_if

__all__ = [
    "STARTS",
    "TABLES",
    "OwnMonth",
    "freeze",
    "gather",
    "logistic",
    "replay",
    "report",
    "study",
    "what_if",
]
