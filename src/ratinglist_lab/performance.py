"""The command `ratinglist performance`: what a result is worth, from published games or from ratings typed in."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.limits import MANIFEST_BYTES
from ratinglist.pages.facts import Facts
from ratinglist.period import Period
from ratinglist.publication import revisions
from ratinglist.result_codes import TYPED_HALVES
from ratinglist.settings import Settings
from ratinglist.store.rule_files import rule_book
from ratinglist.text import quoted
from ratinglist.workflows import sql
from ratinglist.workflows.opening import check_published
from ratinglist_lab.performance_rating import iterated, performances

_TYPED_COLUMNS = ("player", "rating", "opponent", "opponent_rating", "score")
_TYPED_GAME = {
    "player": pl.String(),
    "rating": pl.Int64(),
    "opponent": pl.String(),
    "opponent_rating": pl.Int64(),
    "score_halves": pl.Int64(),
}


def of_player(
    settings: Settings,
    fide_id: int,
    period: Period | None = None,
    event_id: str | None = None,
    opponents: str = "all",
    own: int | None = None,
) -> Facts:
    """Return a player's performances in an event, or in all events that a month's list rates.

    ``period``: default the newest published month in which the player has such games. A month counts each
    game once, and only games of events that the list rates. A game played counts whether it changed the rating or not.
    ``own``: the own rating, where another than the published one is to be used. A game against an opponent without a
    rating never counts; nor has a list the ratings of an event that it does not rate.

    Raises :class:`NothingReadError` where nothing is published, or the player has no game there;
    :class:`CommandLineError` where ``opponents`` needs an own rating and the player had none.
    """
    check_published(settings)
    games = _newest_games(settings.published, fide_id, period, event_id)
    month, revision = games.select("list_month", "revision").row(0)
    if own is not None:
        games = games.with_columns(pl.lit(own).alias("rating"))
    elif opponents != "all" and games["rating"].null_count():
        raise CommandLineError(
            f"Player {fide_id} had no rating in some of these games, and --opponents {opponents} compares with it: "
            "give one with --own."
        )
    without = games.filter(pl.col("opponent_rating").is_null()).group_by("time_control").len().sort("time_control")
    what = f"event {event_id}, list of {month}" if event_id else f"events rated by the list of {month}"
    rows = _performances(games, opponents)
    return _facts(f"Player {fide_id}: {what} (r{revision})", opponents, rows, dict(without.iter_rows()))


def of_ratings(
    ratings: Sequence[int],
    score_halves: Sequence[int] | int,
    opponents: str = "all",
    own: int | None = None,
) -> Facts:
    """Return the performances of a result against opponents whose ratings are given.

    ``score_halves``: the half points of each game, or of all games together. Raises :class:`CommandLineError` where
    they do not fit the ratings, or ``opponents`` needs what is not given.
    """
    is_total = isinstance(score_halves, int)
    halves = [score_halves, *[0] * (len(ratings) - 1)] if isinstance(score_halves, int) else list(score_halves)
    if len(halves) != len(ratings):
        raise CommandLineError(
            f"--results has {len(halves)} results, --against {len(ratings)} ratings: give one for each."
        )
    if sum(halves) > 2 * len(ratings):
        raise CommandLineError("--score is more than a point for each rating of --against.")
    if opponents != "all" and own is None:
        raise CommandLineError(f"--opponents {opponents} compares with the own rating: give it with --own.")
    if opponents == "compatible" and is_total:
        raise CommandLineError(
            "--opponents compatible needs the result of each game: give --results instead of --score."
        )
    games = pl.DataFrame(
        {"time_control": "", "opponent_rating": list(ratings), "score_halves": halves, "rating": own},
        schema_overrides={"rating": pl.Int32},
    )
    rows = _performances(games, opponents, single_results=not is_total)
    return _facts("Ratings typed in", opponents, rows, {})


def _performances(games: pl.DataFrame, opponents: str, *, single_results: bool = True) -> pl.DataFrame:
    """Return the performances of each time control, with FIDE's own table of rating differences."""
    differences = rule_book().performance["performance"]
    return performances(games, ["time_control"], opponents, differences=differences, single_results=single_results)


def _facts(source: str, opponents: str, rows: pl.DataFrame, without_rating: Mapping[str, int]) -> Facts:
    """Return the performances of one result; ``source``: where the games are from.

    ``rows``: as :func:`~ratinglist_lab.performance_rating.performances` returns them, with ``time_control``, which
    is empty for ratings typed in. ``without_rating``: the games that do not count because the list has no rating of the
    opponent, by time control.
    """
    facts = {
        "source": source,
        "opponents": opponents,
        "games_without_opponent_rating": without_rating,
        "performances": rows,
    }
    return Facts(source, facts)


