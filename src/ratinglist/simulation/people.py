"""The players: all data of a player in a month are functions of the seed and the player's number.

Numbers count from 0. The first ``world.players`` are on the starting list; the newcomers of each month follow.
A strength, in rating points, is of talent, age and form. Nothing is carried from month to month, so any month can be
computed without the ones before.

Names are made up: a surname of a stem and an ending, and a given name. They have letters of three kinds: those of
Windows-1252, Latin letters that it lacks, and Cyrillic ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import polars as pl

from ratinglist.period import Period
from ratinglist.simulation.keyed_random import per_thousand, roll
from ratinglist.simulation.plan import FIRST_FIDE_ID, World

WEAKEST_TALENT, STRONGEST = 1300, 2860
_COMMON_RANGE, _RARE_RANGE, _DICE = 300, 1500, 6
_FORM_RANGE = 60
_AGE_EFFECTS = (
    *((0, -1000), (7, -900), (10, -600), (14, -300), (18, -110), (22, -30), (26, 0), (40, 0), (50, -40), (60, -110)),
    *((70, -220), (80, -360), (100, -600)),
)
"""Age in years and its effect on the talent, in rating points: juniors rise, veterans decline."""
ADULT_MONTHS = 26 * 12
"""Age in months from which age no longer reduces a talent."""
NUMBER = pl.col("number")
FLOOR = 1400
_LAST_JUNIOR_AGE, _YOUNGEST, _OLDEST = 18, 7, 85
_OLDEST_NEWCOMER = 60
_YOUNG_NEWCOMERS = 650
_RATING_ERROR = 80
_KINDS_OF_CHANGE = 3
"""Another federation, another surname, an arbiter's title."""
_HIGHEST_ABOVE_TALENT = 60
_DAYS_A_MONTH = 30
_TITLES = ((2500, "GM"), (2400, "IM"), (2300, "FM"), (2200, "CM"))
_WOMEN_TITLES = ((2300, "WGM"), (2200, "WIM"), (2100, "WFM"), (2000, "WCM"))
_TITLED = 850
"""Of the players who are strong enough, in thousandths."""
_ARBITERS = 15


def talent(seed: int, number: pl.Expr) -> pl.Expr:
    """Return the strength of the player ``number`` in their best years.

    Few players are strong: only the lowest of six dice counts.
    """
    rare = pl.min_horizontal(roll(seed, f"talent {die}", number, sides=_RARE_RANGE) for die in range(_DICE))
    return (WEAKEST_TALENT + roll(seed, "talent", number, sides=_COMMON_RANGE) + rare).clip(upper_bound=STRONGEST)


def age_months(birth: pl.Expr, period: Period) -> pl.Expr:
    """Return the age in whole months on the first day of ``period``; the day of the month is ignored."""
    born = birth.dt.year().cast(pl.Int64) * 12 + birth.dt.month().cast(pl.Int64) - 1
    return pl.lit(period.index, dtype=pl.Int64) - born


def strength(seed: int, number: pl.Expr, birth: pl.Expr, period: Period) -> pl.Expr:
    """Return the strength of the player ``number``, born on ``birth``, in the month before the list of ``period``.

    The form of a year is drawn once; within a year the form moves evenly to that of the next year.
    """
    year, month = divmod(period.index, 12)
    this, following = (
        roll(seed, "form", number, pl.lit(one, dtype=pl.Int64), sides=2 * _FORM_RANGE + 1) for one in (year, year + 1)
    )
    form = (this * (12 - month) + following * month) // 12 - _FORM_RANGE
    age_effect = pl.lit(_age_effects()).gather(age_months(birth, period).clip(0, len(_age_effects()) - 1))
    return talent(seed, number) + age_effect + form


