"""The command `ratinglist performance`: what a result is worth, from published games or from ratings typed in."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from ratinglist.analysis.performance_rating import iterated, performances
from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.limits import MANIFEST_BYTES
from ratinglist.pages.facts import Facts
from ratinglist.period import Period
from ratinglist.publication import revisions
from ratinglist.result_codes import TYPED_HALVES
from ratinglist.settings import Settings
from ratinglist.store import table_files
from ratinglist.store.rule_files import rule_book
from ratinglist.workflows.opening import check_published

_ANOTHER_REPORT = "same_game"
_COLUMNS = ("time_control", "event_id", "fide_id", "score_halves", "rating", "opponent_rating", "reason")
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
    folders = _folders(settings.published, period)
    month, folder, games = _newest_games(folders, fide_id, event_id)
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
    return _facts(f"Player {fide_id}: {what} ({folder.name})", opponents, rows, dict(without.iter_rows()))


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

    ``rows``: as :func:`~ratinglist.analysis.performance_rating.performances` returns them, with ``time_control``, which
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


def _newest_games(
    folders: Sequence[tuple[Period, Path]], fide_id: int, event_id: str | None
) -> tuple[Period, Path, pl.DataFrame]:
    """Return the first list with games that have ratings, else the first one with games; raise where there is none.

    A list that found an event a duplicate, or superseded, has its games without ratings.
    """
    without_ratings = None
    for month, folder in folders:
        games = _games(folder, fide_id, event_id)
        if games["opponent_rating"].count():
            return month, folder, games
        if games.height and without_ratings is None:
            without_ratings = (month, folder, games)
    if without_ratings is None:
        raise NothingReadError(_no_games(fide_id, event_id, [month for month, _ in folders]))
    return without_ratings


def _folders(published: Path, period: Period | None) -> list[tuple[Period, Path]]:
    """Return the current revision of a month, or of every published month, the newest first."""
    if period is not None:
        return [(period, revisions.chosen(published, period, None))]
    found = list(reversed(revisions.every_latest(published).items()))
    if not found:
        raise NothingReadError(
            "Nothing was published in this home yet: there are no games. For ratings typed in: --against and --score"
        )
    return found


def _games(folder: Path, fide_id: int, event_id: str | None) -> pl.DataFrame:
    """Return the played games of a player in one event, or in the events that the list rates."""
    scan = table_files.scan_table(folder, "games").filter(pl.col("fide_id") == fide_id)
    games = scan.select(_COLUMNS).collect()
    if event_id is not None:
        return games.filter(pl.col("event_id") == event_id)
    events = table_files.scan_table(folder, "events")
    rated = events.filter(pl.col("status") == "rated").select("event_id").collect()
    return games.filter(pl.col("reason") != _ANOTHER_REPORT).join(rated, on="event_id", how="semi")


def _no_games(fide_id: int, event_id: str | None, months: list[Period]) -> str:
    where = f"the event '{event_id}'" if event_id else "an event rated by the list"
    lists = f"of {months[0]}" if len(months) == 1 else f"of {months[-1]} to {months[0]}"
    return (
        f"Player {fide_id} has no played game in {where}, in the published lists {lists}. Check the FIDE ID "
        f"(ratinglist find {fide_id}) and the event (ratinglist event EVENT_ID)."
    )


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
        size = path.stat().st_size
        text = path.read_text(encoding="utf-8-sig") if size <= MANIFEST_BYTES else None
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise NothingReadError(f"{path} cannot be read: {reason}. Name a file of games as CSV.") from None
    if text is None:
        raise NothingReadError(f"{path}: it has {size:,} bytes, and at most {MANIFEST_BYTES:,} are read.")
    lines = csv.reader(io.StringIO(text))
    header = next(lines, [])
    if tuple(header) != _TYPED_COLUMNS:
        raise CommandLineError(
            f"{path}, line 1: the columns must be {','.join(_TYPED_COLUMNS)}. Correct the first line."
        )
    rows: list[tuple[str, int | None, str, int | None, int]] = []
    ratings: dict[str, str] = {}
    for number, cells in enumerate(lines, 2):
        where = f"{path}, line {number}"
        if not cells:
            continue
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
            if ratings.setdefault(name, rating) != rating:
                raise CommandLineError(f"{where}: {name} has another rating than before. Write the same on every line.")
        if score not in TYPED_HALVES:
            raise CommandLineError(f"{where}, column score: '{score}' is not a result: write 1, ½ (or 0.5) or 0.")
        halves, sides = TYPED_HALVES[score], [int(rating) if rating else None for rating in (own, opponent)]
        rows += [(player, sides[0], other, sides[1], halves), (other, sides[1], player, sides[0], 2 - halves)]
    return pl.DataFrame(rows, schema=_TYPED_GAME, orient="row")
