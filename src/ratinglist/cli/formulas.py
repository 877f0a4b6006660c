"""The commands that calculate with numbers typed in: updates of a rating, rounds of a tournament."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ratinglist import workflows
from ratinglist.cli.analysis import RATING, Parts, Results, Score
from ratinglist.cli.options import InRange, Office, in_office
from ratinglist.errors import CommandLineError

if TYPE_CHECKING:
    from ratinglist.analysis.updating import Number


@click.command()
@click.argument("rating", type=RATING, required=False)
@click.option("--against", type=Parts("RATINGS"), help='Opponents\' ratings: "1609 1477 1388".')
@click.option("--results", type=Results("RESULTS"), help='The result against each of them: "1 ½ 0".')
@click.option("--score", type=Score(), help="The points against all of them.")
@click.option(
    "--k", type=InRange(1, 400, click.FLOAT), help="The development coefficient; default: 32, or 150 with --age."
)
@click.option(
    "--n0", type=InRange(2, 800, click.FLOAT), help="In the place of --k: the games that make a rating, 800 / K."
)
@click.option("--events", type=InRange(1, 100), help="Show the weights after so many events like this one.")
@click.option("--opponent-games", type=InRange(0, 9999), help="Show K against an opponent with so few games.")
@click.option("--opponent-k", type=InRange(1, 400, click.FLOAT), help="K of that opponent.")
@click.option("--mutual", type=RATING, help="The one opponent of two players who played nobody else.")
@click.option("--games", type=InRange(1, 999), help="With --mutual: how many games.")
@click.option("--age", type=InRange(1, 120), help="In the place of RATING: a newcomer's age, for a first guess.")
@in_office
def update(
    rating: int | None,
    against: list[int] | None,
    results: list[int] | None,
    score: int | None,
    k: Number | None,
    n0: Number | None,
    events: int | None,
    opponent_games: int | None,
    opponent_k: Number | None,
    mutual: int | None,
    games: int | None,
    age: int | None,
    office: Office,
) -> None:
    """Show what a result makes of RATING by every rule of thumb: by K, by weights, of the second order, and others.

    No list is calculated by them. Give --against with --results or --score; or --mutual with --games and --score.
    """
    from ratinglist.analysis import updating

    if (rating is None) == (age is None):
        raise CommandLineError("Give either RATING or --age of a newcomer.")
    if k is not None and n0 is not None:
        raise CommandLineError("--k and --n0 say the same (K = 800 / N0): leave one of them out.")
    if opponent_k is not None and opponent_games is None:
        raise CommandLineError("--opponent-k is of an opponent with few games: give --opponent-games too.")
    coefficient = k or (updating.SCALE / n0 if n0 else updating.NEWCOMER_K if age else 32)
    own = updating.guessed_rating(age) if rating is None else rating
    if mutual is not None:
        if games is None or score is None or against or results:
            raise CommandLineError("With --mutual give --games and --score, and neither --against nor --results.")
        office.show(workflows.formulas.mutual(own, mutual, games, score, coefficient))
        return
    if against is None or games is not None or (results is None) == (score is None):
        raise CommandLineError("Give --against, and --results or --score; or --mutual, --games and --score.")
    if results is not None and len(results) != len(against):
        raise CommandLineError(
            f"--results has {len(results)} results, --against {len(against)} ratings: give one for each."
        )
    halves = sum(results) if results is not None else score or 0
    provisional = None if opponent_games is None else (opponent_games, opponent_k)
    office.show(workflows.formulas.update(own, against, halves, coefficient, events, provisional))


@click.command()
@click.argument("players", type=InRange(2, 9999))
@in_office
def rounds(players: int, office: Office) -> None:
    """Show how many rounds a Swiss tournament of PLAYERS should have, the draw numbers, and the first round."""
    office.show(workflows.formulas.rounds(players))
