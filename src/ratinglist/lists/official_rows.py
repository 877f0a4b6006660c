"""Parse the text of an official list into values, one row per player and time control.

A value that cannot be parsed refuses the list. An odd value that cannot change a rating (an unknown title, a sex that
is neither M nor F) is noted and kept, or blanked if a later step relies on its form.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import polars as pl

from ratinglist.limits import LIST_TEXT_LENGTH
from ratinglist.lists.raw_list import Inspection, RawList
from ratinglist.period import Period
from ratinglist.tables import LISTS, MEMBERSHIP, PLAYER, PLAYER_TEXTS, Column, Table
from ratinglist.text import FORBIDDEN_IN_NAME, OTHER_BLANK, UNSEEN

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

TITLES = {"g": "GM", "m": "IM", "f": "FM", "c": "CM", "wg": "WGM", "wm": "WIM", "wf": "WFM", "wc": "WCM"}
_OTHER_TITLES = "IA|FA|NA|IO|NO|FST|FT|FI|NI|DI|SI|LSI|SLI|AO"
MEMBERSHIP_COLUMNS = tuple(name for name in MEMBERSHIP.columns if name != "fide_id")
"""The columns that a file of players alone may have."""
_TEXTS = (*PLAYER_TEXTS, "flag")
_WOMAN, _MAN = ("F", "W", "K", "Ж", "FEMALE", "WEIBLICH"), ("M", "М", "MALE", "MÄNNLICH")
_SEXES = dict.fromkeys(_WOMAN, "F") | dict.fromkeys(_MAN, "M")
_ODD_BLANK = rf"[\t\r\n]|{OTHER_BLANK}"
_STATE = ("games_played", "reached_2400", "reached_2300", "last_played")
_YEAR_ALONE = r"^(?:0{4}|0?0\.0?0\.)?([0-9]{4})(?:[./-]0?0[./-]0?0)?$"
"""A year of birth without a day: alone, or with zeros for the day and the month."""
_DAY_ZERO = date(1899, 12, 30)
_SERIAL_DAYS = (3_000, 60_000)
"""The numbers that are a date in a workbook: from 1908 to 2064. A year is below."""
FIRST_BIRTH_YEAR = 1850
_YOUNGEST_NOTED, _OLDEST_NOTED = 3, 104
"""Years before the last one that is possible between which a birth is not noted."""


def parse_values(raw: pl.DataFrame, inspection: Inspection, month: Period | None, until: date) -> pl.DataFrame:
    """Parse the text columns of ``raw`` (see :class:`RawList`); the result has every column of a player.

    Those of a membership are of a file of players alone. Numbers are Int64, blanks null; titles, federation and sex in
    upper case; ``flag`` is ``""``, ``w``, ``i`` or ``wi``. ``month`` is the list's, None for a file of players: then
    rating columns are left out. ``until``: the last day on which a player can be born. Values that cannot be parsed are
    added to ``inspection`` as problems.
    """
    texts = [*_TEXTS, "birth_year", "birth_date"]
    if month is None:
        texts += MEMBERSHIP_COLUMNS
        raw = raw.select("line", *(name for name in ("fide_id", *texts) if name in raw.columns))
    elif "list_month" in raw.columns:
        rule, remedy = f"is not {month}", f"import it with --month and its own month, or give the list of {month}"
        inspection.refuse_values(raw, pl.col("list_month") != str(month), "list_month", rule, remedy)
    if "flag" in raw.columns and "sex" not in raw.columns:
        raw = _with_sex_of_flag(raw, inspection)
    raw = raw.with_columns(pl.lit("").alias(name) for name in texts if name not in raw.columns)
    raw = _with_plain_texts(raw, inspection)
    if month is None:
        rule = "is the last day of a membership, and the club is blank or has no column"
        is_of_none = (pl.col("member_until") != "") & (pl.col("club") == "")
        inspection.refuse_values(raw, is_of_none, "member_until", rule, "write the club, or leave the day blank")
    values = _values(raw, inspection)
    return _births(_texts(raw, inspection).with_columns(values), inspection, until)


def _whole(low: int, high: int, what: str) -> _Value:
    def parse(text: pl.Expr) -> pl.Expr:
        number = text.cast(pl.Int64, strict=False)
        # A number out of bounds may not fit the column's type.
        return pl.when(number.is_between(low, high)).then(number)

    return parse, f"is not {what}", "write a whole number, or leave it blank"


def _yes_or_no(text: pl.Expr) -> pl.Expr:
    answers = {"1": True, "true": True, "0": False, "false": False}
    return text.str.to_lowercase().replace_strict(answers, default=None, return_dtype=pl.Boolean)


def _list_name(text: pl.Expr) -> pl.Expr:
    return pl.when(text.is_in(LISTS)).then(text)


def _day(text: pl.Expr) -> pl.Expr:
    """Return the day that a text names in an order that is certain, or by a workbook's number; else null."""
    plain = text.str.replace_all("[./]", "-")
    number = pl.when(text.str.contains("^[0-9]{4,5}$")).then(text).cast(pl.Int64)
    serial = pl.when(number.is_between(*_SERIAL_DAYS)).then(pl.lit(_DAY_ZERO) + pl.duration(days=number))
    year_first = pl.when(plain.str.contains("^[0-9]{4}-")).then(plain.str.to_date("%Y-%m-%d", strict=False))
    is_dotted = text.str.contains(r"^[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}$")
    return pl.coalesce(year_first, pl.when(is_dotted).then(plain.str.to_date("%d-%m-%Y", strict=False)), serial)


