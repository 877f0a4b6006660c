"""Names in forms that can be written and compared, and the lines of reports that give an ID another person's name.

Lists and reports write one person as ``Müller, Jörg``, ``MUELLER JORG``, ``Jorg Muller`` or ``Muller, J.``, and
``Пешкаев, Остап`` as ``Peshkaev, Ostap``. FIDE's lists have ASCII letters alone (:func:`to_ascii`). The forms without
accents, order and spelling propose players to an officer; they are neither published nor used in a calculation.

The table of letters is AnyAscii's: it covers every script letter by letter. Only the distinct letters of a list are
looked up; then all names are replaced at once. A control character, such as a line end in a name, becomes a blank,
because these formats cannot hold it.

A mistyped FIDE ID that is registered rates somebody else, and nothing in the games shows it; nor do two FIDE IDs that
are exchanged within a report. So the name of each line is compared with the registered one. Names are alike where an
alphabet, accents, the order of the words, spaces, some letters, an initial or a new surname make the difference: one
person's name is written in all these ways (:data:`LEAST_ALIKE`). A name that is the registered one of another player of
the same report is of that player, however alike the two are. The name and the year of birth of one other registered
player are that player's, where the line shares a single word, or no year of birth, with its own player. Days of birth
are compared, and years alone are returned.
"""

from __future__ import annotations

import unicodedata

import polars as pl
from anyascii import anyascii

from ratinglist.store.database import Store
from ratinglist.tables import FIDE_COLUMNS, PLAYER_TEXTS, Column, Table

NAME_LENGTH = FIDE_COLUMNS["name"].width - 1
"""The characters of a name that FIDE's text has room for."""
_NOT_KEPT = r"[^\x20-\x7e]"

_MARKS_WRITTEN_OUT = {"ae": "a", "oe": "o", "ue": "u"}
_CONSONANT_GROUPS = {
    "tch": "c",
    "sch": "s",
    "sh": "s",
    "ch": "c",
    "zh": "z",
    "ts": "c",
    "tz": "c",
    "kh": "h",
    "ph": "f",
}
_SINGLE = {"ck": "k", "th": "t", "y": "i", "j": "i", "w": "v"}
_DOUBLED = {letter * 2: letter for letter in "abcdefghijklmnopqrstuvxz"}
SPELLINGS = _MARKS_WRITTEN_OUT | _CONSONANT_GROUPS | _SINGLE | _DOUBLED
"""Spellings of one sound; where one is the beginning of another, the longer comes first."""


def to_ascii(players: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, int]]:
    """Return ``players`` with every text column in printable ASCII, and the counts for the summary of an export.

    ``names_changed``: players with a changed text; ``letters_replaced``: letters written with others;
    ``letters_dropped``: letters for which ASCII has nothing, so that they are missing. A letter and its accent written
    as two characters count as one letter. Rows stay in order.
    """
    texts = [name for name in PLAYER_TEXTS if name in players.columns]
    odd = players.select(pl.col(texts).str.contains(_NOT_KEPT))
    changed = [name for name in texts if odd[name].any()]
    if not changed:
        return players, {"names_changed": 0, "letters_replaced": 0, "letters_dropped": 0}
    times = _letter_counts(players, changed)
    if any(unicodedata.combining(letter) for letter in times):
        players = players.with_columns(pl.col(changed).str.normalize("NFC"))
        times = _letter_counts(players, changed)
    letters = list(times)
    replacements = [_replacement(letter) for letter in letters]
    plain = players.with_columns(pl.col(changed).str.replace_many(letters, replacements).str.strip_chars(" "))
    return plain, {
        "names_changed": odd.select(pl.any_horizontal(pl.all()).sum()).item(),
        "letters_replaced": sum(times[letter] for letter, text in zip(letters, replacements, strict=True) if text),
        "letters_dropped": sum(times[letter] for letter, text in zip(letters, replacements, strict=True) if not text),
    }


