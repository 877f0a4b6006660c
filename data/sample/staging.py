"""The scenes, played: who sits in each, and everything that ``ratinglist.simulation`` makes of it.

A scene becomes rows of the frames in which the simulation holds its own events; from there on nothing tells the two
apart.
"""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import polars as pl
from scenes import AGAIN, CAST, SCENES, Scene

from ratinglist.period import Period
from ratinglist.simulation import people
from ratinglist.simulation.events import round_day
from ratinglist.simulation.keyed_random import roll
from ratinglist.simulation.matches import shorten_matches
from ratinglist.simulation.months import HeldEvents
from ratinglist.simulation.opening_lists import starting_list
from ratinglist.simulation.plan import EVENT_TYPES, World
from ratinglist.simulation.play import play

ARBITERS = ("Oriol Fenwick-Sand", "Marit Lindegaard", "Yusuf Abernathy", "Zdenka Morávek", "Paolo Tern")
_OF_LIST = ("fide_id", "name", "federation", "sex", "title", "women_title", "birth_date", "rating")
_PLAIN: dict[str, object] = {"version": 1, "part": 1, "plant": "", "damage": 0} | dict.fromkeys(
    ("is_extra", "is_altered", "is_trf26", "is_cp1252", "is_crlf", "has_mark", "is_trimmed", "has_old_titles"), False
)


def cast() -> pl.DataFrame:
    """Who is cast, one row each, with the columns of ``CAST``."""
    return pl.read_csv(
        StringIO(CAST.strip()), try_parse_dates=True, schema_overrides={"month": pl.String}
    ).with_columns(pl.col("title", "women_title", "other_titles", "month").fill_null(""))


def staged(world: World, played: HeldEvents, expected: pl.Series) -> HeldEvents:
    """Every scene in the frames of ``played``, which holds what the simulation plays by itself.

    Nobody whom the simulation has at a board on one of a scene's days is drawn for it. ``expected``: as for
    :func:`ratinglist.simulation.play.play`.
    """
    events = _events()
    entrants = _entrants(world, events, _days_of(played))
    cells = play(
        events.select("event_no", "system", "rounds"),
        entrants.select(
            "event_no",
            "start_number",
            pl.col("strength").cast(pl.Int32),
            "team",
            "board",
            "enters_round",
            "leaves_after",
        ),
        world.seed,
        expected,
    )
    events, cells = shorten_matches(events, cells), _with_results(cells, entrants)
    deliveries = _deliveries(events, world)
    events, entrants, cells, deliveries = _sent_again(events, entrants, cells, deliveries, world)
    pairs = ((events, played.events), (entrants, played.entrants), (cells, played.cells))
    return HeldEvents(*(_like(frame, of) for frame, of in (*pairs, (deliveries, played.deliveries))))


def _events() -> pl.DataFrame:
    """The events of all scenes, numbered from 1."""
    rows = [
        {
            "event_no": number,
            "event_id": scene.code,
            "system": scene.system,
            "event_type": EVENT_TYPES[scene.system],
            "time_control": "standard",
            "clock": scene.clock[0],
            "minutes": scene.clock[1],
            "teams": scene.teams,
            "rounds": scene.rounds,
            "days": scene.days,
            "name": scene.name,
            "city": scene.city,
            "federation": "ORV",
            "arbiter": ARBITERS[number % len(ARBITERS)],
            "official": False,
            "is_long": False,
            "start_date": scene.start,
            "registered_on": scene.registered,
        }
        for number, scene in enumerate(SCENES, 1)
    ]
    return pl.DataFrame(rows, schema_overrides={"event_no": pl.UInt32, "rounds": pl.Int32})


