"""The rating of US Chess: event by event, with provisional ratings, bonuses and floors."""

from ratinglist.rating.systems.system import RatingSystem
from ratinglist_nations.uschess.columns import CHANGE_COLUMNS, GAME_COLUMNS, LIST_COLUMNS, STATE
from ratinglist_nations.uschess.month import rate
from ratinglist_nations.uschess.rules import UschessRules

SYSTEM = RatingSystem(
    UschessRules,
    rate,
    state=STATE,
    list_columns=LIST_COLUMNS,
    change_columns=CHANGE_COLUMNS,
    game_columns=GAME_COLUMNS,
    reads_references=True,
)
