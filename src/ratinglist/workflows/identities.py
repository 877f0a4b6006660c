"""The command `ratinglist identities`: pairs of FIDE IDs that may be one person's, and FIDE IDs that may be wrong.

The result is candidates for an officer to look at; nothing is decided here. Two million players cannot be compared pair
by pair. So only players that share a key are compared (a name in any order; the consonants of a surname with an initial
and a year of birth; a day of birth): each pair gets a score from 0 to 100 and the evidence for and against it as text.
Birth dates are compared here and never returned; the result has the year of birth only.
"""

from __future__ import annotations

import polars as pl

from ratinglist.errors import NothingReadError
from ratinglist.names import alike
from ratinglist.settings import Settings
from ratinglist.store import received
from ratinglist.store.database import Store
from ratinglist.tables import Column, Table
from ratinglist.text import person_text
from ratinglist.workflows.opening import open_to_read

MIN_SCORE = 70
"""The default. Same name, year and federation give 85 or more; a similar name or an unknown year of birth about 70."""


CANDIDATE = Table(
    "candidate",
    "pair of FIDE IDs that may be one person's, or name in a report whose FIDE ID may be another's",
    {
        "kind": Column(
            pl.String(), "duplicate (two FIDE IDs, one person), wrong_id (a report names another's FIDE ID)"
        ),
        "score": Column(pl.Int32(), "0 to 100"),
        "fide_id": Column(pl.Int64(), "one FIDE ID; the one in the report"),
        "name": Column(pl.String(), "its name; the name in the report"),
        "federation": Column(pl.String(), "its federation; that in the report"),
        "birth_year": Column(pl.Int32(), "its year of birth; that in the report", null=True),
        "other_id": Column(pl.Int64(), "the other FIDE ID; the one that fits the report better"),
        "other_name": Column(pl.String(), "its registered name"),
        "other_federation": Column(pl.String(), "its registered federation"),
        "other_birth_year": Column(pl.Int32(), "its registered year of birth", null=True),
        "evidence": Column(pl.String(), "the clues for and against, with the points of each"),
        "times": Column(pl.Int32(), "report lines with these data; 0 for a duplicate"),
        "file": Column(pl.String(), "the first of these reports; empty for a duplicate"),
        "line": Column(pl.Int32(), "the line in it", null=True),
    },
    key=("kind", "fide_id", "name", "birth_year", "federation", "other_id"),
    order=("score", "kind", "fide_id", "other_id", "name", "federation", "birth_year"),
    descending=(True, False, False, False, False, False, False),
)

ALIKE_FROM = 75
"""Names with a lower similarity, from 0 to 100, are different names."""
LARGEST_BLOCK = 1000
"""A key that more players share than this is ignored: it does not narrow the choice."""
BETTER_BY = 25
"""Points by which another player must fit a report line better than the player registered under its FIDE ID."""


def propose(settings: Settings, min_score: int = MIN_SCORE) -> pl.DataFrame:
    """Return likely duplicates and likely wrong FIDE IDs in reports (``CANDIDATE``), the highest score first.

    Only candidates with at least ``min_score`` points are returned. Does not change the store. Raises
    :class:`NothingReadError` where no player is registered.
    """
    with open_to_read(settings) as store:
        settings.progress("reading the store", 0, 1)
        players = received.players(store)
        if players.is_empty():
            raise NothingReadError("No player is registered yet: ratinglist import-list FILE --month YYYY-MM")
        lines = store.read(_LINES)
        with store.seeing(line=lines):
            people = store.read(_PEOPLE)
        settings.progress("comparing players", 0, 1)
        with store.seeing(line=lines, said=with_name_forms(store, people), registered=with_name_forms(store, players)):
            limits = {"least": min_score, "alike": ALIKE_FROM, "largest": LARGEST_BLOCK, "better": BETTER_BY}
            return CANDIDATE.sorted(CANDIDATE.conform(store.read(_CANDIDATES, **limits)))


def text(rows: pl.DataFrame, min_score: int) -> str:
    """Format the candidates for people: two lines each, the second with the evidence; or that none has the score."""
    lines = []
    for row in rows.to_dicts():
        one = person_text(row["fide_id"], row["name"], row["federation"], row["birth_year"])
        other = person_text(row["other_id"], row["other_name"], row["other_federation"], row["other_birth_year"])
        where = f", {row['file']}, line {row['line']}" if row["file"] else ""
        more = f" and {row['times'] - 1:,} more" if row["times"] > 1 else ""
        lines += [f"{row['score']:>3}  {row['kind']:<9}  {one}  ↔  {other}{where}{more}", f"     {row['evidence']}"]
    return "\n".join(lines) or (
        f"No possible duplicates, and no FIDE ID in a report that looks wrong, with a score of {min_score} or more "
        "(--min-score)."
    )


