"""What the text of an official list means: numbers, titles, flags; one row per player and time control.

A value that cannot be understood refuses the list; an odd one that cannot change a rating (an unknown title, a sex
that is neither M nor F) is noted and kept, or blanked where keeping it would break a promise.
"""

from __future__ import annotations

import polars as pl

from ratinglist.limits import LIST_TEXT_LENGTH
from ratinglist.lists.list_source import TIME_CONTROLS, Inspection, OfficialSource
from ratinglist.period import Period
from ratinglist.safe_text import FORBIDDEN_IN_NAME
from ratinglist.schemas import PLAYER, Column, Table

OFFICIAL_ROW = Table(
    "official_row",
    "player and time control of an official list; unrated players of a combined list once, without time control",
    {
        **PLAYER.columns,
        "time_control": Column(pl.String(), "standard, rapid, blitz; null: no rating in any", null=True),
        "rating": Column(pl.Int32(), "null: unrated", null=True),
        "k": Column(pl.Int32(), "as the list says; null where unrated", null=True),
        "games": Column(pl.Int32(), "rated in the period of the list", null=True),
        "games_played": Column(pl.Int32(), "games counted towards the first 30", null=True),
        "reached_2400": Column(pl.Boolean(), "a published rating ever was 2400 or more", null=True),
        "reached_2300": Column(pl.Boolean(), "a published rating ever was 2300 or more", null=True),
        "last_played": Column(pl.Date(), "day of the last rated game, or first day of the list that has it", null=True),
        "flag": Column(pl.String(), "empty, i (inactive), w (woman), wi (both)"),
    },
    key=("fide_id", "time_control"),
)

_TITLES = {"g": "GM", "m": "IM", "f": "FM", "c": "CM", "wg": "WGM", "wm": "WIM", "wf": "WFM", "wc": "WCM"}
_OTHER_TITLES = "IA|FA|NA|IO|NO|FST|FT|FI|NI|DI|SI|LSI|SLI|AO"
_TEXTS = ("name", "federation", "sex", "title", "women_title", "other_titles", "flag")
_INTEGERS = {
    "fide_id": (1, 99_999_999_999, "a FIDE ID"),
    "birth_year": (0, 9999, "a year"),
    "rating": (0, 4000, "a rating from 0 to 4000"),
    "games": (0, 9999, "a number of games"),
    "k": (0, 100, "a K"),
    "games_played": (0, 99_999, "a number of games"),
}
_STATE = ("games_played", "reached_2400", "reached_2300", "last_played")
_FIRST_BIRTH_YEAR = 1850


def values(raw: pl.DataFrame, source: OfficialSource, inspection: Inspection, month: Period | None) -> pl.DataFrame:
    """The columns of ``raw`` (see :class:`OfficialSource`) as values, with every column a player has.

    Numbers are Int64, blanks null; titles, federation and sex in upper case; ``flag`` ``""``, ``w``, ``i`` or ``wi``.
    ``month`` is the list's, None for a file of players: then rating columns are left out. What cannot be understood
    goes to ``inspection``.
    """
    if month is None:
        raw = raw.select("line", *(name for name in PLAYER.columns if name in raw.columns))
    raw = raw.with_columns(
        pl.lit("").alias(name) for name in (*_TEXTS, "birth_year", "birth_date") if name not in raw.columns
    )
    _check_texts(raw, source, inspection)
    integers = {name: _INTEGERS[part] for name in raw.columns if (part := _part(name)) in _INTEGERS}
    numbers = raw.select("line", *(pl.col(name).cast(pl.Int64, strict=False) for name in integers))
    # What is out of bounds is refused here and is nothing from here on: not every column has room for it.
    found = numbers.with_columns(
        pl.when(pl.col(name).is_between(low, high)).then(name).alias(name) for name, (low, high, _) in integers.items()
    )
    for name, (_, _, what) in integers.items():
        bad = (raw[name] != "") & found[name].is_null()
        _refuse(raw, bad, name, source, inspection, f"is not {what}", "write a whole number, or leave it blank")
    _refuse(raw, raw["fide_id"] == "", "fide_id", source, inspection, "is blank", "give every player his FIDE ID")
    dates, booleans = _dates(raw, source, inspection), _booleans(raw, source, inspection)
    frame = _texts(raw, inspection).with_columns(*(found[name] for name in integers), *dates, *booleans)
    return _births(frame, source, inspection, month)


