"""Made-up federations: players with careers, Swiss events, results, and reports that arrive late or broken.

What other packages use stands here. A :class:`World` is determined by a few numbers (:func:`world_of`);
:func:`starting_list` makes its first list, :func:`months_of` plays its months, and :func:`texts_of` writes the reports.
"""

from ratinglist.simulation.months import HeldEvents, Month, SimulateSummary, months_of, number_deliveries
from ratinglist.simulation.opening_lists import LIST_COLUMNS, PLAYER_COLUMNS, starting_list, with_k
from ratinglist.simulation.plan import Plan, World, world_of
from ratinglist.simulation.report_texts import manifest, texts_of

__all__ = [
    "LIST_COLUMNS",
    "PLAYER_COLUMNS",
    "HeldEvents",
    "Month",
    "Plan",
    "SimulateSummary",
    "World",
    "manifest",
    "months_of",
    "number_deliveries",
    "starting_list",
    "texts_of",
    "with_k",
    "world_of",
]