def with_name_forms(store: Store, people: pl.DataFrame) -> pl.DataFrame:
    """Add the forms of the names that are compared (see :mod:`~ratinglist.names.alike`).

    In: ``name``, ``birth_date``, ``birth_year``. Out: the same, with the year of birth taken from the date where it is
    null, and ``folded``, ``one_spelling``, ``sorted_words``, ``surname``, ``given``, ``given_initial``,
    ``surname_initial`` and ``consonants`` (of the surname).
    """
    plain = people.with_columns(folded=alike.folded(pl.col("name")))
    with store.seeing(spelled=plain.with_columns(spelling=alike.one_spelling(pl.col("folded")))):
        return store.read(_FORMS)


_FORMS = """
select * exclude (spelling) replace (coalesce(birth_year, year(birth_date))::integer as birth_year),
    replace(spelling, ',', ' ') as one_spelling,
    array_to_string(list_sort(list_filter(string_split(one_spelling, ' '), lambda word: word <> '')), ' ')
        as sorted_words,
    -- Without a comma the surname is the first word, as in official lists.
    case when contains(spelling, ',') then ',' else ' ' end as mark,
    trim(split_part(spelling, mark, 1)) as surname,
    trim(spelling[strpos(spelling || mark, mark) + 1:]) as given,
    given[1] as given_initial,
    surname[1] as surname_initial,
    surname[1] || regexp_replace(surname[2:], '[aeiou ]', '', 'g') as consonants
from spelled
"""

_LINES = """
select line.fide_id, line.name, line.federation, line.sex, line.birth_date, line.birth_year, line.line,
    report.file_name as file, report.event_id, report.received_on, report.start_date, report.end_date
from current_report_player as line join current_report as report using (report_no)
where line.fide_id is not null and not report.withdrawn
"""
"""The lines with a FIDE ID of every accepted report that counts, as corrected."""

_PEOPLE = """
select fide_id, name, federation, sex, birth_date, birth_year, count(*)::integer as times,
    list(distinct event_id) as events, min({'on': received_on, 'file': file, 'line': line}) as first
from line
group by all
"""
"""Each name and birth under which a FIDE ID is in reports: in how many lines, in which events, in which line first."""

