"""Explain how a player's rating of one list was calculated, game by game, as terms, data and text.

What other packages use stands here: :func:`account` makes the account of a player from the published rows.
"""

from ratinglist.analysis.explain.player_account import Account, Sources, account

__all__ = ["Account", "Sources", "account"]