_Value = tuple[Callable[[pl.Expr], pl.Expr], str, str]
_YES_OR_NO: _Value = (_yes_or_no, "is not yes or no", "write 1 or 0, or leave it blank")
_DATE: _Value = (_day, "is not a date", "write YYYY-MM-DD or DD.MM.YYYY, or leave it blank")
_VALUES: dict[str, _Value] = {
    "fide_id": (*_whole(1, 99_999_999_999, "a FIDE ID")[:2], "write the number that FIDE gave, digits alone"),
    "birth_year": _whole(0, 9999, "a year"),
    "rating": _whole(0, 4000, "a rating from 0 to 4000"),
    "games": _whole(0, 9999, "a number of games"),
    "k": _whole(0, 100, "a K"),
    "games_played": _whole(0, 99_999, "a number of games"),
    "reached_2400": _YES_OR_NO,
    "reached_2300": _YES_OR_NO,
    "time_control": (_list_name, "is no time control", f"write {', '.join(LISTS)}"),
    "last_played": _DATE,
    "member_until": _DATE,
}
"""How the values of a column that is no text are parsed, the rule of one that is none, and the remedy."""


def _values(raw: pl.DataFrame, inspection: Inspection) -> list[pl.Series]:
    """Parse the columns of ``raw`` that are no texts, null for a blank; refuse what is none, and a blank FIDE ID."""
    parsed = []
    for name in raw.columns:
        if (part := _part(name)) in _VALUES:
            parse, rule, remedy = _VALUES[part]
            parsed.append(raw.select(parse(pl.col(name)).alias(name)).to_series())
            is_filled = (pl.col(name) != "") | (name == "fide_id")
            inspection.refuse_values(raw, is_filled & parsed[-1].is_null(), name, rule, remedy)
    return parsed


def _with_sex_of_flag(raw: pl.DataFrame, inspection: Inspection) -> pl.DataFrame:
    """Return ``raw`` with the sex of the players whose flag has a w, as in FIDE's lists before 2012; note them."""
    is_woman = _flag(pl.col("flag")).str.contains("w")
    inspection.note(
        raw.filter(is_woman).select("line", value="flag"),
        "sex_of_flag",
        "the list has no column for the sex; a player with the flag w is a woman",
    )
    return raw.with_columns(pl.when(is_woman).then(pl.lit("F")).otherwise(pl.lit("")).alias("sex"))


