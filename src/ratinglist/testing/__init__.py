"""The promises that every rating system keeps, checked on made-up months: ``python -m ratinglist.testing SYSTEM``.

The test of a package calls :func:`broken_promises`. Only the public parts of the program are used: a system is checked
through its office, its list and its figures, and not by what is inside it.
"""

from ratinglist.testing.made_up import MadeUp, Sample, calculated, sample_of
from ratinglist.testing.promises import PROMISES, Promise, broken_promises

__all__ = ["PROMISES", "MadeUp", "Promise", "Sample", "broken_promises", "calculated", "sample_of"]
