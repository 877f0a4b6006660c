"""Play the scenes: choose their entrants, and let ``ratinglist.simulation`` pair, play and report them.

A scene becomes rows of the frames that the simulation uses for its own events, and is treated like them.
"""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import polars as pl
from scenes import CAST, FOLLOW_UPS, SCENES, Scene

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
_LIST_COLUMNS = ("fide_id", "name", "federation", "sex", "title", "women_title", "birth_date", "rating")
_PLAIN_DELIVERY: dict[str, object] = {"version": 1, "part": 1, "plant": "", "damage": 0} | dict.fromkeys(
    ("is_extra", "is_altered", "is_trf26", "is_cp1252", "is_crlf", "has_mark", "is_trimmed", "has_old_titles"), False
)


def cast() -> pl.DataFrame:
    """Return one row for each player of the cast, with the columns of ``CAST``."""
    return pl.read_csv(
        StringIO(CAST.strip()), try_parse_dates=True, schema_overrides={"month": pl.String}
    ).with_columns(pl.col("title", "women_title", "other_titles", "month").fill_null(""))


def staged(world: World, played: HeldEvents, expected: pl.Series) -> HeldEvents:
    """Return all scenes in frames like those of ``played``, the events that the simulation makes by itself.

    Players who play in one of these events on a day of a scene are not drawn for it. ``expected`` as in
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
    events, entrants, cells, deliveries = _with_follow_ups(events, entrants, cells, deliveries, world)
    pairs = ((events, played.events), (entrants, played.entrants), (cells, played.cells))
    return HeldEvents(*(_like(frame, of) for frame, of in (*pairs, (deliveries, played.deliveries))))


def _events() -> pl.DataFrame:
    """Return the events of all scenes, numbered from 1."""
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
    """Return ``fide_id`` and ``date`` of every day on which a player plays."""
    dated = held.events.select("event_no", "start_date", "rounds", "days", "is_long").with_columns(
        pl.int_ranges(1, pl.col("rounds") + 1, dtype=pl.Int64).alias("round")
    )
    dated = dated.explode("round").select(
        "event_no", (pl.col("start_date") + pl.duration(days=round_day(pl.col("round")))).cast(pl.Date).alias("date")
    )
    return held.entrants.select("event_no", "fide_id").join(dated.unique(), on="event_no").select("fide_id", "date")


def _entrants(world: World, events: pl.DataFrame, busy: pl.DataFrame) -> pl.DataFrame:
    """Return the entrants of every scene, as :func:`ratinglist.simulation.participation.entrants_of` does.

    Raises :class:`ValueError` for a player who is invited but not cast, and for a scene with too few free players.
    """
    extras = _extras(world)
    invited = cast().with_columns(surname=pl.col("name").str.split(",").list.first())
    parts = []
    for number, scene in enumerate(SCENES, 1):
        event = events.filter(event_no=number)
        stars = invited.filter(pl.col("surname").is_in(scene.invited))
        if stars.height < len(scene.invited):
            raise ValueError(f"{scene.name}: a player is invited who is not cast")
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
    """Return the rated players of the simulation's starting list, with their ``strength`` and an empty ``surname``."""
    listed = starting_list(world).select(_LIST_COLUMNS).filter(pl.col("rating").is_not_null())
    players = people.with_strength(people.with_biography(people.numbers(world, 0), world), world, 1)
    strengths = players.select(people.fide_id(), "strength")
    return listed.join(strengths, on="fide_id").with_columns(surname=pl.lit(""))


def _assign_seats(scene: Scene, field: pl.DataFrame, number: int) -> pl.DataFrame:
    """Return the ``field`` of a scene with start numbers, teams, form and attendance."""
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
    """Return ``cells`` with the result codes of the scenes; raises :class:`ValueError` for players who do not meet."""
    numbers = {(event_no, surname): at for event_no, surname, at in _seats(entrants) if surname}
    result = pl.col("result")
    for number, scene in enumerate(SCENES, 1):
        is_allocated = (pl.col("event_no") == number) & pl.col("result").is_in(["U", "F"])
        result = pl.when(is_allocated).then(pl.lit(scene.bye)).otherwise(result)
        for names, codes in scene.results.items():
            for (own, other), code in ((names, codes[0]), (names[::-1], codes[1])):
                here = (
                    (pl.col("event_no") == number)
                    & (pl.col("start_number") == numbers[number, own])
                    & (pl.col("opponent") == numbers[number, other])
                )
                if cells.filter(here).height != 1:
                    raise ValueError(f"{scene.name}: {own} and {other} do not meet")
                result = pl.when(here).then(pl.lit(code)).otherwise(result)
    return cells.with_columns(result.alias("result"))


def _seats(entrants: pl.DataFrame) -> list[tuple[int, str, int]]:
    return entrants.select("event_no", "surname", "start_number").rows()


def _deliveries(events: pl.DataFrame, world: World) -> pl.DataFrame:
    """Return the first report of every scene."""
    rows = [
        {
            **_PLAIN_DELIVERY,
            "event_no": number,
            "file": scene.file,
            "event_id": scene.code,
            "received_on": scene.received,
            "month": _month(scene.month, world),
            **scene.delivery,
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


def _with_follow_ups(
    events: pl.DataFrame, entrants: pl.DataFrame, cells: pl.DataFrame, deliveries: pl.DataFrame, world: World
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return all four frames with the follow-ups of the first reports, each as an event of its own."""
    frames = ([events], [entrants], [cells], [deliveries])
    for number, (file, differences) in enumerate(FOLLOW_UPS, len(SCENES) + 1):
        values = {**differences, "is_extra": True}
        if "list" in values:
            values["month"] = _month(str(values.pop("list")), world)
        of = deliveries.filter(file=file)["event_no"].item()
        for parts, frame in zip(frames, (events, entrants, cells, deliveries), strict=True):
            changed = [
                pl.lit(value).cast(frame.schema[name]).alias(name)
                for name, value in values.items()
                if name in frame.columns
            ]
            # The code and the federation of the event are not those of its players.
            changed = [] if frame is entrants or frame is cells else changed
            parts.append(
                frame.filter(event_no=of).with_columns(*changed, pl.lit(number, dtype=pl.UInt32).alias("event_no"))
            )
    return pl.concat(frames[0]), pl.concat(frames[1]), pl.concat(frames[2]), pl.concat(frames[3])


def _month(text: str, world: World) -> int:
    return Period.parse(text).index - world.first.index + 1


def _like(frame: pl.DataFrame, of: pl.DataFrame) -> pl.DataFrame:
    """Return ``frame`` with the columns and types of ``of``; missing columns are null."""
    return frame.select(
        (pl.col(name) if name in frame.columns else pl.lit(None)).cast(dtype).alias(name)
        for name, dtype in of.schema.items()
    )
