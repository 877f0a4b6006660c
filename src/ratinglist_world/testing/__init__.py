"""The promises that every rating system keeps, checked on made-up months.

From the command line: ``python -m ratinglist_world.testing SYSTEM``.

The tests of a package call :func:`broken_promises`, and :func:`unlike_second_calculation` for its ratings. Only the
public parts of the program are used: a system is checked through its office and its list, and not by what is inside it.
"""

from ratinglist_world.testing.made_up import MadeUp, Sample, sample_of
from ratinglist_world.testing.promises import PROMISES, Promise, broken_promises
from ratinglist_world.testing.second_calculation import PlainGame, PlainPlayer, unlike_second_calculation

__all__ = [
    "PROMISES",
    "MadeUp",
    "PlainGame",
    "PlainPlayer",
    "Promise",
    "Sample",
    "broken_promises",
    "sample_of",
    "unlike_second_calculation",
]