def official_rows(found: pl.DataFrame, source: RawList, time_control: str | None) -> pl.DataFrame:
    """Return ``found`` (from :func:`parse_values`) as rows of :data:`OFFICIAL_ROW` with ``line``.

    ``time_control`` is that of a single list. A combined list gives a player one row for each rating, or one row
    without time control if the player has no rating. A rating of 0 becomes null: lists write unrated so; its K too.
    """
    rows = found
    if source.combined:
        player = ["line", *PLAYER.columns, "flag"]
        figures = ("rating", "games", "k")
        rated = {name: pl.col(f"{name}_rating").fill_null(0) > 0 for name in LISTS}
        parts = [
            found.filter(rated[name]).select(
                *player, *(pl.col(f"{name}_{figure}").alias(figure) for figure in figures), time_control=pl.lit(name)
            )
            for name in LISTS
        ]
        rows = pl.concat([*parts, found.filter(~pl.any_horizontal(*rated.values())).select(player)], how="diagonal")
    elif "time_control" not in found.columns:
        rows = found.with_columns(time_control=pl.lit(time_control, dtype=pl.String))
    is_rated = pl.when(pl.col("rating") > 0)
    return OFFICIAL_ROW.completed(rows).with_columns(rows["line"], is_rated.then("rating"), is_rated.then("k"))


def check_state(found: pl.DataFrame, inspection: Inspection, month: Period) -> None:
    """Refuse rows (:data:`OFFICIAL_ROW`, ``line``) whose time control, rating and state contradict each other."""
    never_2400, never_2300 = ~pl.col("reached_2400"), ~pl.col("reached_2300")
    of_a_list = ("rating", *_STATE)
    has_some = pl.any_horizontal(pl.col(of_a_list).is_not_null())
    no_list = f"is blank although the row has a value under {' or '.join(of_a_list)}"
    contradictions = [
        ("time_control", pl.col("time_control").is_null() & has_some, no_list, "write which list the row is of"),
        ("last_played", pl.col("last_played") > month.first_day, f"is after the list of {month}", "correct it"),
        ("reached_2400", never_2400 & (pl.col("rating") >= 2400), "contradicts a rating of 2400 or more", "correct it"),
        ("reached_2300", never_2300 & (pl.col("rating") >= 2300), "contradicts a rating of 2300 or more", "correct it"),
        ("reached_2300", never_2300 & pl.col("reached_2400"), "contradicts a 2400 reached", "correct it"),
    ]
    for name, wrong, rule, remedy in contradictions:
        inspection.refuse_values(found, wrong, name, rule, remedy)


def _part(name: str) -> str:
    """Return ``rating``, ``games`` or ``k`` for a combined list's column; any other name unchanged."""
    head, _, part = name.partition("_")
    return part if head in LISTS else name


def _with_plain_texts(raw: pl.DataFrame, inspection: Inspection) -> pl.DataFrame:
    """Return ``raw`` with a blank for each tab, line end and blank of another width in a text; note the lines.

    What is not seen is left out. A text that is too long is refused, and one with a character that no name may have.
    """
    for name in (*_TEXTS, "club"):
        # A column of millions has few different texts, and nearly none that is odd; names are nearly all different.
        if name not in raw.columns or not _has_odd(raw[name] if name == "name" else raw[name].unique()):
            continue
        text, plain = pl.col(name), pl.col("plain")
        blanks = text.str.replace_all(r"\r\n", " ").str.replace_all(_ODD_BLANK, " ")
        raw = raw.with_columns(plain=blanks.str.replace_all(UNSEEN, ""))
        rule = "holds a character that moves the cursor, turns the direction of writing, or says what no reader sees"
        remedy = "take it out; a name needs letters only"
        inspection.refuse_values(raw, plain.str.contains(FORBIDDEN_IN_NAME), name, rule, remedy)
        rule, remedy = f"has more than {LIST_TEXT_LENGTH} characters", "write what it is, and nothing more"
        inspection.refuse_values(raw, text.str.len_chars() > LIST_TEXT_LENGTH, name, rule, remedy)
        what = (
            "a text has a tab, a line end or an odd blank, read as a blank, or a character that is not seen, left out"
        )
        inspection.note(raw.filter(text != plain).select("line", value=name), "odd_character", what)
        raw = raw.with_columns(plain.str.strip_chars().alias(name)).drop("plain")
    return raw


def _has_odd(texts: pl.Series) -> bool:
    """Return whether a text has more than letters, marks and blanks, or is too long."""
    odd = f"{_ODD_BLANK}|{FORBIDDEN_IN_NAME}|{UNSEEN}"
    return bool((texts.str.contains(odd) | (texts.str.len_bytes() > LIST_TEXT_LENGTH)).any())


