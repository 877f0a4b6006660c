"""The causes for which our list and an official one can differ.

A cause is a *reading* (the regulations leave a choice, or an imported list lacks a value and it was inferred) or an
*event* that only one of the two lists counts. Where several causes give exactly the official number, a narrow one is
named first, then the one that explains most players of the list, then the first one here. GLOSSARY.md explains the
codes and is tested against this module.
"""

from __future__ import annotations

from dataclasses import dataclass

CLASSES = ("equal", "reading", "event", "unexplained")
"""The classes of a player, or of one column of a player."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One cause: its ``kind`` (``reading`` or ``event``) and what the official list does differently.

    ``narrow``: it can only concern the few players to whom a special rule applies.
    """

    kind: str
    description: str
    narrow: bool = False


CAUSES: dict[str, Cause] = {
    # the list
    "one_time_step": Cause("reading", "the one-time step of the list is taken on one side alone", narrow=True),
    "floor": Cause("reading", "another floor is applied", narrow=True),
    "newcomer_games": Cause(
        "reading", "a newcomer is shown with all the games of the pool, not those of the period", narrow=True
    ),
    "games_against_unrated": Cause("reading", "games against unrated opponents are shown too", narrow=True),
    # games that count by one reading alone
    "standard_stands_in": Cause("reading", "a standard rating does not stand in for a missing one", narrow=True),
    "time_limit": Cause("reading", "the limit on the thinking time is read differently", narrow=True),
    "same_game": Cause("reading", "a game that came in two reports counts twice", narrow=True),
    "rating_gap": Cause("reading", "the rule on gaps of 600 is read differently", narrow=True),
    "opponent_rated_since": Cause("reading", "an opponent counts who was rated after the event had begun", narrow=True),
    "player_rated_since": Cause("reading", "games from before the player was rated do not count", narrow=True),
    "zero_first_event": Cause("reading", "a first event without a point counts for an entry", narrow=True),
    "tranche_too_small": Cause("reading", "a small partial result counts for an entry", narrow=True),
    "entry_window": Cause("reading", "results count longer for an entry", narrow=True),
    # rounding
    "halves_up": Cause("reading", "half a point is rounded up, also where points are lost"),
    "halves_towards_zero": Cause("reading", "half a point is rounded towards zero"),
    "halves_to_even": Cause("reading", "half a point is rounded to the even number"),
    "rounded_per_event": Cause("reading", "the change is rounded for every event, not once"),
    "rounded_per_period": Cause("reading", "the change is rounded once, not for every event"),
    # events
    "extra_event": Cause("event", "an event of ours does not count"),
    "missing_event": Cause("event", "an event counts that we know and did not rate"),
    "event_not_received": Cause("event", "games count that are in no report of ours"),
    # large differences
    "cap_every_game": Cause("reading", "a difference above 400 is cut in every game"),
    "cap_once": Cause("reading", "of the differences in a player's favour only the largest of an event is cut"),
    "cap_below_2650": Cause("reading", "the difference of a player rated 2650 or more is not cut"),
    "no_cap": Cause("reading", "no difference is cut"),
    # ratings used
    "newest_ratings": Cause("reading", "the ratings of the newest list are used, not those at the start of the event"),
    # K
    "k_limit": Cause("reading", "the limit of 700 on K × games is read differently"),
    "k_junior_until": Cause("reading", "a junior's K ends on another day"),
    "k_junior_judged_on": Cause("reading", "a junior's age is judged on another day"),
    "k_state": Cause("reading", "K is judged on the new list, not on the one before, or the other way round"),
    "k_fixed": Cause("reading", "K is fixed in rapid and blitz on one side alone"),
    "k_inferred": Cause("reading", "our K rests on a state inferred from an imported list"),
    # entries
    "entry_method": Cause("reading", "the initial rating is computed by the other method"),
    "entry_maximum": Cause("reading", "the highest initial rating is another"),
    "entry_share_cut": Cause("reading", "the share of the points is cut to hundredths, not rounded"),
    # descriptive columns
    "follows_rating": Cause("reading", "follows from the difference of rating or games"),
    "inactive_after": Cause("reading", "a player becomes inactive after another number of lists"),
    "last_game_inferred": Cause("reading", "our last game is inferred from an imported list"),
    "transliteration": Cause("reading", "the same name, written with other letters"),
    "another_version": Cause("reading", "the player's data as the store knew them on another day"),
}
"""Code to cause. ``follows_rating`` takes the kind of the cause that it follows from."""

UNEXPLAINED = "unexplained"
"""The class where no cause gives the official number."""