def letters_to_ascii(names: pl.Series) -> dict[str, str]:
    """Return each letter of ``names`` that ASCII cannot hold, in lower and upper case, with its ASCII text, sorted."""
    letters = set(_letter_counts(pl.DataFrame({"name": names.str.normalize("NFC")}), ["name"]))
    cases = {form for letter in letters for form in (letter, letter.lower(), letter.upper())}
    return {letter: _replacement(letter) for letter in sorted(cases) if len(letter) == 1 and not letter.isascii()}


def _letter_counts(players: pl.DataFrame, names: list[str]) -> dict[str, int]:
    """Return every letter of the columns ``names`` that ASCII cannot hold, with its number of occurrences."""
    letters = pl.concat(
        [players[name].rename("letter").str.extract_all(_NOT_KEPT).explode().drop_nulls() for name in names]
    )
    return dict(letters.value_counts(name="times").sort("letter").iter_rows())


def _replacement(letter: str) -> str:
    """Return the ASCII text for one letter: a blank for a control character, empty if there is none."""
    return " " if letter < " " or letter == "\x7f" else anyascii(letter)


def folded(name: pl.Expr) -> pl.Expr:
    """Return ``name`` in lower-case ASCII, its words between single blanks.

    Apostrophes are removed; every other mark becomes a blank, except for the comma. The script of a site folds a query
    the same way (``data/site/script``).
    """
    plain = name.map_batches(
        lambda names: to_ascii(names.to_frame("name"))[0]["name"], return_dtype=pl.String, is_elementwise=True
    )
    return (
        plain.str.to_lowercase()
        .str.replace_all("['`]", "")
        .str.replace_all("[^a-z0-9,]+", " ")
        .str.replace_all(" ?, ?", ",")
        .str.strip_chars(" ,")
    )


def one_spelling(folded_name: pl.Expr) -> pl.Expr:
    """Return a :func:`folded` name with one spelling for sounds that are transliterated in several ways."""
    return folded_name.str.replace_many(SPELLINGS, leftmost=True)


def sorted_words(folded_name: pl.Expr) -> pl.Expr:
    """Return the words of a folded name in alphabetical order, so that the order in the name does not matter."""
    return folded_name.str.extract_all("[^ ,]+").list.sort().list.join(" ")


UNLIKE_LINE = Table(
    "unlike_line",
    "line of a report whose name is not that of the player registered under its FIDE ID",
    {
        "event_id": Column(pl.String(), "the event"),
        "file": Column(pl.String(), "the report"),
        "line": Column(pl.Int32(), "the line in it"),
        "fide_id": Column(pl.Int64(), "the FIDE ID in the report"),
        "name": Column(pl.String(), "the name in the report"),
        "birth_year": Column(pl.Int32(), "the year of birth in the report", null=True),
        "registered": Column(pl.String(), "the registered name"),
        "registered_year": Column(pl.Int32(), "the registered year of birth", null=True),
        "fits": Column(pl.Int64(), "the FIDE ID whose registered name it is, where there is one", null=True),
    },
    key=("event_id", "file", "line", "fide_id"),
    order=("event_id", "file", "line", "fide_id"),
)

LEAST_ALIKE, _ALIKE_IN_OTHER_YEARS = 65, 85
"""Names of which so many letters in 100 are the same, in some order of their words, are alike; the second, where the
years of birth differ."""
_FITS_FROM, _FITS_BETTER_BY = 85, 15
"""A name is that of another player of the report where it is exactly that name, or has so many letters in 100 of it,
and so many more than of its own player's."""


