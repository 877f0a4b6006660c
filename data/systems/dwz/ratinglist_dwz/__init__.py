"""The rating of the German Chess Federation (DWZ): event by event, with an index of rated events."""

from importlib.resources import files

from ratinglist.rating.systems.account import SystemAccount
from ratinglist.rating.systems.system import RatingSystem
from ratinglist_dwz.account import due_of_games, figures, games_again
from ratinglist_dwz.month import CHANGE_COLUMNS, GAME_COLUMNS, LIST_COLUMNS, STATE, rate
from ratinglist_dwz.rules import DwzRules

SYSTEM = RatingSystem(
    DwzRules,
    rate,
    SystemAccount(figures, due_of_games, games=games_again),
    rules=files(__name__) / "rules",
    needs_rated=True,
    state=STATE,
    list_columns=LIST_COLUMNS,
    change_columns=CHANGE_COLUMNS,
    game_columns=GAME_COLUMNS,
    reads_references=True,
    rules_of_event_end=True,
)