def _texts(raw: pl.DataFrame, inspection: Inspection) -> pl.DataFrame:
    """Return ``raw`` with its text columns in the spelling of published lists; note the odd ones."""
    frame = raw.with_columns(
        pl.col("federation", "other_titles", "sex").str.to_uppercase(),
        pl.col("title", "women_title").str.to_lowercase().replace(TITLES).str.to_uppercase(),
        _flag(pl.col("flag")).alias("flag"),
        own_flag="flag",
    ).with_columns(pl.col("sex").replace(_SEXES))
    title, other = "|".join(TITLES.values()), f"(?:{_OTHER_TITLES})"
    odd = {
        "name": ("no_name", ".", "a player has no name"),
        "federation": ("unknown_federation", "^([A-Z]{3})?$", "a federation is not three letters; it is kept"),
        "sex": ("unknown_sex", "^[MF]?$", "a sex is neither that of a woman nor that of a man; it is left blank"),
        "title": ("unknown_title", f"^({title})?$", "a title is not known; it is kept"),
        "women_title": ("unknown_title", f"^({title})?$", "a title is not known; it is kept"),
        "other_titles": (
            "unknown_other_title",
            rf"^({other}(,\s*{other})*)?$",
            "an arbiter's, organiser's or trainer's title is not known; it is kept",
        ),
        "own_flag": (
            "unknown_flag",
            "^[iwIW]*$",
            "a flag holds more than i and w; only these letters where it begins are kept",
        ),
    }
    for name, (kind, pattern, description) in odd.items():
        inspection.note(frame.filter(~pl.col(name).str.contains(pattern)).select("line", value=name), kind, description)
    return frame.with_columns(pl.when(pl.col("sex").is_in(["M", "F"])).then("sex").otherwise(pl.lit("")).alias("sex"))


def _flag(flags: pl.Expr) -> pl.Expr:
    first = flags.str.extract(r"^([iwIW]{1,2})(?:\s|.?$)").fill_null("").str.to_lowercase()
    letters = [pl.when(first.str.contains(one)).then(pl.lit(one)).otherwise(pl.lit("")) for one in "wi"]
    return pl.concat_str(letters)


def _births(frame: pl.DataFrame, inspection: Inspection, until: date) -> pl.DataFrame:
    """Return ``frame`` with ``birth_date`` as a day, and ``birth_year``: that of the day where the file has none.

    In: ``birth_date`` as text, a year alone or a day, and ``birth_year`` as a number, 0 where it is unknown. A birth
    before 1850 or after ``until`` is noted and left blank, the year and the date; one that is odd is noted.
    """
    text, day, year = pl.col("birth_date"), pl.col("born_on"), pl.col("year")
    frame = frame.with_columns(born_on=_day(text), year=text.str.extract(_YEAR_ALONE).cast(pl.Int64))
    is_none = day.is_null() & year.is_null() & ~text.str.contains("^0*$")
    inspection.refuse_values(frame, is_none, "birth_date", *_DATE[1:])
    stated = pl.coalesce(day.dt.year().cast(pl.Int64), pl.when(year != 0).then("year"))
    frame = frame.with_columns(pl.when(pl.col("birth_year") != 0).then("birth_year"), birth_date=day, year=stated)
    differs = pl.col("birth_year") != year
    inspection.refuse_values(frame, differs, "birth_year", "is not the year of the birth date", "correct one of them")
    frame = frame.with_columns(birth_year=pl.coalesce("birth_year", "year"))
    is_later = (pl.col("birth_date") > until).fill_null(value=False)
    is_possible = pl.col("birth_year").is_between(FIRST_BIRTH_YEAR, until.year) & ~is_later
    is_usual = pl.col("birth_year").is_between(until.year - _OLDEST_NOTED, until.year - _YOUNGEST_NOTED)
    what = "a birth is before 1850, of this year or still to come; it is left blank"
    inspection.note(frame.filter(~is_possible).select("line", value="birth_year"), "impossible_birth_year", what)
    what = "a player is younger than 4 or older than 105; it is kept, is the birth right?"
    inspection.note(frame.filter(is_possible & ~is_usual).select("line", value="birth_year"), "odd_age", what)
    births = (pl.when(is_possible).then(name).alias(name) for name in ("birth_year", "birth_date"))
    return frame.with_columns(births).drop("born_on", "year")