def unlike_lines(store: Store, report_ids: pl.Series) -> pl.DataFrame:
    """Return the lines of these reports whose names are not those registered (``UNLIKE_LINE``), sorted.

    Lines without a name, as those of tables, and players that are not registered have nothing to compare. Corrections
    of the reports, and of the players, count.
    """
    with store.with_frames(looked_at=pl.DataFrame([report_ids.alias("report_id")])):
        lines = store.read(_LINES).with_columns(is_other_day=other_day(pl.col("birth_date"), pl.col("registered_date")))
    doubtful = _compared(store, lines)
    if doubtful.is_empty():
        return UNLIKE_LINE.empty()
    lines = doubtful.join(_fitting(store, doubtful), on="number", how="left")
    unsure = lines.filter(pl.col("fits").is_null(), ~pl.col("is_alike") | pl.col("is_by_one_word"))
    if len(unsure):
        with store.with_frames(unlike=unsure.select("number", "name", "fide_id", "birth_year")):
            namesakes = store.read(_NAMESAKES)
        lines = lines.join(namesakes, on="number", how="left").with_columns(fits=pl.coalesce("fits", "namesake"))
    lines = lines.filter(~pl.col("is_alike") | pl.col("fits").is_not_null())
    of_line = ("report_id", "line", "fide_id")
    unlike = lines.filter(pl.len().over(of_line) == pl.col("registered_names")).unique(
        of_line, keep="first", maintain_order=True
    )
    return UNLIKE_LINE.sorted(UNLIKE_LINE.conform(unlike))


