"""Parse the text of an official list into values, one row per player and time control.

A value that cannot be parsed refuses the list. An odd value that cannot change a rating (an unknown title, a sex that
is neither M nor F) is noted and kept, or blanked if a later step relies on its form.
"""

from __future__ import annotations

from datetime import date

import polars as pl

from ratinglist.limits import LIST_TEXT_LENGTH
from ratinglist.lists.list_dates import births, dates
from ratinglist.lists.raw_list import Inspection, RawList, of_different, refuse
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
_SEXES = {"W": "F", "FEMALE": "F", "WEIBLICH": "F", "MALE": "M", "MÄNNLICH": "M"}
_INTEGERS = {
    "fide_id": (1, 99_999_999_999, "a FIDE ID"),
    "birth_year": (0, 9999, "a year"),
    "rating": (0, 4000, "a rating from 0 to 4000"),
    "games": (0, 9999, "a number of games"),
    "k": (0, 100, "a K"),
    "games_played": (0, 99_999, "a number of games"),
}
_ODD_BLANK = rf"[\t\r\n]|{OTHER_BLANK}"
_YES, _NO = ("1", "true"), ("0", "false")
_STATE = ("games_played", "reached_2400", "reached_2300", "last_played")


def parse_values(
    raw: pl.DataFrame, source: RawList, inspection: Inspection, month: Period | None, until: date | None
) -> pl.DataFrame:
    """Parse the text columns of ``raw`` (see :class:`RawList`); the result has every column of a player.

    The columns of a membership are those that ``raw`` has; of a list they are not read.

    Numbers are Int64, blanks null; titles, federation and sex in upper case; ``flag`` is ``""``, ``w``, ``i`` or
    ``wi``. ``month`` is the list's, None for a file of players: then rating columns are left out. ``until``: the
    last day on which a player can be born, None where it is not known. Values that cannot be parsed are added to
    ``inspection`` as problems.
    """
    if month is None:
        raw = raw.select(
            "line", *(name for name in (*PLAYER.columns, *MEMBERSHIP_COLUMNS, "flag") if name in raw.columns)
        )
    if "flag" in raw.columns and "sex" not in raw.columns:
        raw = _with_sex_of_flag(raw, inspection)
    raw = raw.with_columns(
        pl.lit("").alias(name) for name in (*_TEXTS, "birth_year", "birth_date") if name not in raw.columns
    )
    raw = _with_plain_blanks(raw, inspection)
    _check_texts(raw, source, inspection)
    integers = {name: _INTEGERS[part] for name in raw.columns if (part := _part(name)) in _INTEGERS}
    numbers = raw.select("line", *(pl.col(name).cast(pl.Int64, strict=False) for name in integers))
    # A number out of bounds is refused here and null from here on, because it may not fit the column's type.
    found = numbers.with_columns(
        pl.when(pl.col(name).is_between(low, high)).then(name).alias(name) for name, (low, high, _) in integers.items()
    )
    for name, (_, _, description) in integers.items():
        bad = (raw[name] != "") & found[name].is_null()
        remedy = (
            "write the number that FIDE gave, digits alone"
            if name == "fide_id"
            else "write a whole number, or leave it blank"
        )
        refuse(raw, bad, name, source, inspection, f"is not {description}", remedy)
    refuse(raw, raw["fide_id"] == "", "fide_id", source, inspection, "is blank", "give every player a FIDE ID")
    _check_memberships(raw, source, inspection)
    days, booleans = dates(raw, source, inspection), _booleans(raw, source, inspection)
    frame = _texts(raw, inspection).with_columns(*(found[name] for name in integers), *days, *booleans)
    return births(frame, source, inspection, until)


