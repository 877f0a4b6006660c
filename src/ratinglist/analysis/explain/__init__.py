"""Explain how a player's rating of one list was calculated, game by game, as terms, data and text.

What other packages use stands here: :func:`account` makes the account of a player from the published rows.
"""

from ratinglist.analysis.explain.fide_terms import Stated, coefficient_cases, is_limited
from ratinglist.analysis.explain.player_account import Account, Sources, account, results_of_month
from ratinglist.analysis.explain.unlisted import UnlistedAccount, unlisted_account

__all__ = [
    "Account",
    "Sources",
    "Stated",
    "UnlistedAccount",
    "account",
    "coefficient_cases",
    "is_limited",
    "results_of_month",
    "unlisted_account",
]