def _days_of(held: HeldEvents) -> pl.DataFrame:
    """``fide_id`` and ``date``: who plays when."""
    dated = held.events.select("event_no", "start_date", "rounds", "days", "is_long").with_columns(
        pl.int_ranges(1, pl.col("rounds") + 1, dtype=pl.Int64).alias("round")
    )
    dated = dated.explode("round").select(
        "event_no", (pl.col("start_date") + pl.duration(days=round_day(pl.col("round")))).cast(pl.Date).alias("date")
    )
    return held.entrants.select("event_no", "fide_id").join(dated.unique(), on="event_no").select("fide_id", "date")


def _entrants(world: World, events: pl.DataFrame, busy: pl.DataFrame) -> pl.DataFrame:
    """Everybody in every scene, as :func:`ratinglist.simulation.entrants.entrants_of` gives them."""
    extras = _extras(world)
    invited = cast().with_columns(surname=pl.col("name").str.split(",").list.first())
    parts = []
    for number, scene in enumerate(SCENES, 1):
        event = events.filter(event_no=number)
        stars = invited.filter(pl.col("surname").is_in(scene.invited))
        if stars.height < len(scene.invited):
            raise ValueError(f"{scene.name}: not everybody invited is cast")
        days = {scene.start + timedelta(days=turn * scene.days // scene.rounds) for turn in range(scene.rounds)}
        away = busy.filter(pl.col("date").is_in(list(days)))
        drawn = (
            extras.join(away, on="fide_id", how="anti")
            .filter(pl.col("rating").is_between(scene.low, scene.high))
            .filter(pl.col("birth_date").dt.year() >= scene.born_from)
            .sort(roll(world.seed, scene.file, pl.col("fide_id"), sides=1 << 30), "fide_id")
            .head(scene.places - stars.height)
        )
        if stars.height + drawn.height < scene.places:
            raise ValueError(f"{scene.name}: only {stars.height + drawn.height} of {scene.places} players are free")
        seated = _assign_seats(scene, pl.concat([stars, drawn], how="diagonal_relaxed"), number)
        parts.append(seated)
        busy = pl.concat([busy, _days_of(HeldEvents(event, seated, seated, seated))])
    return pl.concat(parts)


def _extras(world: World) -> pl.DataFrame:
    """The rated players of the simulation's starting list, with their ``strength`` and ``surname``."""
    listed = starting_list(world).select(_OF_LIST).filter(pl.col("rating").is_not_null())
    known = people.with_strength(people.with_biography(people.numbers(world, 0), world), world, 1)
    strengths = known.select(people.fide_id(), "strength")
    return listed.join(strengths, on="fide_id").with_columns(surname=pl.lit(""))


def _assign_seats(scene: Scene, field: pl.DataFrame, number: int) -> pl.DataFrame:
    """The ``field`` of a scene with start numbers, teams, form and attendance."""
    surname = pl.col("surname")
    fixed = surname.replace_strict(scene.numbered, default=None, return_dtype=pl.Int32)
    left = [place for place in range(1, field.height + 1) if place not in scene.numbered.values()]
    ranked = field.with_columns(fixed=fixed).sort(
        pl.col("fixed").is_not_null(), pl.col("rating").fill_null(0), "fide_id", descending=[False, True, False]
    )
    in_order = pl.Series("start_number", left + [0] * len(scene.numbered), dtype=pl.Int32)
    place = pl.col("start_number") - 1
    is_team = scene.teams > 0
    return (
        ranked.with_columns(in_order)
        .with_columns(pl.coalesce("fixed", "start_number").alias("start_number"))
        .with_columns(
            pl.lit(number, dtype=pl.UInt32).alias("event_no"),
            pl.col("strength") + surname.replace_strict(scene.form, default=0, return_dtype=pl.Int64),
            (pl.col("sex") == "F").alias("woman"),
            (place % scene.teams + 1 if is_team else pl.lit(None)).cast(pl.Int32).alias("team"),
            (place // scene.teams + 1 if is_team else pl.lit(None)).cast(pl.Int32).alias("board"),
            surname.replace_strict(scene.enters, default=1, return_dtype=pl.Int32).alias("enters_round"),
            surname.replace_strict(scene.leaves, default=scene.rounds, return_dtype=pl.Int32).alias("leaves_after"),
        )
        .sort("start_number")
    )


def _with_results(cells: pl.DataFrame, entrants: pl.DataFrame) -> pl.DataFrame:
    """``cells`` with the codes that the scenes ask for; raises ValueError where two never meet."""
    numbers = {(event_no, surname): at for event_no, surname, at in _seats(entrants) if surname}
    told = pl.col("result")
    for number, scene in enumerate(SCENES, 1):
        allotted = (pl.col("event_no") == number) & pl.col("result").is_in(["U", "F"])
        told = pl.when(allotted).then(pl.lit(scene.bye)).otherwise(told)
        for names, codes in scene.results.items():
            for (own, other), code in ((names, codes[0]), (names[::-1], codes[1])):
                here = (
                    (pl.col("event_no") == number)
                    & (pl.col("start_number") == numbers[number, own])
                    & (pl.col("opponent") == numbers[number, other])
                )
                if cells.filter(here).height != 1:
                    raise ValueError(f"{scene.name}: {own} and {other} do not meet")
                told = pl.when(here).then(pl.lit(code)).otherwise(told)
    return cells.with_columns(told.alias("result"))


def _seats(entrants: pl.DataFrame) -> list[tuple[int, str, int]]:
    return entrants.select("event_no", "surname", "start_number").rows()


def _deliveries(events: pl.DataFrame, world: World) -> pl.DataFrame:
    """The first report of every scene."""
    rows = [
        {
            **_PLAIN,
            "event_no": number,
            "file": scene.file,
            "event_id": scene.code,
            "received_on": scene.received,
            "month": _month(scene.month, world),
            **scene.told,
        }
        for number, scene in enumerate(SCENES, 1)
    ]
    last_day = pl.col("start_date") + pl.duration(days=round_day(pl.col("rounds")))
    spans = events.select(
        "event_no",
        "start_date",
        last_day.cast(pl.Date).alias("end_date"),
        pl.lit(1, dtype=pl.Int64).alias("first_round"),
        pl.col("rounds").alias("last_round"),
    )
    return pl.DataFrame(rows, schema_overrides={"event_no": pl.UInt32}).join(spans, on="event_no")


def _sent_again(
    events: pl.DataFrame, entrants: pl.DataFrame, cells: pl.DataFrame, deliveries: pl.DataFrame, world: World
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """All four with the reports that follow the first ones, each as an event of its own."""
    frames = ([events], [entrants], [cells], [deliveries])
    for number, (file, said) in enumerate(AGAIN, len(SCENES) + 1):
        told = {**said, "is_extra": True}
        if "list" in told:
            told["month"] = _month(str(told.pop("list")), world)
        of = deliveries.filter(file=file)["event_no"].item()
        for parts, frame in zip(frames, (events, entrants, cells, deliveries), strict=True):
            changed = [
                pl.lit(value).cast(frame.schema[name]).alias(name)
                for name, value in told.items()
                if name in frame.columns
            ]
            # A code or a federation of the event is not one of a player.
            changed = [] if frame is entrants or frame is cells else changed
            parts.append(
                frame.filter(event_no=of).with_columns(*changed, pl.lit(number, dtype=pl.UInt32).alias("event_no"))
            )
    return pl.concat(frames[0]), pl.concat(frames[1]), pl.concat(frames[2]), pl.concat(frames[3])


def _month(text: str, world: World) -> int:
    return Period.parse(text).index - world.first.index + 1


def _like(frame: pl.DataFrame, of: pl.DataFrame) -> pl.DataFrame:
    """``frame`` with the columns and types of ``of``; what it lacks is null."""
    return frame.select(
        (pl.col(name) if name in frame.columns else pl.lit(None)).cast(dtype).alias(name)
        for name, dtype in of.schema.items()
    )