@cache
def _age_effects() -> pl.Series:
    """Return the effect of age by age in months, interpolated between the years of ``_AGE_EFFECTS``."""
    effects = []
    for (young, at_young), (old, at_old) in pairwise(_AGE_EFFECTS):
        span = (old - young) * 12
        effects += [at_young + (at_old - at_young) * month // span for month in range(span)]
    return pl.Series([*effects, _AGE_EFFECTS[-1][1]], dtype=pl.Int64)


def numbers(world: World, month: int) -> pl.DataFrame:
    """Return the ``number`` of every player registered before the reports of ``month``."""
    return pl.DataFrame({"number": pl.int_range(0, world.registered(month), dtype=pl.Int64, eager=True)})


def newcomers(world: World, month: int) -> pl.DataFrame:
    """Return the ``number`` of every player first registered for ``month``, from 1."""
    first, end = world.registered(month - 1), world.registered(month)
    return pl.DataFrame({"number": pl.int_range(first, end, dtype=pl.Int64, eager=True)})


def with_biography(frame: pl.DataFrame, world: World) -> pl.DataFrame:
    """Return ``frame`` (``number``) with ``woman``, ``birth_date`` and ``activity`` (from 0, rarely, to 3, most often).

    These never change.
    """
    seed, plan = world.seed, world.plan
    activity = roll(seed, "activity", NUMBER, sides=1000)
    rare, occasional, regular, _ = plan.activity
    return frame.with_columns(
        per_thousand(seed, "woman", NUMBER, chance=plan.women).alias("woman"),
        _birth_date(world).alias("birth_date"),
        (
            (activity >= rare).cast(pl.Int32)
            + (activity >= rare + occasional).cast(pl.Int32)
            + (activity >= rare + occasional + regular).cast(pl.Int32)
        ).alias("activity"),
    )


def with_strength(frame: pl.DataFrame, world: World, month: int) -> pl.DataFrame:
    """Return ``frame`` (``number``, ``birth_date``) with ``strength`` and ``federation``, an index of the world's."""
    return frame.with_columns(
        _federation(world, month).alias("federation"),
        strength(world.seed, NUMBER, pl.col("birth_date"), world.period(month)).alias("strength"),
    )


def with_rating(frame: pl.DataFrame, world: World) -> pl.DataFrame:
    """Return ``frame`` (after :func:`with_strength`) with an assumed standard ``rating`` and ``highest``.

    ``rating`` is that of the starting list plus half of the change of strength since; null for a player who was unrated
    there. ``highest`` is the assumed highest rating so far, 0 without a rating.
    """
    seed = world.seed
    at_start = strength(seed, NUMBER, pl.col("birth_date"), world.period(0))
    error = roll(seed, "rating error", NUMBER, sides=2 * _RATING_ERROR + 1) - _RATING_ERROR
    best = talent(seed, NUMBER) + roll(seed, "best form", NUMBER, sides=_HIGHEST_ABOVE_TALENT)
    grown_up = age_months(pl.col("birth_date"), world.period(0)) >= ADULT_MONTHS
    return (
        frame.with_columns(at_start.alias("at_start"), (at_start + error).alias("rating"))
        .with_columns(
            pl.when(may_be_rated(world) & (pl.col("rating") >= FLOOR)).then("rating").alias("rating"),
            pl.when(grown_up).then(best).otherwise(0).alias("best"),
        )
        .with_columns(
            pl.when(pl.col("rating").is_null()).then(0).otherwise(pl.max_horizontal("rating", "best")).alias("highest"),
            (pl.col("rating") + (pl.col("strength") - pl.col("at_start")) // 2).clip(FLOOR).alias("rating"),
        )
        .drop("at_start", "best")
    )


def may_be_rated(world: World) -> pl.Expr:
    """Return whether the player ``number`` is on the starting list with a rating, unless it is below the floor."""
    return NUMBER.lt(world.players) & ~per_thousand(world.seed, "unrated", NUMBER, chance=world.plan.unrated)


def with_list_data(frame: pl.DataFrame, world: World, month: int) -> pl.DataFrame:
    """Return ``frame`` (after :func:`with_rating`) with the data that a list has of a player in ``month``.

    Out: ``fide_id``, ``name``, ``federation`` (its code), ``sex``, ``title``, ``women_title``, ``other_titles``.
    """
    seed = world.seed
    titled = per_thousand(seed, "titled", NUMBER, chance=_TITLED)
    arbiter = per_thousand(seed, "arbiter", NUMBER, chance=_ARBITERS) | (_month_of_change(world, "arbiter") <= month)
    return frame.with_columns(
        fide_id(),
        named(seed, NUMBER, pl.col("woman"), (_month_of_change(world, "name") <= month).cast(pl.Int64)).alias("name"),
        pl.lit(pl.Series(world.federations)).gather("federation").alias("federation"),
        pl.when("woman").then(pl.lit("F")).otherwise(pl.lit("M")).alias("sex"),
        pl.when(titled).then(_title(_TITLES)).otherwise(pl.lit("")).alias("title"),
        pl.when(titled & pl.col("woman")).then(_title(_WOMEN_TITLES)).otherwise(pl.lit("")).alias("women_title"),
        pl.when(arbiter).then(pl.lit("NA")).otherwise(pl.lit("")).alias("other_titles"),
    )


def fide_id() -> pl.Expr:
    """Return the FIDE ID of the player ``number``."""
    return (NUMBER + FIRST_FIDE_ID).alias("fide_id")


def is_changed(world: World, month: int) -> pl.Expr:
    """Return whether the data of the player ``number`` changed for ``month``, from 1."""
    kinds = ["name", "arbiter", *(["federation"] if len(world.federations) > 1 else [])]
    return pl.any_horizontal(_month_of_change(world, kind) == month for kind in kinds)


def _month_of_change(world: World, kind: str) -> pl.Expr:
    """Return the month, from 1, of this one change of the player's data; for most players it is far in the future."""
    chance = world.plan.change_of_data
    if chance == 0:
        return pl.lit(None, dtype=pl.Int64)
    return 1 + roll(world.seed, f"month of another {kind}", NUMBER, sides=1000 * _KINDS_OF_CHANGE // chance)


def _federation(world: World, month: int) -> pl.Expr:
    shares = pl.lit(_shares(len(world.federations)))
    at_first, later = (
        shares.gather(roll(world.seed, what, NUMBER, sides=len(_shares(len(world.federations)))))
        for what in ("federation", "new federation")
    )
    return pl.when(_month_of_change(world, "federation") <= month).then(later).otherwise(at_first)


@cache
def _shares(federations: int) -> pl.Series:
    """Return federation indexes, each as often as its share of players: the k-th has a k-th part of the first."""
    return pl.Series([at for at in range(federations) for _ in range(1 + 1000 // (at + 1))], dtype=pl.Int32)


def _birth_date(world: World) -> pl.Expr:
    """Return the birth date: ages on the starting list are 7 to 85, a third of them juniors.

    Most newcomers are children.
    """
    seed = world.seed
    adults = _OLDEST - _LAST_JUNIOR_AGE + 1
    junior_years = _LAST_JUNIOR_AGE - _YOUNGEST
    age = (
        pl.when(NUMBER.ge(world.players))
        .then(
            pl.when(per_thousand(seed, "young newcomer", NUMBER, chance=_YOUNG_NEWCOMERS))
            .then(_YOUNGEST + roll(seed, "age of a child", NUMBER, sides=junior_years))
            .otherwise(_LAST_JUNIOR_AGE + roll(seed, "age", NUMBER, sides=_OLDEST_NEWCOMER - _LAST_JUNIOR_AGE))
        )
        .when(per_thousand(seed, "junior", NUMBER, chance=world.plan.juniors))
        .then(_YOUNGEST + roll(seed, "age of a junior", NUMBER, sides=junior_years))
        .otherwise(
            _LAST_JUNIOR_AGE
            + pl.min_horizontal(roll(seed, "age", NUMBER, sides=adults), roll(seed, "other age", NUMBER, sides=adults))
        )
    )
    days = age * 365 + roll(seed, "birthday", NUMBER, sides=365)
    # Months from the starting list to the registration of a newcomer.
    months = ((NUMBER - world.players) // world.newcomers + 1).clip(0)
    return (pl.lit(world.period(0).first_day) + pl.duration(days=months * _DAYS_A_MONTH - days)).cast(pl.Date)


def _title(steps: tuple[tuple[int, str], ...]) -> pl.Expr:
    """Return the first title of ``steps`` whose rating ``highest`` reaches, or an empty text."""
    titles = pl.coalesce(pl.when(pl.col("highest") >= least).then(pl.lit(title)) for least, title in steps)
    return titles.fill_null("")


LONGEST = 33
"""Characters of a name in a report; longer names are truncated."""
_EASTERN_CHANCE, _CYRILLIC_CHANCE, _DOUBLE_CHANCE = 220, 20, 60
"""Per thousand players."""


@dataclass(frozen=True, slots=True)
class _Style:
    stems: tuple[str, ...]
    endings: tuple[str, ...]
    men: tuple[str, ...]
    women: tuple[str, ...]


def _parts(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_WESTERN = _Style(
    _parts(
        "Abel Bränt Castr Dorv Éstel Fjor Grün Halv Ibar Jönk Kalm Lérid Mand Nørr Oliv Pérr Quen Rosm Søndr Tärn Ulv "
        "Vald Wint Xim Yarr Zell Ånd Ñer Çel Öst Moss Fent Garv Hest Pell Trev Blom Dask Evr Lund"
    ),
    _parts(
        "ana ell ström berg aldo enez wick ford holm by gård ière eau otte ansen ado eira ique unda elli ossi atti "
        "enfels bach mann dal erson thorp ley combe ård önen ães aña"
    ),
    _parts(
        "Aldo Baptiste Conrad Dário Émile Fabian Gonzalo Hjalmar Iñigo João Kaspar Léo Matthías Niels Orso Pål Quentin "
        "Ramón Søren Tobias Ulrich Vítor Wendel Yann Zeno Åke Björn César Dirk Elías"
    ),
    _parts(
        "Adélaïde Brigit Clàudia Dagmar Élise Frøydis Greta Hélène Inés Jutta Karin Lucía Maïa Noor Odile Pía Quirina "
        "Rocío Solveig Thaïs Ursula Violante Wilma Ximena Yvonne Zoë Åsa Märta Núria Saga"
    ),
)
_EASTERN = _Style(
    _parts(
        "Łask Świer Čern Řez Šim Žel Őrs Ğöz Şahin Ţur Bród Gyűr Hołow Kóv Ľub Mędr Ňuk Piąt Rőz Stőr Ťap Ůlen Wąs Zıl"
    ),
    _parts("owicz ěnka ović ęcki ścik ősi ğlu țescu ák űvári ařík ņš ūnas ėnas ščuk łowski ićki ınar"),
    _parts(
        "Łukasz Ctirad Gergő Đorđe Šimon Bálint Ümit Ştefan Jānis Ąžuolas Żegota Ondřej İlker Mihály Kęstas Břetislav"
    ),
    _parts("Zofia Řehoňa Ildikó Đurđa Šárka Żaneta Ülkü Ștefana Līga Ugnė Bożena Květa İpek Réka Jūratė Ľubica"),
)
_SLAVIC = _Style(
    _parts("Верд Залем Курб Лозов Мирят Олен Пешк Рудож Сувал Тархун Улеб Фесол Чарус Шумил Ярем"),
    _parts("ников аев инский енко ович уров ельян ашвин"),
    _parts("Велемир Гордей Захар Любим Мирон Остап Прохор Савелий Тихон Ярослав"),
    _parts("Варвара Глафира Зоряна Ксения Любава Милена Олеся Пелагея Стефания Ульяна"),
)


def named(seed: int, number: pl.Expr, woman: pl.Expr, renamed: pl.Expr) -> pl.Expr:
    """Return ``Surname, Given`` of the player ``number``; ``renamed`` is 1 after a change of surname, else 0."""
    style = roll(seed, "letters of a name", number, sides=1000)
    return (
        pl.when(style < _CYRILLIC_CHANCE)
        .then(_composed(seed, _SLAVIC, number, woman, renamed))
        .when(style < _CYRILLIC_CHANCE + _EASTERN_CHANCE)
        .then(_composed(seed, _EASTERN, number, woman, renamed))
        .otherwise(_composed(seed, _WESTERN, number, woman, renamed))
        .str.slice(0, LONGEST)
        .str.strip_chars()
    )


def _composed(seed: int, style: _Style, number: pl.Expr, woman: pl.Expr, renamed: pl.Expr) -> pl.Expr:
    second = (
        pl.when(per_thousand(seed, "double name", number, chance=_DOUBLE_CHANCE))
        .then(pl.concat_str(pl.lit("-"), _surname(seed, "second", style, number, renamed)))
        .otherwise(pl.lit(""))
    )
    given = (
        pl.when(woman)
        .then(_drawn(seed, "given name", style.women, number))
        .otherwise(_drawn(seed, "given name", style.men, number))
    )
    return pl.concat_str(_surname(seed, "first", style, number, renamed), second, pl.lit(", "), given)


def _surname(seed: int, which: str, style: _Style, number: pl.Expr, renamed: pl.Expr) -> pl.Expr:
    return pl.concat_str(
        _drawn(seed, f"{which} stem", style.stems, number, renamed),
        _drawn(seed, f"{which} ending", style.endings, number, renamed),
    )


def _drawn(seed: int, what: str, parts: tuple[str, ...], *keys: pl.Expr) -> pl.Expr:
    return pl.lit(pl.Series(parts)).gather(roll(seed, what, *keys, sides=len(parts)))


def city(seed: int, *keys: pl.Expr) -> pl.Expr:
    """Return the name of a made-up town; few of its letters are not ASCII, all of them are in Windows-1252."""
    return pl.concat_str(
        _drawn(
            seed, "first half of a town", _parts("Alder Brack Calm Dun Elm Fenn Grün Hal Iver Kings Lang Mühl"), *keys
        ),
        _drawn(seed, "second half of a town", _parts("bury haven mouth stad hausen vik ford église mar port"), *keys),
    )
