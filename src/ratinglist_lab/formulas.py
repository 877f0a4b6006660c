"""The commands `ratinglist expected`, `update` and `rounds`: what is calculated from numbers typed in alone."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ratinglist.errors import CommandLineError
from ratinglist.pages.facts import Facts
from ratinglist.store.rule_files import rule_book
from ratinglist.text import counted
from ratinglist.workflows.standings import recommended_rounds
from ratinglist_lab import expected_score as score, updating
from ratinglist_lab.updating import Number

TABLE = "expected_score"
"""The table of the regulations."""


def expected(rating: int, opponent_rating: int, white_advantage: int = 0, *, ingo: bool = False) -> Facts:
    """Return what the first player expects against the second; the first has White where there is an advantage.

    ``ingo``: both numbers are Ingo numbers, of which the lower is the stronger; then there is a row of that model too.
    Out: ``difference``, in points of rating, the advantage included, and the table ``models``: ``model``, ``expected``,
    ``opponent_expected``, ``win``, ``draw`` and ``loss``, all shares of 1.
    """
    points = (
        (score.rating_of_ingo(rating), score.rating_of_ingo(opponent_rating)) if ingo else (rating, opponent_rating)
    )
    difference = points[0] - points[1] + white_advantage
    models = score.models(rule_book().expected_score[TABLE].to_list())
    shares = {name: model(difference) for name, model in models.items()}
    if ingo:
        shares = {"ingo": score.ingo_share(rating, opponent_rating), **shares}
    facts = {
        "rating": rating,
        "opponent_rating": opponent_rating,
        "white_advantage": white_advantage,
        "ingo": ingo,
        "difference": difference,
        "models": pl.DataFrame([_probabilities(name, share) for name, share in shares.items()]),
    }
    return Facts(f"{rating} against {opponent_rating}", facts)


def _probabilities(model: str, share: Number) -> dict[str, object]:
    draw = score.draw_probability(share)
    return {
        "model": model,
        "expected": share,
        "opponent_expected": 1 - share,
        "win": share - draw / 2,
        "draw": draw,
        "loss": 1 - share - draw / 2,
    }


def composed(first: Number, second: Number) -> Facts:
    """Return what A expects against B, from what each of them expects against the same third player."""
    share = score.composed(first, second)
    title = f"A expects {first:g} and B {second:g} against the same player, whose strength is 1"
    facts = {
        "title": title,
        "expected": share,
        "opponent_expected": 1 - share,
        "strength_of_a": score.strength(first),
        "strength_of_b": score.strength(second),
    }
    return Facts(title, facts)


def single_update(rating: int, opponent_rating: int, deviation: Number, opponent_deviation: Number) -> Facts:
    """Return what a win, a draw or a loss makes of the first rating; ``attenuations``: g of both deviations."""
    facts = {
        "rating": rating,
        "opponent_rating": opponent_rating,
        "attenuations": (updating.attenuation(deviation), updating.attenuation(opponent_deviation)),
        "rows": pl.DataFrame(updating.single_update(rating, opponent_rating, deviation, opponent_deviation)),
    }
    return Facts(f"{rating} against {opponent_rating}", facts)


def update(
    rating: int,
    opponents: Sequence[int],
    score_halves: int,
    k: Number,
    events: int | None = None,
    provisional: tuple[int, Number | None] | None = None,
) -> Facts:
    """Return what a result makes of a rating, by every rule.

    ``events``: how many events like this one follow each other, for the ``weights`` of the start and of each event.
    ``provisional``: an opponent's games so far, and K where it is known, for K against such an opponent. Raises
    :class:`CommandLineError` where the points are more than the games.
    """
    if score_halves > 2 * len(opponents):
        raise CommandLineError("--score is more than a point for each rating of --against.")
    result = updating.Result(tuple(opponents), score_halves / 2)
    models = score.models(rule_book().expected_score[TABLE].to_list())
    share = updating.share_of_period(result.games, k)
    weights = {
        "each event": updating.weights_per_event(share, events or 1),
        "one period": updating.weights_per_period(share, events or 1),
    }
    facts = {
        "rating": rating,
        "games": result.games,
        "points": result.points,
        "k": k,
        "rows": pl.DataFrame(updating.updates(rating, result, k, models)),
        "facts": updating.facts(result, k),
        "weights": weights if events else {},
        "k_against_provisional": updating.against_provisional(k, *provisional) if provisional else {},
    }
    return Facts(f"{rating}: {result.points:g} of {counted(result.games, 'point')}", facts)


def mutual(rating: int, opponent: int, games: int, score_halves: int, k: Number) -> Facts:
    """Return what games of two players against each other alone make of both ratings.

    Raises :class:`CommandLineError` where there is no such rating.
    """
    try:
        values = updating.mutual(rating, opponent, games, score_halves / 2, updating.SCALE / k)
    except ValueError as error:
        raise CommandLineError(f"{error}. Give other --games, --score or --k.") from None
    title = f"{rating} against {opponent}: {score_halves / 2:g} of {games} points"
    return Facts(title, {"title": title, **values})


def rounds(players: int) -> Facts:
    """Return the rounds of a Swiss tournament of so many players, and its first round by strength.

    ``draw_numbers``: of the players, the strongest first. ``first_round``: the numbers of White and Black; the number
    after the last is the bye of an odd field.
    """
    recommended, possible = recommended_rounds(players)
    facts = {
        "players": players,
        "at_most": players // 2 + 1,
        "recommended": tuple(recommended),
        "possible": tuple(possible),
        "draw_numbers": (*range(2, players + 1, 2), *range(1, players + 1, 2)),
        "first_round": tuple((number, number + 1) for number in range(1, players + 1, 2)),
    }
    bye = f", number {players + 1} is the bye" if players % 2 else ""
    return Facts(f"Rounds of a Swiss tournament of {players} players{bye}", facts)
