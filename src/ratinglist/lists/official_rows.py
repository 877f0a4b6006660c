"""Parse the text of an official list into values, one row per player and time control.

A value that cannot be parsed refuses the list. An odd value that cannot change a rating (an unknown title, a sex that
is neither M nor F) is noted and kept, or blanked if a later step relies on its form.
"""

from __future__ import annotations

import polars as pl

from ratinglist.limits import LIST_TEXT_LENGTH
from ratinglist.lists.inspection import Inspection
from ratinglist.lists.raw_list import RawList
from ratinglist.period import Period
from ratinglist.safe_text import FORBIDDEN_IN_NAME, OTHER_BLANK, UNSEEN
from ratinglist.schemas import LISTS, PLAYER, Column, Table

OFFICIAL_ROW = Table(
    "official_row",
    "player and time control of an official list; unrated players of a combined list once, without time control",
    {
        **PLAYER.columns,
        "time_control": Column(pl.String(), "standard, rapid, blitz; null: no rating in any", null=True),
        "rating": Column(pl.Int32(), "null: unrated", null=True),
        "k": Column(pl.Int32(), "as in the list; null where unrated", null=True),
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
_ODD_BLANK = rf"[\t\r\n]|{OTHER_BLANK}"
_DAY_FIRST = r"^([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})$"
_DOTTED_BIRTH = r"^([0-9 ]{0,2})\.([0-9 ]{0,2})\.([0-9]{4}|[0-9]{2})$"
_STATE = ("games_played", "reached_2400", "reached_2300", "last_played")
_FIRST_BIRTH_YEAR = 1850
_YOUNGEST = 5
"""The age from which on players are listed, for a year of birth of two digits."""


def parse_values(raw: pl.DataFrame, source: RawList, inspection: Inspection, month: Period | None) -> pl.DataFrame:
    """Parse the text columns of ``raw`` (see :class:`RawList`); the result has every column of a player.

    Numbers are Int64, blanks null; titles, federation and sex in upper case; ``flag`` is ``""``, ``w``, ``i`` or
    ``wi``. ``month`` is the list's, None for a file of players: then rating columns are left out. Values that cannot be
    parsed are added to ``inspection`` as problems.
    """
    if month is None:
        raw = raw.select("line", *(name for name in PLAYER.columns if name in raw.columns))
    raw = raw.with_columns(
        pl.lit("").alias(name) for name in (*_TEXTS, "birth_year", "birth_date") if name not in raw.columns
    )
    raw = _with_plain_blanks(raw, inspection)
    raw = _with_birth_dates(raw, source, inspection, month)
    _check_texts(raw, source, inspection)
    integers = {name: _INTEGERS[part] for name in raw.columns if (part := _part(name)) in _INTEGERS}
    numbers = raw.select("line", *(pl.col(name).cast(pl.Int64, strict=False) for name in integers))
    # A number out of bounds is refused here and null from here on, because it may not fit the column's type.
    found = numbers.with_columns(
        pl.when(pl.col(name).is_between(low, high)).then(name).alias(name) for name, (low, high, _) in integers.items()
    )
    for name, (_, _, description) in integers.items():
        bad = (raw[name] != "") & found[name].is_null()
        _refuse(raw, bad, name, source, inspection, f"is not {description}", "write a whole number, or leave it blank")
    _refuse(raw, raw["fide_id"] == "", "fide_id", source, inspection, "is blank", "give every player a FIDE ID")
    dates, booleans = _dates(raw, source, inspection), _booleans(raw, source, inspection)
    frame = _texts(raw, inspection).with_columns(*(found[name] for name in integers), *dates, *booleans)
    return _births(frame, source, inspection, month)


def official_rows(found: pl.DataFrame, source: RawList, time_control: str | None) -> pl.DataFrame:
    """Return ``found`` (from :func:`parse_values`) as rows of :data:`OFFICIAL_ROW` with ``line``.

    ``time_control`` is that of a single list. A combined list gives a player one row for each rating, or one row
    without time control if the player has no rating.
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
        for name in LISTS
    ]
    unrated = found.filter(~pl.any_horizontal(pl.col(f"{name}_rating").fill_null(0) > 0 for name in LISTS))
    none = unrated.select(*player, *nothing, *(pl.lit(None).alias(n) for n in parts), time_control=pl.lit(None))
    return pl.concat([_shaped(part) for part in (*rated, none)])


def check_state(found: pl.DataFrame, inspection: Inspection, month: Period) -> None:
    """Refuse rows (:data:`OFFICIAL_ROW`, ``line``) whose time control, rating and state contradict each other."""
    has_state = pl.any_horizontal(pl.col("rating", *_STATE).is_not_null())
    never = ~pl.col("reached_2400"), ~pl.col("reached_2300")
    no_list = pl.col("time_control").is_null()
    contradictions = [
        (
            "time_control",
            no_list & has_state,
            "is blank although the row has a rating or a state",
            "write which list it is",
        ),
        ("last_played", pl.col("last_played") > month.first_day, f"is after the list of {month}", "correct it"),
        ("reached_2400", never[0] & (pl.col("rating") >= 2400), "contradicts a rating of 2400 or more", "correct it"),
        ("reached_2300", never[1] & (pl.col("rating") >= 2300), "contradicts a rating of 2300 or more", "correct it"),
        ("reached_2300", never[1] & pl.col("reached_2400"), "contradicts a 2400 reached", "correct it"),
    ]
    for name, wrong, rule, remedy in contradictions:
        inspection.refuse(
            found.filter(wrong).select("line", value=pl.col(name).cast(pl.String)), f"column {name}", rule, remedy
        )


def _shaped(frame: pl.DataFrame) -> pl.DataFrame:
    """Return ``line`` and :data:`OFFICIAL_ROW`. A rating of 0 becomes null: lists write unrated so; its K too."""
    rated = pl.col("rating") > 0
    shaped = frame.with_columns(pl.when(rated).then("rating"), pl.when(rated).then("k"))
    return shaped.select("line", *(pl.col(name).cast(column.dtype) for name, column in OFFICIAL_ROW.columns.items()))


def _part(name: str) -> str:
    """Return ``rating``, ``games`` or ``k`` for a combined list's column; any other name unchanged."""
    head, _, part = name.partition("_")
    return part if head in LISTS else name


def _refuse(
    raw: pl.DataFrame,
    bad: pl.Series,
    name: str,
    source: RawList,
    inspection: Inspection,
    rule: str,
    remedy: str,
) -> None:
    place = source.places.get(name, f"column {name}")
    inspection.refuse(raw.filter(bad).select("line", value=name), place, rule, remedy)


def _with_plain_blanks(raw: pl.DataFrame, inspection: Inspection) -> pl.DataFrame:
    """Return ``raw`` with a blank for each tab, line end and blank of another width in a text; note the lines."""
    for name in _TEXTS:
        different = raw[name] if name == "name" else raw[name].unique()
        if not different.str.contains(_ODD_BLANK).any():
            continue
        is_odd = raw[name].str.contains(_ODD_BLANK)
        has_tab = raw[name].str.contains("\t", literal=True)
        for kind, rows, what in (("tab", has_tab, "a tab"), ("blank", is_odd & ~has_tab, "a line end or an odd blank")):
            found = raw.filter(rows).select("line", value=name)
            inspection.note(found, f"{kind}_in_{name}", f"a {name.replace('_', ' ')} has {what}; a blank is read")
        raw = raw.with_columns(pl.col(name).str.replace_all(r"\r\n", " ").str.replace_all(_ODD_BLANK, " "))
        raw = raw.with_columns(pl.col(name).str.strip_chars())
    return raw


def _check_texts(raw: pl.DataFrame, source: RawList, inspection: Inspection) -> None:
    """Refuse texts that are too long, or contain a character that no name may have."""
    for name in _TEXTS:
        different = raw[name] if name == "name" else raw[name].unique()
        if not (different.str.contains(FORBIDDEN_IN_NAME) | (different.str.len_bytes() > LIST_TEXT_LENGTH)).any():
            continue
        forbidden = raw[name].str.contains(FORBIDDEN_IN_NAME)
        rule = "holds a character that moves the cursor, turns the direction of writing, or says what no reader sees"
        _refuse(raw, forbidden, name, source, inspection, rule, "take it out; a name needs letters only")
        too_long = raw[name].str.len_chars() > LIST_TEXT_LENGTH
        rule = f"has more than {LIST_TEXT_LENGTH} characters"
        _refuse(raw, too_long, name, source, inspection, rule, "write what it is, and nothing more")


def _dates(raw: pl.DataFrame, source: RawList, inspection: Inspection) -> list[pl.Series]:
    found = []
    for name in ("birth_date", "last_played"):
        if name in raw.columns:
            days, day_first = _days(raw[name])
            inspection.note(
                raw.filter(day_first & days.is_not_null()).select("line", value=name),
                "day_first",
                "a day is written DD.MM.YYYY, as Excel saves it; it is read so",
            )
            bad = (raw[name] != "") & (days.is_null() | (~day_first & (raw[name].str.len_chars() != 10)))
            _refuse(
                raw, bad, name, source, inspection, "is not a date", "write YYYY-MM-DD or DD.MM.YYYY, or leave it blank"
            )
            found.append(days)
    return found


def _days(texts: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Return the days of ``texts``, ``YYYY-MM-DD`` or ``DD.MM.YYYY``, null if they are none, and which are dotted."""
    is_dotted = texts.str.contains(_DAY_FIRST)
    days = texts.str.to_date("%Y-%m-%d", strict=False)
    if not is_dotted.any():
        return days, is_dotted
    dotted = texts.str.to_date("%d.%m.%Y", strict=False)
    return pl.select(pl.when(is_dotted).then(dotted).otherwise(days)).to_series(), is_dotted


def _with_birth_dates(raw: pl.DataFrame, source: RawList, inspection: Inspection, month: Period | None) -> pl.DataFrame:
    """Split the dates in the column of the year of birth, as FIDE's lists of 2001 to 2004 have them; dots are blank.

    ``30.12.1935`` and ``17.01.72`` become a date and its year, ``.  .1935`` a year. A year of two digits is the newest
    one that makes the player five years old or more on the list; without a month, it is of the last century.
    """
    if not raw["birth_year"].str.contains(".", literal=True).any():
        return raw
    blank = pl.col("birth_year").str.contains(r"^[. ]*$")
    raw = raw.with_columns(birth_year=pl.when(blank).then(pl.lit("")).otherwise("birth_year"))
    part = pl.col("birth_year").str.extract_groups(_DOTTED_BIRTH).struct
    day, month_number, year = (part.field(str(at)).str.strip_chars() for at in (1, 2, 3))
    number = year.cast(pl.Int64, strict=False)
    newest = (month.first_day.year if month else 2000) - _YOUNGEST
    of_century = pl.when(2000 + number <= newest).then(2000 + number).otherwise(1900 + number)
    full_year = pl.when(year.str.len_chars() == 2).then(of_century).otherwise(number)
    unknown = day.is_in(["", "0", "00"]) | month_number.is_in(["", "0", "00"])
    split = raw.select(
        "line",
        value="birth_year",
        year=full_year,
        day=pl.when(~unknown).then(
            pl.format("{}-{}-{}", full_year, month_number.str.zfill(2), day.str.zfill(2)).str.to_date(
                "%Y-%m-%d", strict=False
            )
        ),
        unknown=unknown,
    )
    is_dotted = split["year"].is_not_null()
    impossible = split.filter(is_dotted & ~split["unknown"] & split["day"].is_null()).select("line", "value")
    place = source.places.get("birth_year", "column birth_year")
    inspection.refuse(impossible, place, "is not a date", "correct it, or leave it blank")
    inspection.note(
        split.filter(is_dotted).select("line", "value"), "birth_date_dotted", "a birth is a date with dots; it is read"
    )
    return raw.with_columns(
        birth_year=pl.when(is_dotted).then(split["year"].cast(pl.String)).otherwise("birth_year"),
        birth_date=pl.when(is_dotted).then(split["day"].cast(pl.String).fill_null("")).otherwise("birth_date"),
    )


def _booleans(raw: pl.DataFrame, source: RawList, inspection: Inspection) -> list[pl.Series]:
    meaning = {"1": True, "true": True, "0": False, "false": False}
    found = []
    for name in ("reached_2400", "reached_2300"):
        if name in raw.columns:
            answers = raw[name].str.to_lowercase().replace_strict(meaning, default=None, return_dtype=pl.Boolean)
            bad = (raw[name] != "") & answers.is_null()
            _refuse(raw, bad, name, source, inspection, "is not yes or no", "write 1 or 0, or leave it blank")
            found.append(answers)
    if "time_control" in raw.columns:
        bad = ~raw["time_control"].is_in(["", *LISTS])
        _refuse(raw, bad, "time_control", source, inspection, "is no time control", f"write {', '.join(LISTS)}")
        found.append(raw.select(pl.when(pl.col("time_control") != "").then("time_control")).to_series())
    return found


def _texts(raw: pl.DataFrame, inspection: Inspection) -> pl.DataFrame:
    """Return ``raw`` with its text columns in the spelling of published lists; note the odd ones."""
    frame = _without_unseen(raw, inspection).with_columns(
        pl.col("federation", "sex", "other_titles").str.to_uppercase(),
        *(pl.col(name).str.to_lowercase().replace(_TITLES).str.to_uppercase() for name in ("title", "women_title")),
        flag=_flag(),
    )
    titles = ["", *_TITLES.values()]
    odd = {
        "name": ("no_name", pl.col("name") == "", "a player has no name"),
        "federation": (
            "unknown_federation",
            ~pl.col("federation").str.contains("^([A-Z]{3})?$"),
            "a federation is not three letters; it is kept",
        ),
        "sex": ("unknown_sex", ~pl.col("sex").is_in(["", "M", "F"]), "a sex is neither M nor F; it is left blank"),
        "title": ("unknown_title", ~pl.col("title").is_in(titles), "a title is not known; it is kept"),
        "women_title": ("unknown_title", ~pl.col("women_title").is_in(titles), "a title is not known; it is kept"),
        "other_titles": (
            "unknown_other_title",
            ~pl.col("other_titles").str.contains(rf"^((?:{_OTHER_TITLES})(,\s*(?:{_OTHER_TITLES}))*)?$"),
            "an arbiter's, organiser's or trainer's title is not known; it is kept",
        ),
    }
    for name, (kind, is_odd, description) in odd.items():
        inspection.note(frame.filter(is_odd).select("line", value=name), kind, description)
    inspection.note(
        raw.filter(~pl.col("flag").str.contains("^[iwIW]*$")).select("line", value="flag"),
        "unknown_flag",
        "a flag holds more than i and w; the rest is not kept",
    )
    return frame.with_columns(pl.when(pl.col("sex").is_in(["M", "F"])).then("sex").otherwise(pl.lit("")))


def _without_unseen(raw: pl.DataFrame, inspection: Inspection) -> pl.DataFrame:
    """Return ``raw`` with the names as a reader sees them; note those that had a character that is not seen."""
    names = raw["name"]
    # Hardly a name has more bytes than characters, and only such a name can have one of these characters.
    wide = names.filter(names.str.len_bytes() > names.str.len_chars())
    if not wide.str.contains(UNSEEN).any():
        return raw
    inspection.note(
        raw.filter(names.str.contains(UNSEEN)).select("line", value="name"),
        "unseen_character",
        "a name has a character that is not seen; it is left out",
    )
    return raw.with_columns(pl.col("name").str.replace_all(UNSEEN, "").str.strip_chars())


def _flag() -> pl.Expr:
    flag = pl.col("flag").str.to_lowercase()
    letters = [
        pl.when(flag.str.contains(letter, literal=True)).then(pl.lit(letter)).otherwise(pl.lit(""))
        for letter in ("w", "i")
    ]
    return pl.concat_str(letters)


def _births(frame: pl.DataFrame, source: RawList, inspection: Inspection, month: Period | None) -> pl.DataFrame:
    """Return ``frame`` with the year of birth: 0 is unknown, a missing one is taken from the birth date.

    An impossible year is noted and left blank, together with the date.
    """
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
    possible = pl.when(~odd)
    return frame.with_columns(birth_year=possible.then("birth_year"), birth_date=possible.then("birth_date"))