def _with_sex_of_flag(raw: pl.DataFrame, inspection: Inspection) -> pl.DataFrame:
    """Return ``raw`` with the sex of the players whose flag has a w, as in FIDE's lists before 2012; note them."""
    is_woman = _flag(raw["flag"]).str.contains("w")
    inspection.note(
        raw.filter(is_woman).select("line", value="flag"),
        "sex_of_flag",
        "the list has no column for the sex; a player with the flag w is a woman",
    )
    return raw.with_columns(pl.when(is_woman).then(pl.lit("F")).otherwise(pl.lit("")).alias("sex"))


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
    never = ~pl.col("reached_2400"), ~pl.col("reached_2300")
    no_list, none_before = pl.col("time_control").is_null(), pl.lit(value=True)
    for name in ("rating", *_STATE):
        is_first = pl.col(name).is_not_null() & none_before
        inspection.refuse(
            found.filter(no_list & is_first).select("line", value=pl.lit("")),
            "column time_control",
            f"is blank although the row has a value under {name}",
            f"write which list the row is of, or leave {name} blank",
        )
        none_before &= pl.col(name).is_null()
    contradictions = [
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


def _with_plain_blanks(raw: pl.DataFrame, inspection: Inspection) -> pl.DataFrame:
    """Return ``raw`` with a blank for each tab, line end and blank of another width in a text; note the lines."""
    for name in _texts_of(raw):
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


def _texts_of(raw: pl.DataFrame) -> list[str]:
    return [name for name in (*_TEXTS, "club") if name in raw.columns]


def _check_memberships(raw: pl.DataFrame, source: RawList, inspection: Inspection) -> None:
    """Refuse a day on which a membership ends where the file does not say of which club."""
    if "member_until" not in raw.columns:
        return
    if "club" not in raw.columns:
        place = source.places["member_until"]
        raise inspection.refused(
            f"{place} says until when a player is a member, and no column says of which club",
            "add the column club, or leave this one out",
        )
    bad = (raw["member_until"] != "") & (raw["club"] == "")
    rule, remedy = "is the last day of a membership, and the club is blank", "write the club, or leave the day blank"
    refuse(raw, bad, "member_until", source, inspection, rule, remedy)


def _check_texts(raw: pl.DataFrame, source: RawList, inspection: Inspection) -> None:
    """Refuse texts that are too long, or contain a character that no name may have."""
    for name in _texts_of(raw):
        different = raw[name] if name == "name" else raw[name].unique()
        if not (different.str.contains(FORBIDDEN_IN_NAME) | (different.str.len_bytes() > LIST_TEXT_LENGTH)).any():
            continue
        forbidden = raw[name].str.contains(FORBIDDEN_IN_NAME)
        rule = "holds a character that moves the cursor, turns the direction of writing, or says what no reader sees"
        refuse(raw, forbidden, name, source, inspection, rule, "take it out; a name needs letters only")
        too_long = raw[name].str.len_chars() > LIST_TEXT_LENGTH
        rule = f"has more than {LIST_TEXT_LENGTH} characters"
        refuse(raw, too_long, name, source, inspection, rule, "write what it is, and nothing more")


def _booleans(raw: pl.DataFrame, source: RawList, inspection: Inspection) -> list[pl.Series]:
    found = []
    for name in ("reached_2400", "reached_2300"):
        if name in raw.columns:
            small = of_different(raw[name], lambda texts: texts.str.to_lowercase())
            is_yes, is_known = small.is_in(_YES), small.is_in((*_YES, *_NO))
            answers = pl.select(pl.when(is_known).then(is_yes).alias(name)).to_series()
            bad = (raw[name] != "") & answers.is_null()
            refuse(raw, bad, name, source, inspection, "is not yes or no", "write 1 or 0, or leave it blank")
            found.append(answers)
    if "time_control" in raw.columns:
        bad = ~raw["time_control"].is_in(["", *LISTS])
        refuse(raw, bad, "time_control", source, inspection, "is no time control", f"write {', '.join(LISTS)}")
        found.append(raw.select(pl.when(pl.col("time_control") != "").then("time_control")).to_series())
    return found


def _texts(raw: pl.DataFrame, inspection: Inspection) -> pl.DataFrame:
    """Return ``raw`` with its text columns in the spelling of published lists; note the odd ones."""
    frame = _without_unseen(raw, inspection).with_columns(
        *(of_different(raw[name], _upper_case) for name in ("federation", "other_titles")),
        of_different(raw["sex"], _sex),
        *(of_different(raw[name], _title) for name in ("title", "women_title")),
        of_different(raw["flag"], _flag),
    )
    titles = ["", *TITLES.values()]
    odd = {
        "name": ("no_name", pl.col("name") == "", "a player has no name"),
        "federation": (
            "unknown_federation",
            ~pl.col("federation").str.contains("^([A-Z]{3})?$"),
            "a federation is not three letters; it is kept",
        ),
        "sex": (
            "unknown_sex",
            ~pl.col("sex").is_in(["", "M", "F"]),
            f"a sex is none of M, F, {', '.join(map(str.lower, _SEXES))}; it is left blank",
        ),
        "title": ("unknown_title", ~pl.col("title").is_in(titles), "a title is not known; it is kept"),
        "women_title": ("unknown_title", ~pl.col("women_title").is_in(titles), "a title is not known; it is kept"),
        "other_titles": (
            "unknown_other_title",
            ~pl.col("other_titles").str.contains(rf"^((?:{_OTHER_TITLES})(,\s*(?:{_OTHER_TITLES}))*)?$"),
            "an arbiter's, organiser's or trainer's title is not known; it is kept",
        ),
    }
    for name, (kind, is_odd, description) in odd.items():
        _note_values(frame, name, is_odd, inspection, kind, description)
    is_odd = ~pl.col("flag").str.contains("^[iwIW]*$")
    description = "a flag holds more than i and w; only these letters where it begins are kept"
    _note_values(raw, "flag", is_odd, inspection, "unknown_flag", description)
    known = ("M", "F")
    return frame.with_columns(of_different(frame["sex"], lambda sexes: sexes.replace_strict(known, known, default="")))


def _note_values(
    rows: pl.DataFrame, name: str, is_odd: pl.Expr, inspection: Inspection, kind: str, description: str
) -> None:
    """Note the rows whose value of the column ``name`` is odd; each different value is judged once."""
    odd = rows.select(pl.col(name).unique()).filter(is_odd)
    if odd.height:
        inspection.note(rows.join(odd, on=name, how="semi").select("line", value=name), kind, description)


def _upper_case(texts: pl.Series) -> pl.Series:
    return texts.str.to_uppercase()


def _sex(texts: pl.Series) -> pl.Series:
    return texts.str.to_uppercase().replace(_SEXES)


def _title(texts: pl.Series) -> pl.Series:
    return texts.str.to_lowercase().replace(TITLES).str.to_uppercase()


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


def _flag(flags: pl.Series) -> pl.Series:
    first = flags.str.extract(r"^([iwIW]{1,2})(?:\s|.?$)").fill_null("")
    letters = [
        pl.when(first.str.contains(f"(?i){letter}")).then(pl.lit(letter)).otherwise(pl.lit("")) for letter in "wi"
    ]
    return pl.select(flag=pl.concat_str(letters)).to_series()