def rows(found: pl.DataFrame, source: OfficialSource, time_control: str | None) -> pl.DataFrame:
    """``found`` (from :func:`values`) as :data:`OFFICIAL_ROW` and ``line``; ``time_control`` is that of a single list.

    A combined list gives a player one row for each rating, or one without time control if he has none.
    """
    player = ["line", *PLAYER.columns, "flag"]
    if not source.combined:
        missing = [name for name in OFFICIAL_ROW.columns if name not in found.columns and name != "time_control"]
        own = pl.col("time_control") if source.has_time_control else pl.lit(time_control, dtype=pl.String)
        return _shaped(found.with_columns(own.alias("time_control"), *(pl.lit(None).alias(n) for n in missing)))
    parts = ("rating", "games", "k")
    nothing = [pl.lit(None).alias(name) for name in _STATE]
    rated = [
        found.filter(pl.col(f"{name}_rating") > 0).select(
            *player,
            *nothing,
            *(pl.col(f"{name}_{part}").alias(part) for part in parts),
            time_control=pl.lit(name),
        )
        for name in TIME_CONTROLS
    ]
    unrated = found.filter(~pl.any_horizontal(pl.col(f"{name}_rating").fill_null(0) > 0 for name in TIME_CONTROLS))
    none = unrated.select(*player, *nothing, *(pl.lit(None).alias(n) for n in parts), time_control=pl.lit(None))
    return pl.concat([_shaped(part) for part in (*rated, none)])


def check_state(found: pl.DataFrame, inspection: Inspection, month: Period) -> None:
    """Refuse rows (:data:`OFFICIAL_ROW`, ``line``) whose time control, rating and state contradict each other."""
    known = pl.any_horizontal(pl.col("rating", *_STATE).is_not_null())
    never = ~pl.col("reached_2400"), ~pl.col("reached_2300")
    contradictions = [
        ("time_control", pl.col("time_control").is_null() & known, "is blank beside a rating", "say which list it is"),
        ("last_played", pl.col("last_played") > month.first_day, f"is after the list of {month}", "correct it"),
        ("reached_2400", never[0] & (pl.col("rating") >= 2400), "stands beside a rating from 2400", "correct it"),
        ("reached_2300", never[1] & (pl.col("rating") >= 2300), "stands beside a rating from 2300", "correct it"),
        ("reached_2300", never[1] & pl.col("reached_2400"), "stands beside a 2400 reached", "correct it"),
    ]
    for name, wrong, says, remedy in contradictions:
        inspection.refuse(
            found.filter(wrong).select("line", value=pl.col(name).cast(pl.String)), f"column {name}", says, remedy
        )


def _shaped(frame: pl.DataFrame) -> pl.DataFrame:
    """``line`` and :data:`OFFICIAL_ROW`; 0 is how lists write unrated, and K belongs to a rating."""
    rated = pl.col("rating") > 0
    shaped = frame.with_columns(pl.when(rated).then("rating"), pl.when(rated).then("k"))
    return shaped.select("line", *(pl.col(name).cast(column.dtype) for name, column in OFFICIAL_ROW.columns.items()))


def _part(name: str) -> str:
    """``rating``, ``games`` or ``k`` of a combined list's column; any other name as it is."""
    head, _, part = name.partition("_")
    return part if head in TIME_CONTROLS else name


def _refuse(
    raw: pl.DataFrame,
    bad: pl.Series,
    name: str,
    source: OfficialSource,
    inspection: Inspection,
    says: str,
    remedy: str,
) -> None:
    place = source.places.get(name, f"column {name}")
    inspection.refuse(raw.filter(bad).select("line", value=name), place, says, remedy)


def _check_texts(raw: pl.DataFrame, source: OfficialSource, inspection: Inspection) -> None:
    """Refuse texts that are too long, and those with a character that no name may have."""
    for name in _TEXTS:
        different = raw[name] if name == "name" else raw[name].unique()
        if not (different.str.contains(FORBIDDEN_IN_NAME) | (different.str.len_bytes() > LIST_TEXT_LENGTH)).any():
            continue
        hurts = raw[name].str.contains(FORBIDDEN_IN_NAME)
        says = "holds a character that moves the cursor or turns the direction of writing"
        _refuse(raw, hurts, name, source, inspection, says, "take it out; a name needs letters only")
        long = raw[name].str.len_chars() > LIST_TEXT_LENGTH
        says = f"has more than {LIST_TEXT_LENGTH} characters"
        _refuse(raw, long, name, source, inspection, says, "write what it is, and nothing more")


def _dates(raw: pl.DataFrame, source: OfficialSource, inspection: Inspection) -> list[pl.Series]:
    found = []
    for name in ("birth_date", "last_played"):
        if name in raw.columns:
            days = raw[name].str.to_date("%Y-%m-%d", strict=False)
            bad = (raw[name] != "") & (days.is_null() | (raw[name].str.len_chars() != 10))
            _refuse(raw, bad, name, source, inspection, "is not a date", "write YYYY-MM-DD, or leave it blank")
            found.append(days)
    return found