def _newest_games(published: Path, fide_id: int, period: Period | None, event_id: str | None) -> pl.DataFrame:
    """Return the played games of a player in one event, or in the events that the list of a month rates.

    Of the newest list with such games that have ratings, else of the newest with any: a list that found an event a
    duplicate, or superseded, has its games without ratings. Raises :class:`NothingReadError` where there is none.
    """
    if period is not None:
        revisions.chosen(published, period, None)
    elif not revisions.months(published):
        raise NothingReadError(
            "Nothing was published in this home yet: there are no games. For ratings typed in: --against and --score"
        )
    in_month = f"list_month = '{period}'" if period else "true"
    in_event = f"event_id = {quoted(event_id)}" if event_id else "status = 'rated' and games.reason <> 'same_game'"
    games = sql.run(
        published,
        f"""
        with played as (
            select list_month, games.revision, games.time_control, score_halves, rating, opponent_rating
            from games join events using (list_month, event_id)
            where fide_id = {fide_id:d} and {in_month} and {in_event}
        ),
        newest as (
            select list_month from played group by list_month
            order by count(opponent_rating) > 0 desc, list_month desc limit 1
        )
        select * from played semi join newest using (list_month)
        """,  # noqa: S608 - numbers and quoted texts
    )
    if games.is_empty():
        where = f"the event '{event_id}'" if event_id else "an event rated by the list"
        lists = f"the published list of {period}" if period else "any published list"
        raise NothingReadError(
            f"Player {fide_id} has no played game in {where}, in {lists}. Check the FIDE ID "
            f"(ratinglist find {fide_id}) and the event (ratinglist event EVENT_ID)."
        )
    return games


def iterate_file(path: Path, start: int, rounds: int, *, exact: bool = False) -> Facts:
    """Return the iterated performances of the players without a rating in a file of games, each game once.

    Raises :class:`NothingReadError` where the file cannot be read, and :class:`CommandLineError` naming line and column
    where it is wrong.
    """
    games = _typed_games(path)
    found = iterated(games, start, rounds, exact=exact)
    if not found or not found[0]:
        raise NothingReadError(f"{path}: every player has a rating, so there is nothing to calculate.")
    title = f"{path}: performances in rounds, from {start}"
    return Facts(title, {"file": str(path), "start": start, "rounds": pl.DataFrame(found)})


def _typed_games(path: Path) -> pl.DataFrame:
    """Return both sides of the games of a file."""
    try:
        if path.stat().st_size > MANIFEST_BYTES:
            raise NothingReadError(f"{path}: at most {MANIFEST_BYTES:,} bytes are read.")
        lines = csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig")))
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise NothingReadError(f"{path} cannot be read: {reason}. Name a file of games as CSV.") from None
    if tuple(next(lines, [])) != _TYPED_COLUMNS:
        raise CommandLineError(
            f"{path}, line 1: the columns must be {','.join(_TYPED_COLUMNS)}. Correct the first line."
        )
    rows: list[tuple[str, int | None, str, int | None, int]] = []
    ratings: dict[str, int | None] = {}
    for cells in filter(None, lines):
        where = f"{path}, line {lines.line_num}"
        if len(cells) != len(_TYPED_COLUMNS):
            raise CommandLineError(
                f"{where}: it has {len(cells)} cells and not {len(_TYPED_COLUMNS)}. Correct the line."
            )
        player, own, other, opponent, score = (cell.strip() for cell in cells)
        if not player or not other or player == other:
            raise CommandLineError(f"{where}: a game has two different players. Correct the line.")
        for column, name, rating in (("rating", player, own), ("opponent_rating", other, opponent)):
            if not re.fullmatch("[0-9]{0,4}", rating):
                raise CommandLineError(
                    f"{where}, column {column}: '{rating}' is not a rating: write a whole number, or nothing where "
                    "there is none."
                )
            value = int(rating) if rating else None
            if ratings.setdefault(name, value) != value:
                raise CommandLineError(f"{where}: {name} has another rating than before. Write the same on every line.")
        if score not in TYPED_HALVES:
            raise CommandLineError(f"{where}, column score: '{score}' is not a result: write 1, ½ (or 0.5) or 0.")
        halves = TYPED_HALVES[score]
        rows.append((player, ratings[player], other, ratings[other], halves))
        rows.append((other, ratings[other], player, ratings[player], 2 - halves))
    return pl.DataFrame(rows, schema=_TYPED_GAME, orient="row")