def unlike_names(store: Store, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the ``rows`` with unlike names.

    In: ``name`` and ``registered``, ``birth_year`` and ``registered_year``, ``is_other_day`` (:func:`other_day`).
    """
    compared = _compared(store, rows.filter((pl.col("name") != "") & (pl.col("registered") != "")))
    return compared.filter(~pl.col("is_alike")).select(rows.columns) if len(compared) else rows.clear()


def _compared(store: Store, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows whose names differ in more than the spelling, or whose years of birth do, with ``number``.

    Added: ``is_alike``; ``is_by_one_word``, where a word and the year of birth, or the same words in another year, are
    all that makes them alike.
    """
    differ = (pl.col("name_words") != pl.col("registered_words")) | (
        pl.col("birth_year") != pl.col("registered_year")
    ).fill_null(value=False)
    doubtful = _with_forms(rows).filter(differ).with_row_index("number")
    if doubtful.is_empty():
        return doubtful
    with store.with_frames(doubtful=doubtful):
        compared = store.read(_COMPARED, least=LEAST_ALIKE, most=_ALIKE_IN_OTHER_YEARS)
    return doubtful.join(compared, on="number", maintain_order="left")


def other_day(first: pl.Expr, second: pl.Expr) -> pl.Expr:
    """Return whether two dates of birth are known to the day, and differ; 1 January stands for a year alone."""
    known = [(day.dt.month() > 1) | (day.dt.day() > 1) for day in (first, second)]
    return (known[0] & known[1] & (first != second)).fill_null(value=False)


_LINES = """
with compared as (
    select * from current_report semi join looked_at using (report_id) where accepted
),
line as (
    select report_no, line, fide_id, name, coalesce(birth_year, year(birth_date))::integer as birth_year, birth_date
    from current_report_player semi join compared using (report_no)
    where fide_id is not null and name <> ''
),
-- A person may be registered with another name under an ID that was merged.
known as (
    select fide_id, name, coalesce(birth_year, year(birth_date))::integer as birth_year, birth_date, 1 as place
    from player_now
    where name <> ''
    union all
    select now_id, name, coalesce(birth_year, year(birth_date))::integer, birth_date, 2
    from player_now join current_identity using (fide_id)
    where name <> ''
),
strange as (
    select line.*
    from line
    anti join known
        on known.fide_id = line.fide_id and lower(known.name) = lower(line.name)
            and coalesce(known.birth_year = line.birth_year, true)
)
select report.report_id, report.event_id, report.file_name as file, line.line, line.fide_id, line.name, line.birth_year,
    line.birth_date, known.name as registered, known.birth_year as registered_year, known.birth_date as registered_date,
    count(*) over (partition by report_no, line, fide_id) as registered_names
from strange as line join known using (fide_id) join compared as report using (report_no)
order by place, report.report_id, line.line, line.fide_id
"""

_COMPARED = """
with word as (
    select number, 'name' as origin, unnest(string_split(name_words, ' ')) as text from doubtful
    union all
    select number, 'registered', unnest(string_split(registered_words, ' ')) from doubtful
),
-- A word of three letters is the same only if every letter is; in one of eight letters two may differ.
pair as (
    select number, one.text as one,
        length(one.text) > 1 and length(other.text) > 1
        and damerau_levenshtein(one.text, other.text) <= least(length(one.text), length(other.text)) // 4 as is_same,
        least(length(one.text), length(other.text)) = 1 and one.text[1] = other.text[1] as is_initial
    from word as one join word as other using (number)
    where one.origin = 'name' and other.origin = 'registered'
),
shared as (
    select number, count(distinct one) filter (where is_same) as same_words,
        count(distinct one) filter (where is_initial) as initials
    from pair group by number
),
-- A program that cannot write a letter puts a question mark in its place, which may be any letter.
readable as (
    select number,
        unnest(regexp_split_to_array(trim(regexp_replace(lower(name), '[ ,.]+', ' ', 'g')), ' ')) as text,
        regexp_split_to_array(trim(regexp_replace(lower(registered), '[ ,.]+', ' ', 'g')), ' ') as others
    from doubtful where regexp_matches(name, '[?\ufffd]')
),
partly_readable as (
    select number, bool_and(is_same) as is_same, count(*) filter (where is_same and length(text) > 1) as same_words
    from (
        select number, text, len(list_filter(
            others,
            lambda other: other like regexp_replace(text, '[?\ufffd%_]', '_', 'g')
                || case when length(text) = 1 then '%' else '' end
        )) > 0 as is_same
        from readable
    )
    group by number
),
measured as (
    select number, lower(name) as lower_name, lower(registered) as lower_registered,
        length(name) - length(regexp_replace(name, '[?\ufffd]', '', 'g')) as unreadable,
        unreadable = 0
            and (len(string_split(name_words, ' ')) = 1 or len(string_split(registered_words, ' ')) = 1) as is_one_word,
        coalesce(birth_year = registered_year, true) and not is_other_day as is_same_birth,
        name_words = registered_words as is_same_name,
        greatest(similarity(name_words, registered_words), similarity(name_joined, registered_joined)) as similarity,
        similarity(name_consonants, registered_consonants, fewest := 5) as of_consonants
    from doubtful
)
select number, case when is_same then 100 else similarity end as similarity,
    coalesce(is_same, false)
    or similarity >= $most
    or (is_same_birth and greatest(similarity, of_consonants) >= $least)
    or words >= 2
    or (words = 1 and (initials >= 1 or is_one_word))
    or (
        unreadable > 0
        and abs(length(lower_name) - length(lower_registered)) <= 1
        and damerau_levenshtein(lower_name, lower_registered) - unreadable
            <= greatest(1, (length(lower_name) - unreadable) // 4)
    ) as is_alike_written,
    -- one year of birth, and no two days: a surname after a marriage, a short form of a given name
    is_alike_written or (words = 1 and is_same_birth) as is_alike,
    not is_alike_written or (is_same_name and not is_same_birth) as is_by_one_word
from (
    select measured.*, initials, is_same, greatest(shared.same_words, coalesce(partly_readable.same_words, 0)) as words
    from measured join shared using (number) left join partly_readable using (number)
)
order by number
"""

_PRESENT = """
with there as (
    select distinct report_id, fide_id from current_report_player join report using (report_no)
    semi join unsure using (report_id)
    where fide_id is not null
)
select report_id, fide_id as other_id, player_now.name as registered
from there join player_now using (fide_id)
order by all
"""

_FITTING = """
with own as (
    select *, unnest(string_split(name_words, ' ')) as word from unsure
),
other as (
    select *, unnest(string_split(other_words, ' ')) as word from present
),
pair as (
    select distinct number, other_id, name_words, registered_words, other_words
    from own join other using (report_id, word)
    where other_id <> fide_id
),
compared as (
    select number, other_id,
        similarity(name_words, other_words) as of_other, similarity(name_words, registered_words) as of_own
    from pair
)
select number, min(other_id) as fits
from compared where of_other = 100 or (of_other >= $least and of_other - of_own >= $better)
group by number
order by number
"""

_NAMESAKES = """
select unlike.number, min(player_now.fide_id) as namesake
from unlike join player_now on lower(player_now.name) = lower(unlike.name) and player_now.fide_id <> unlike.fide_id
where unlike.birth_year is null
    or coalesce(player_now.birth_year, year(player_now.birth_date)) = unlike.birth_year
group by unlike.number
having count(*) = 1
order by number
"""


def _fitting(store: Store, unsure: pl.DataFrame) -> pl.DataFrame:
    """Return ``number`` and ``fits``: the other player of the report whose registered name a line has."""
    unsure = unsure.select("number", "report_id", "fide_id", "name_words", "registered_words")
    with store.with_frames(unsure=unsure):
        present = store.read(_PRESENT)
        with store.with_frames(present=present.with_columns(other_words=sorted_words(_spelling("registered")))):
            return store.read(_FITTING, least=_FITS_FROM, better=_FITS_BETTER_BY)


def _with_forms(lines: pl.DataFrame) -> pl.DataFrame:
    """Add for both names the words in alphabetical order, the letters as written, and the consonants."""
    for name in ("name", "registered"):
        lines = lines.with_columns(
            sorted_words(_spelling(name)).alias(f"{name}_words"),
            _spelling(name).str.replace_all("[ ,]", "").alias(f"{name}_joined"),
        ).with_columns(pl.col(f"{name}_words").str.replace_all("[aeiou ]", "").alias(f"{name}_consonants"))
    return lines


def _spelling(name: str) -> pl.Expr:
    return one_spelling(folded(pl.col(name).str.replace_all("[?\ufffd]", "")))


_ALIKE_FROM = 80
"""Names of which so many letters in 100 are the same, in whatever order of their words, may be one player's."""


def players_alike(store: Store, names: pl.DataFrame) -> pl.DataFrame:
    """Return ``name`` and ``alike``: of each of the ``names`` the two registered players whose names are most like it.

    A player: ``fide_id``, ``name``, ``federation``, ``born``. A name without any has no row.
    """
    if names.is_empty():
        return names.with_columns(alike=None)
    unknown = names.with_columns(words=sorted_words(_spelling("name")))
    registered = store.read("select distinct name as registered, left(name, 6) as beginning from registered_person")
    beginnings = registered.select("beginning").unique().with_columns(spelling=_spelling("beginning"))
    with store.with_frames(unknown=unknown, registered=registered, beginnings=beginnings):
        pairs = store.read(_OF_ONE_BEGINNING)
    with store.with_frames(pairs=pairs.with_columns(registered_words=sorted_words(_spelling("registered")))):
        return store.read(_ALIKE, least=_ALIKE_FROM)


_OF_ONE_BEGINNING = """
with word as (
    select name, words, unnest(string_split(words, ' ')) as word from unknown
),
-- Only names that begin as a word of the unknown name does are compared, because lists begin with the surname, and each
-- name once: a hundred players may have it. Names of which one is a third longer are never so much alike.
candidate as (
    select distinct beginning, name, words
    from beginnings join word on left(spelling, 3) = left(word, 3) and length(word) >= 3
)
select name, words, registered
from registered join candidate using (beginning)
where length(registered) between length(name) * 3 // 4 and length(name) * 4 // 3
"""

_ALIKE = """
with compared as (
    select *, similarity(words, registered_words) as similarity from pairs
)
select compared.name, list(
        {
            'fide_id': fide_id,
            'name': registered,
            'federation': federation,
            'born': coalesce(birth_year, year(birth_date))
        }
        order by similarity desc, fide_id
    )[:2] as alike
from compared join registered_person as person on person.name = registered
where similarity >= $least
group by compared.name
"""
