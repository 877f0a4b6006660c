"""The arithmetic of the regulations: months, rounding, the first rating, K. Fractions, never floats."""

from datetime import date
from decimal import Decimal
from fractions import Fraction

from tests.reference.office import Player, Row, Standing
from tests.reference.regulations import PERFORMANCE, Text


def number_of(month: str) -> int:
    return int(month[:4]) * 12 + int(month[5:]) - 1


def month_number(number: int) -> str:
    return f"{number // 12:04d}-{number % 12 + 1:02d}"


def month_of(day: date) -> str:
    return f"{day:%Y-%m}"


def first_day_of(month: str) -> date:
    return date(int(month[:4]), int(month[5:]), 1)


def half_up(value: Fraction) -> int:
    """Round to the nearest whole number, a half upwards."""
    return (value + Fraction(1, 2)).__floor__()


def half_away_from_zero(value: Fraction) -> int:
    return half_up(value) if value >= 0 else -half_up(-value)


def entry(text: Text, games: int, score_halves: int, opponent_rating_sum: int) -> Row:
    """Return the first rating of a player with ``games`` results against rated opponents."""
    if text.entry == "two draws":
        average = Fraction(opponent_rating_sum + 2 * 1800, games + 2)
        share = Fraction(score_halves + 2, 2 * (games + 2))
    else:
        average = Fraction(opponent_rating_sum, games)
        share = Fraction(score_halves, 2 * games)
    p_hundredths = half_up(share * 100)
    dp = PERFORMANCE[p_hundredths]
    if text.entry == "plus 20" and score_halves >= games:
        dp = 20 * (score_halves - games)
    rating = half_up(average + dp)
    if text.highest_entry is not None:
        rating = min(rating, text.highest_entry)
    if games < 5:
        reason = "too_few_games"
    elif rating < text.floor:
        reason = "below_floor"
    else:
        reason = ""
    return {
        "games": games,
        "score_halves": score_halves,
        "opponent_average": Decimal(half_up(average * 100)).scaleb(-2),
        "p_hundredths": p_hundredths,
        "dp": dp,
        "computed_rating": None if games < 5 else rating,
        "published": reason == "",
        "reason": reason,
    }


def is_junior(text: Text, player: Player, day: date) -> bool:
    born = player.birth_date.year if player.birth_date else player.birth_year
    if born is None:
        return False
    if text.junior == "year":
        return day.year - born <= 18
    birthday = player.birth_date or date(born, 12, 31)
    if (birthday.month, birthday.day) == (2, 29) and (born + 18) % 4:
        return day < date(born + 18, 3, 1)
    return day < date(born + 18, birthday.month, birthday.day)


def coefficient(text: Text, state: Standing, junior: bool) -> int:
    """K before the limit on K × games."""
    if text.fixed_k is not None:
        return text.fixed_k
    if state.reached_2400:
        return 10
    if junior and not state.reached_2300:
        return 40
    if state.games_played < 30:
        return 40
    return 20


def limited(text: Text, k: int, games: int) -> int:
    most = text.limit_of_k_times_games
    return most // games if most is not None and k * games > most else k