_CANDIDATES = """
with played as materialized (
    select fide_id, list(distinct event_id) as events, min(start_date) as first_day, max(end_date) as last_day
    from line group by fide_id
),
player as (
    select registered.*, count(*) over (partition by sorted_words) as namesakes, events, first_day, last_day
    from registered left join played using (fide_id)
),
-- A person of a report who fits the registered player in everything needs no comparison with others.
doubtful as (
    select row_number() over (order by said.fide_id, said.name, said.federation, said.sex, said.birth_date,
            said.birth_year) as number,
        said.*
    from said left join registered using (fide_id)
    where not coalesce(
        said.sorted_words = registered.sorted_words and said.federation = registered.federation
        and said.birth_year is not distinct from registered.birth_year, false
    )
),
-- The number of a registered player is the FIDE ID, negative.
someone as materialized (
    select -fide_id as number, * exclude (namesakes), namesakes, 0 as times, null as first from player
    union all by name
    select * from doubtful
),
keyed as materialized (
    select number, fide_id, unnest([
        hash(1, nullif(sorted_words, '')),
        case when sorted_words <> '' and birth_year is not null then hash(2, sorted_words, birth_year) end,
        case when consonants <> '' and given_initial <> '' and birth_year is not null
            then hash(3, consonants, given_initial, birth_year) end,
        case when given <> '' and surname_initial <> '' and birth_year is not null and federation <> ''
            then hash(4, given, surname_initial, birth_year, federation) end,
        case when given <> '' and birth_date is not null then hash(5, given, birth_date) end,
        case when surname <> '' and birth_date is not null then hash(6, surname, birth_date) end
    ]) as key
    from someone
),
block as (
    select key from keyed where number < 0 group by key having count(*) <= $largest
),
pair as (
    select distinct keyed.number, keyed.fide_id, other.fide_id as other_id
    from keyed join keyed as other using (key) semi join block using (key)
    where other.number < 0
        and case when keyed.number < 0 then keyed.fide_id < other.fide_id else keyed.fide_id <> other.fide_id end
    union all
    select number, fide_id, fide_id from doubtful
),
known as (
    select number, pair.other_id, someone.fide_id, times, first,
        someone.name, someone.federation, someone.birth_year, someone.events, someone.namesakes,
        other.name as other_name, other.federation as other_federation, other.birth_year as other_year,
        someone.sorted_words = other.sorted_words as is_same_words,
        someone.folded = other.folded as is_same,
        someone.surname = other.surname and someone.given_initial = other.given_initial
            and someone.given_initial <> ''
            -- A rest of two characters is a blank and one letter behind the surname.
            and least(
                length(someone.one_spelling) - length(someone.surname),
                length(other.one_spelling) - length(other.surname)
            ) = 2 as is_initial,
        greatest(
            100 - 100 * damerau_levenshtein(someone.sorted_words, other.sorted_words)
                // greatest(length(someone.sorted_words), length(other.sorted_words), 1),
            100 - 100 * damerau_levenshtein(someone.one_spelling, other.one_spelling)
                // greatest(length(someone.one_spelling), length(other.one_spelling), 1)
        )::integer as similarity,
        someone.birth_date = other.birth_date as is_same_day,
        someone.birth_year = other.birth_year as is_same_year,
        strftime(someone.birth_date, '%m-%d') = strftime(other.birth_date, '%m-%d') as is_anniversary,
        -- 1964 for 1946, or one digit of the year by one
        someone.birth_year // 100 = other.birth_year // 100
            and someone.birth_year % 100 = other.birth_year % 10 * 10 + other.birth_year // 10 % 10
            or abs(someone.birth_year - other.birth_year) in (1, 10, 100) as is_slip,
        nullif(someone.sex, '') = nullif(other.sex, '') as is_same_sex,
        nullif(someone.federation, '') = nullif(other.federation, '') as is_same_federation,
        someone.last_day < other.first_day or other.last_day < someone.first_day as follows,
        len(list_intersect(someone.events, other.events)) as events_of_both
    from pair join someone using (number) left join player as other on other.fide_id = pair.other_id
),
clued as (
    select *, list_filter([
            case when is_same then {'points': 55, 'says': 'same name'}
                when is_same_words then {'points': 50, 'says': 'same name in another order or spelling'}
                when is_initial
                    then {'points': 40, 'says': 'same surname, and one given name is an initial of the other'}
                when similarity >= $alike
                    then {
                        'points': 11 * (similarity - 50) // 10,
                        'says': format('similar names, {} in 100', similarity)
                    }
                else {'points': 0, 'says': 'names differ'} end,
            case when is_same_day then {'points': 30, 'says': 'born on the same day'}
                when is_same_year and is_same_day is false
                    then {'points': -25, 'says': 'born in the same year, on different days'}
                when is_same_year then {'points': 20, 'says': 'born in the same year'}
                when is_same_year is null then {'points': 0, 'says': 'a year of birth is not known'}
                when is_anniversary then {'points': 10, 'says': 'born on the same day of another year'}
                when is_slip
                    then {
                        'points': -10,
                        'says': format('born in {} and {}, a typing error', birth_year, other_year)
                    }
                else {'points': -45, 'says': format('born in {} and {}', birth_year, other_year)} end,
            case when is_same_federation then {'points': 10, 'says': 'same federation'}
                when not is_same_federation
                    then {'points': -5, 'says': format('federations {} and {}', federation, other_federation)} end,
            case when is_same_sex then {'points': 5, 'says': 'same sex'}
                when not is_same_sex then {'points': -25, 'says': 'different sexes'} end
        ], lambda clue: clue is not null) as shared,
        greatest(0, least(100, list_sum(list_transform(shared, lambda clue: clue.points)))) as of_shared
    from known
),
own as (
    select number, other_name as registered_name, case when other_name is null then 0 else of_shared end as own_score
    from clued where number > 0 and fide_id = other_id
),
scored as (
    select *, list_concat(shared, list_filter(case when number < 0 then [
            case when is_same_words and namesakes between 3 and 5
                then {'points': -5, 'says': format('{} players have this name', namesakes)}
                when is_same_words and namesakes > 5
                then {'points': -15, 'says': format('{} players have this name', namesakes)} end,
            case when follows then {'points': 10, 'says': 'one stops playing before the other begins'}
                when not follows then {'points': -5, 'says': 'both were playing at the same time'} end,
            -- A person plays at one board only.
            case when events_of_both > 0
                then {'points': -150, 'says': format('both played in {} of the events', events_of_both)} end
        ] else [
            case when damerau_levenshtein(fide_id::varchar, other_id::varchar) = 1
                then {'points': 15, 'says': 'the FIDE IDs differ by one typing error'} end,
            case when registered_name is null
                then {'points': 5, 'says': 'the FIDE ID of the report is not registered'}
                else {
                    'points': -(own_score // 2),
                    'says': format('the FIDE ID of the report is that of {}', registered_name)
                } end,
            case when events_of_both > 0
                then {'points': -150, 'says': 'the other player is in the same event under their own FIDE ID'} end
        ] end, lambda clue: clue is not null)) as clues,
        greatest(0, least(100, list_sum(list_transform(clues, lambda clue: clue.points)))) as score
    from clued left join own using (number)
    where fide_id <> other_id and (is_same_words or is_initial or similarity >= $alike)
        and (number < 0 or of_shared - own_score >= $better)
)
select case when number < 0 then 'duplicate' else 'wrong_id' end as kind, score, fide_id, name, federation, birth_year,
    other_id, other_name, other_federation, other_year as other_birth_year,
    array_to_string(list_transform(clues, lambda clue:
        format('{} ({}{})', clue.says, case when clue.points > 0 then '+' else '' end, clue.points)), '; ') as evidence,
    times, coalesce(first.file, '') as file, first.line
from scored where score >= $least
"""
"""The pairs that share a key, each with its clues: a sentence, and the points for or against one person.

The keys are the names in any order; the consonants of a surname, or a given name, with an initial and a year of birth;
a name with a day of birth.
"""
