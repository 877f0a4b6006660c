"""The rating of the German Chess Federation (DWZ): event by event, with an index of rated events."""

from ratinglist.rating.systems.system import RatingSystem
from ratinglist_nations.dwz.month import CHANGE_COLUMNS, GAME_COLUMNS, LIST_COLUMNS, STATE, rate
from ratinglist_nations.dwz.rules import DwzRules

SYSTEM = RatingSystem(
    DwzRules,
    rate,
    needs_rated=True,
    state=STATE,
    list_columns=LIST_COLUMNS,
    change_columns=CHANGE_COLUMNS,
    game_columns=GAME_COLUMNS,
    reads_references=True,
    rules_of_event_end=True,
)
