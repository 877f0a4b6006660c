"""The commands `ratinglist update` and `rounds`: a new rating by every rule of thumb, and rounds of a tournament."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ratinglist.analysis import updating
from ratinglist.analysis.standings import recommended_rounds
from ratinglist.analysis.updating import Number
from ratinglist.errors import CommandLineError
from ratinglist.pages.plain_text import text_table
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import Summary
from ratinglist.workflows.expected import Figures, figure_lines


@dataclass(frozen=True, slots=True)
class Update(Summary):
    """What a result makes of a rating, by every rule.

    ``rows``: see :func:`~ratinglist.analysis.updating.updates`; ``facts``: what K means for so many games;
    ``weights``: of the start and of each event, by how often the rating is calculated; ``k_against_provisional``: K
    against an opponent with few games, by rule.
    """

    rating: int
    games: int
    points: Number
    k: Number
    rows: list[dict[str, object]]
    facts: dict[str, Number]
    weights: dict[str, list[Number]] = field(default_factory=dict)
    k_against_provisional: dict[str, Number] = field(default_factory=dict)

    def text(self) -> str:
        """Return the update as tables."""
        cells = [
            [
                str(row["rule"]),
                str(row["model"]),
                "" if row["expected"] is None else f"{row['expected']:.3f}",
                f"{row['k']:.3f}",
                f"{row['new_rating']:.3f}",
            ]
            for row in self.rows
        ]
        head = ("rule", "model", "expected", "K", "new rating")
        lines = [
            f"{self.rating}, {self.points:g} of {self.games} points, K {self.k:g}",
            *text_table(head, cells, [False, False, True, True, True], rule=True),
            "",
            *figure_lines(self.facts),
        ]
        for name, weights in self.weights.items():
            lines.append(f"weights, {name}: start {', '.join(f'{100 * one:.2f} %' for one in weights)}")
        lines += [
            f"K against a provisional opponent, {name}: {k:.4f}" for name, k in self.k_against_provisional.items()
        ]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Provisional:
    """An opponent whose rating is provisional: games so far, and K where it is known."""

    games: int
    k: Number | None = None


def update(
    rating: int,
    opponents: Sequence[int],
    score_halves: int,
    k: Number,
    events: int | None = None,
    provisional: Provisional | None = None,
) -> Update:
    """Return what a result makes of a rating.

    ``events``: how many events like this one follow each other, for the weights. Raises :class:`CommandLineError` where
    the points are more than the games.
    """
    if score_halves > 2 * len(opponents):
        raise CommandLineError("--score is more than a point for each rating of --against.")
    result = updating.Result(tuple(opponents), score_halves / 2)
    table = rule_book().expected_score["expected_score"].to_list()
    models = {
        "linear": updating.linear,
        "logistic": updating.logistic,
        "normal": updating.normal,
        "table": updating.of_table(table),
        "table_350": updating.of_table(table, 350),
        "table_400": updating.of_table(table, 400),
    }
    share = updating.share_of_period(result.games, k)
    weights = (
        {
            "each event": updating.weights_per_event(share, events),
            "one period": updating.weights_per_period(share, events),
        }
        if events
        else {}
    )
    against = updating.against_provisional(k, provisional.games, provisional.k) if provisional else {}
    rows = updating.updates(rating, result, k, models)
    return Update(rating, result.games, result.points, k, rows, updating.facts(result, k), weights, against)


def mutual(rating: int, opponent: int, games: int, score_halves: int, k: Number) -> Figures:
    """Return what games of two players against each other alone make of both ratings.

    Raises :class:`CommandLineError` where there is no such rating.
    """
    try:
        values = updating.mutual(rating, opponent, games, score_halves / 2, updating.SCALE / k)
    except ValueError as error:
        raise CommandLineError(f"{error}. Give other --games, --score or --k.") from None
    return Figures(f"{rating} against {opponent}: {score_halves / 2:g} of {games} points", values)


@dataclass(frozen=True, slots=True)
class Rounds(Summary):
    """The rounds of a Swiss tournament of so many players, and its first round by strength.

    ``draw_numbers``: of the players, the strongest first. ``first_round``: the numbers of White and Black; the number
    after the last is the bye of an odd field.
    """

    players: int
    at_most: int
    recommended: tuple[int, ...]
    possible: tuple[int, ...]
    draw_numbers: tuple[int, ...]
    first_round: tuple[tuple[int, int], ...]

    def text(self) -> str:
        """Return the rounds as lines."""

        def shown(numbers: Sequence[int]) -> str:
            return ", ".join(map(str, numbers)) or "not stated for so many players"

        pairs = ", ".join(f"{white}-{black}" for white, black in self.first_round)
        return "\n".join(
            [
                f"{self.players} players: at most {self.at_most} rounds",
                f"recommended: {shown(self.recommended)}",
                *([f"possible: {shown(self.possible)}"] if self.possible else []),
                f"draw numbers, the strongest first: {shown(self.draw_numbers)}",
                f"round 1, White first: {pairs}" + (f"; {self.players + 1} is the bye" if self.players % 2 else ""),
            ]
        )


def rounds(players: int) -> Rounds:
    """Return the rounds of a Swiss tournament of so many players."""
    half, recommended = players // 2, recommended_rounds(players)
    numbers = [*(2 * one for one in range(1, half + 1)), *range(1, players + 1, 2)]
    pairs = tuple((one, one + 1) for one in range(1, players + 1, 2))
    return Rounds(players, half + 1, tuple(recommended[0]), tuple(recommended[1]), tuple(numbers), pairs)
