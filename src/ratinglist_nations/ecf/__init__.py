"""The rating of the English Chess Federation: month by month of play, with full, partial and new players."""

from ratinglist.rating.systems.system import RatingSystem
from ratinglist_nations.ecf.month import CHANGE_COLUMNS, GAME_COLUMNS, LIST_COLUMNS, STATE, rate
from ratinglist_nations.ecf.rules import EcfRules

SYSTEM = RatingSystem(
    EcfRules,
    rate,
    state=STATE,
    list_columns=LIST_COLUMNS,
    change_columns=CHANGE_COLUMNS,
    game_columns=GAME_COLUMNS,
)
