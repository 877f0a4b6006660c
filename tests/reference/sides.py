"""Both sides of the games of a rated event: ratings used, reasons why a game is not rated, and the difference used."""

from collections import defaultdict
from dataclasses import dataclass

from tests.reference.office import Game, Report
from tests.reference.ratings import Ratings
from tests.reference.regulations import Text, expected_hundredths, text_on
from tests.reference.slices import Placed
from tests.reference.verdicts import too_fast


@dataclass
class Side:
    """One player in one game of a rated event."""

    report: Report
    text: Text
    game: Game
    fide_id: int
    opponent_id: int
    colour: str
    score_halves: int
    rating: int | None
    opponent_rating: int | None
    base: int | None
    reason: str = ""
    difference: int | None = None
    difference_used: int | None = None
    expected: int | None = None
    k: int | None = None
    change: int | None = None

    @property
    def rated(self) -> bool:
        return self.reason == ""


def sides_of(report: Report, ratings: Ratings, elsewhere: set[Placed]) -> list[Side]:
    """Both sides of every game of a rated event; the games in ``elsewhere`` count in another report."""
    text = text_on(ratings.family, report.time_control, report.start_date)
    assert text is not None
    sides = []
    for game in report.games:
        for fide_id, opponent_id, colour, halves in (
            (game.white_id, game.black_id, "w", game.white_halves),
            (game.black_id, game.white_id, "b", game.black_halves),
        ):
            rating, base = own_rating(report, fide_id, ratings)
            side = Side(
                report=report,
                text=text,
                game=game,
                fide_id=fide_id,
                opponent_id=opponent_id,
                colour=colour,
                score_halves=halves,
                rating=rating,
                opponent_rating=ratings.at_start(report, opponent_id),
                base=base,
            )
            side.reason = "same_game" if (report.report_id, game) in elsewhere else why_not(side, ratings)
            sides.append(side)
    use_differences(sides)
    return sides


def own_rating(report: Report, fide_id: int, ratings: Ratings) -> tuple[int | None, int | None]:
    """Return the rating a player is rated with, and the one the change is added to; None for an unrated player."""
    now = ratings.now(report.time_control, fide_id)
    at_start = ratings.at_start(report, fide_id)
    if now is not None:
        return (now if at_start is None else at_start), now
    if ratings.standard_stands_in(report, fide_id):
        return at_start, at_start
    return None, None


def why_not(side: Side, ratings: Ratings) -> str:
    """Return why a game does not change the player's rating; unrated players' results are judged later, by event."""
    if side.opponent_rating is None:
        return "opponent_unrated"
    if side.text.gap_not_rated and side.rating is not None:
        far_apart = abs(side.rating - side.opponent_rating) >= 600
        if far_apart and max(side.rating, side.opponent_rating) > 2600:
            return "rating_gap"
    if side.text.time_limit == "game":
        # The game is long enough or it is not, for both players alike: it goes by what both were rated at the start.
        both = [ratings.at_start(side.report, fide_id) for fide_id in (side.fide_id, side.opponent_id)]
        if too_fast(side.report, side.text, both):
            return "time_limit"
    return "unrated" if side.rating is None else ""


def use_differences(sides: list[Side]) -> None:
    """Differences and expected scores of the rated sides of one event."""
    of_player = defaultdict(list)
    for side in sides:
        if side.rated:
            assert side.rating is not None
            assert side.opponent_rating is not None
            side.difference = side.rating - side.opponent_rating
            of_player[side.fide_id].append(side)
    for of_event in of_player.values():
        for side in of_event:
            side.difference_used = difference_used(side, of_event)
            side.expected = expected_hundredths(side.difference_used)


def difference_used(side: Side, of_event: list[Side]) -> int:
    """The difference that goes into the table; ``of_event`` are the player's rated games of the event."""
    assert side.difference is not None
    assert side.rating is not None
    capped = max(-400, min(400, side.difference))
    if side.text.cap == "players below 2650" and side.rating >= 2650:
        return side.difference
    if side.text.cap == "best game of the event" and side.difference > 400:
        best = min(of_event, key=lambda candidate: (-(candidate.difference or 0), candidate.game.round))
        return capped if best is side else side.difference
    return capped