def _booleans(raw: pl.DataFrame, source: OfficialSource, inspection: Inspection) -> list[pl.Series]:
    meaning = {"1": True, "true": True, "0": False, "false": False}
    found = []
    for name in ("reached_2400", "reached_2300"):
        if name in raw.columns:
            answers = raw[name].str.to_lowercase().replace_strict(meaning, default=None, return_dtype=pl.Boolean)
            bad = (raw[name] != "") & answers.is_null()
            _refuse(raw, bad, name, source, inspection, "is not yes or no", "write 1 or 0, or leave it blank")
            found.append(answers)
    if "time_control" in raw.columns:
        bad = ~raw["time_control"].is_in(["", *TIME_CONTROLS])
        _refuse(raw, bad, "time_control", source, inspection, "is no time control", f"write {', '.join(TIME_CONTROLS)}")
        found.append(raw.select(pl.when(pl.col("time_control") != "").then("time_control")).to_series())
    return found


def _texts(raw: pl.DataFrame, inspection: Inspection) -> pl.DataFrame:
    """``raw`` with its text columns in the spelling of the list."""
    frame = raw.with_columns(
        pl.col("federation", "sex", "other_titles").str.to_uppercase(),
        *(pl.col(name).str.to_lowercase().replace(_TITLES).str.to_uppercase() for name in ("title", "women_title")),
        flag=_flag(),
    )
    known = ["", *_TITLES.values()]
    odd = {
        "name": ("no_name", pl.col("name") == "", "a player has no name"),
        "federation": (
            "unknown_federation",
            ~pl.col("federation").str.contains("^([A-Z]{3})?$"),
            "a federation is not three letters; it is kept",
        ),
        "sex": ("unknown_sex", ~pl.col("sex").is_in(["", "M", "F"]), "a sex is neither M nor F; it is left blank"),
        "title": ("unknown_title", ~pl.col("title").is_in(known), "a title is not known; it is kept"),
        "women_title": ("unknown_title", ~pl.col("women_title").is_in(known), "a title is not known; it is kept"),
        "other_titles": (
            "unknown_other_title",
            ~pl.col("other_titles").str.contains(rf"^((?:{_OTHER_TITLES})(,\s*(?:{_OTHER_TITLES}))*)?$"),
            "an arbiter's, organiser's or trainer's title is not known; it is kept",
        ),
    }
    for name, (kind, is_odd, says) in odd.items():
        inspection.note(frame.filter(is_odd).select("line", value=name), kind, says)
    inspection.note(
        raw.filter(~pl.col("flag").str.contains("^[iwIW]*$")).select("line", value="flag"),
        "unknown_flag",
        "a flag holds more than i and w; the rest is not kept",
    )
    return frame.with_columns(pl.when(pl.col("sex").is_in(["M", "F"])).then("sex").otherwise(pl.lit("")))


def _flag() -> pl.Expr:
    written = pl.col("flag").str.to_lowercase()
    letters = [
        pl.when(written.str.contains(letter, literal=True)).then(pl.lit(letter)).otherwise(pl.lit(""))
        for letter in ("w", "i")
    ]
    return pl.concat_str(letters)


def _births(frame: pl.DataFrame, source: OfficialSource, inspection: Inspection, month: Period | None) -> pl.DataFrame:
    """The year of birth: 0 is unknown, an impossible one is noted and unknown, a missing one is that of the date."""
    of_date = pl.col("birth_date").dt.year().cast(pl.Int64)
    frame = frame.with_columns(birth_year=pl.when(pl.col("birth_year") != 0).then("birth_year"))
    bad = frame.select((pl.col("birth_year") != of_date).fill_null(value=False)).to_series()
    _refuse(
        frame.with_columns(pl.col("birth_year").cast(pl.String)),
        bad,
        "birth_year",
        source,
        inspection,
        "is not the year of the birth date",
        "correct one of them",
    )
    frame = frame.with_columns(birth_year=pl.coalesce("birth_year", of_date))
    last = 9999 if month is None else month.first_day.year
    odd = ~pl.col("birth_year").is_between(_FIRST_BIRTH_YEAR, last)
    inspection.note(
        frame.filter(odd).select("line", value=pl.col("birth_year").cast(pl.String)),
        "impossible_birth_year",
        "a year of birth is not possible; it is left blank",
    )
    known = pl.when(~odd)
    return frame.with_columns(birth_year=known.then("birth_year"), birth_date=known.then("birth_date"))
