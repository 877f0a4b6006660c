"""Players, events and games by any part of a name: `ratinglist find`, `identities`, and what other commands name.

Names of every alphabet become ASCII by AnyAscii's table (:mod:`~ratinglist.names.alike`), so that ``Карлсен`` and
``Carlsen`` can be compared. The words of all names are kept once each, with the players that have them: there are far
fewer words than players, so that typing errors can be looked for in all of them. They are taken from the store for each
search, which takes a second for half a million players: so a search never shows names of before, whatever was imported,
corrected or restored.

``identities`` proposes pairs of FIDE IDs that may be one person's, and FIDE IDs that may be wrong, for an officer to
look at; nothing is decided here. Two million players cannot be compared pair by pair. So only players that share a key
are compared (a name in any order; the consonants of a surname with an initial and a year of birth; a day of birth):
each pair gets a score from 0 to 100 and the evidence for and against it as text. Birth dates are compared here and
never returned; the result has the year of birth only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.names.alike import folded, one_spelling
from ratinglist.publication import revisions
from ratinglist.settings import Settings
from ratinglist.store.database import Store
from ratinglist.summaries import Summary
from ratinglist.tables import LISTS, PLAYER, Column, Table
from ratinglist.text import counted, first_lines, on_one_line, person_text, text_table
from ratinglist.workflows import sql
from ratinglist.workflows.opening import open_to_read

LIMIT = 20
MOST_CHARACTERS = 200
_RANKED = 1000
"""Players with the best scores whose ratings are looked up, to show the highest of them first."""
_LONGEST_FIDE_ID = 11


@dataclass(frozen=True, slots=True)
class FoundPlayer:
    """One player found.

    ``score``: up to 100, the mean over the words typed. ``ratings``: by time control, on the newest list. ``inactive``:
    the lists that show the player as inactive. ``waiting``: games that count towards a first rating, by time control.
    ``removed``: the month in which a list removed the player, by time control. ``formerly``: FIDE IDs merged into this
    one, and earlier names. ``club``: empty where the player is of none; ``member_until``: None where no end is known.
    """

    fide_id: int
    name: str
    federation: str
    birth_year: int | None
    state: str
    score: int
    ratings: dict[str, int]
    inactive: list[str]
    waiting: dict[str, int]
    removed: dict[str, str]
    formerly: list[str]
    club: str
    member_until: str | None

    def club_text(self) -> str:
        """Return the club, with the last day of the membership where it is known; empty where the player is of none."""
        return f"{self.club} (until {self.member_until})" if self.member_until else self.club

    def state_text(self) -> str:
        """Return the state in a few words: ``waits with 3 games (rapid)``."""
        waiting = ", ".join(f"{counted(games, 'game')} ({name})" for name, games in self.waiting.items())
        removed = ", ".join(f"{name} in {month}" for name, month in self.removed.items())
        described = {"waiting": f"waits for a first rating with {waiting}", "removed": f"removed: {removed}"}
        return "; ".join([described.get(self.state, self.state), *(f"formerly {player}" for player in self.formerly)])


@dataclass(frozen=True, slots=True)
class FoundPlayers(Summary):
    """What was found. ``list_month`` and ``revision``: the newest published list; empty where none is published.

    ``matches``: how many players have a word for each word typed; ``players`` are the best of them.
    """

    list_month: str
    revision: str
    matches: int
    players: list[FoundPlayer] = field(default_factory=list)

    def text(self) -> str:
        """Return the players as a table, the best first."""
        has_clubs = any(player.club for player in self.players)
        header = ["FIDE ID", "name", "fed", "born", *LISTS, *(["club"] if has_clubs else []), "state"]
        rows = [
            [
                str(player.fide_id),
                player.name,
                player.federation,
                str(player.birth_year or ""),
                *(str(player.ratings.get(name, "")) for name in LISTS),
                *([player.club_text()] if has_clubs else []),
                player.state_text(),
            ]
            for player in self.players
        ]
        is_number = [True, False, False, True, *(True for _ in LISTS), *([False] if has_clubs else []), False]
        lines = text_table(header, rows, is_number, rule=True)
        if self.matches > len(self.players):
            lines.append(f"and {self.matches - len(self.players):,} more: type another part of the name, or --limit N")
        on = f"the list of {self.list_month} ({self.revision})" if self.list_month else "the newest imported lists"
        return "\n".join([*lines, f"Ratings of {on}."])


def find(settings: Settings, text: str, limit: int = LIMIT) -> FoundPlayers:
    """Return the players whose names have every word of ``text``, or one like it; a number is a FIDE ID.

    Players of every list and of the register are searched, with the names they had before. Raises
    :class:`CommandLineError` where ``text`` has no letter and no digit, :class:`NothingReadError` where no player is
    found.
    """
    words = query_words(text[:MOST_CHARACTERS])
    if words.is_empty():
        typed = text[:MOST_CHARACTERS]
        raise CommandLineError(f"'{typed}' has no letter and no digit: type a part of a name, or a FIDE ID.")
    with open_to_read(settings, shows_published=True) as store:
        players = _by_fide_id(store, text.strip())
        if players.is_empty():
            players = search(store, words)
        if players.is_empty():
            typed = text.strip()
            other = "Look the player up by name." if typed.isdecimal() else "Type less of it, or other letters."
            raise NothingReadError(
                f"No player of the register has '{typed}' in a name, or as FIDE ID. {other} Register a new player "
                "with: ratinglist import-players FILE"
            )
        players = players.with_columns(pl.col("score") // len(words))
        return _described(store, settings.published, players, limit)


def _by_fide_id(store: Store, text: str) -> pl.DataFrame:
    """Return the player with the FIDE ID ``text``, or the one it was merged into; nobody where it is none."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= _LONGEST_FIDE_ID else 0
    return store.read(
        """
        select distinct coalesce(now_id, fide_id) as fide_id, 100::integer as score
        from player left join current_identity using (fide_id)
        where fide_id = $number
        """,
        number=number,
    )


def _described(store: Store, published: Path, fitting: pl.DataFrame, limit: int) -> FoundPlayers:
    """Return the best of ``fitting`` (``fide_id``, ``score``) with their data; by score, then by rating."""
    best = fitting.head(max(_RANKED, limit))
    newest = next(reversed(revisions.every_latest(published).values()), None)
    on_lists = _on_published_lists(published, best) if newest is not None else _on_imported_lists(store, best)
    shown = (
        best.join(on_lists.group_by("fide_id").agg(pl.col("rating").max()), on="fide_id", how="left")
        .sort("score", "rating", "fide_id", descending=[True, True, False], nulls_last=True)
        .head(limit)
        .select("fide_id", "score")
    )
    data = shown.join(_data(store, shown), on="fide_id", how="left", maintain_order="left")
    players = [_player(row, on_lists.filter(fide_id=row["fide_id"])) for row in data.iter_rows(named=True)]
    if newest is None:
        return FoundPlayers("", "", len(fitting), players)
    return FoundPlayers(newest.parent.name, newest.name, len(fitting), players)


def _player(row: dict[str, Any], on_lists: pl.DataFrame) -> FoundPlayer:
    """Return a player with their rows of all lists."""
    of_list = {of_control["time_control"]: of_control for of_control in on_lists.to_dicts()}
    ratings, waiting, removed = (
        {control: of_list[control][name] for control in LISTS if control in of_list and of_list[control][name]}
        for name in ("rating", "waiting", "removed")
    )
    inactive = [control for control in ratings if of_list[control]["inactive"]]
    if ratings:
        state = "inactive" if len(inactive) == len(ratings) else "rated"
    else:
        state = "waiting" if waiting else "removed" if removed else "unrated"
    return FoundPlayer(**row, state=state, ratings=ratings, inactive=inactive, waiting=waiting, removed=removed)


def _on_published_lists(published: Path, players: pl.DataFrame) -> pl.DataFrame:
    """Return what the newest published lists have of the players: a row for each time control that has anything.

    Out: ``fide_id``, ``time_control``, ``rating`` and ``inactive``; ``waiting``: games that wait for a first rating;
    ``removed``: the newest month that removed a player who is not on the list.
    """
    return sql.run(
        published,
        f"""
        with player as (select unnest({players["fide_id"].to_list()}::bigint[]) as fide_id),
        listed as (
            select fide_id, time_control, rating, contains(coalesce(flag, ''), 'i') as inactive
            from lists semi join player using (fide_id) where list_month = newest_list()
        ),
        pooled as (
            select fide_id, time_control, sum(games)::integer as waiting
            from pool semi join player using (fide_id) where list_month = newest_list() group by all
        ),
        delisted as (
            select fide_id, time_control, max(list_month) as month
            from changes semi join player using (fide_id) where status = 'delisted' group by all
        )
        select fide_id, time_control, rating, inactive, waiting, if(rating is null, month, null) as removed
        from listed full join pooled using (fide_id, time_control) full join delisted using (fide_id, time_control)
        """,  # noqa: S608 - numbers
    )


def _on_imported_lists(store: Store, players: pl.DataFrame) -> pl.DataFrame:
    """Return the same of the newest imported lists, on which nobody is inactive, waits or was removed."""
    with store.with_frames(players_found=players.select("fide_id")):
        return store.read(
            """
            select fide_id, time_control, rating, false as inactive, 0 as waiting, '' as removed
            from imported_list semi join players_found using (fide_id)
            where rating is not null and (month, time_control) in (
                select (max(month), time_control) from imported_list group by time_control
            )
            """
        )


def _data(store: Store, players: pl.DataFrame) -> pl.DataFrame:
    """Return the players' newest data, and ``formerly``: the FIDE IDs merged into theirs, and their earlier names.

    With ``club`` and ``member_until``, as text.
    """
    with store.with_frames(players_shown=players.select("fide_id")):
        return store.read(
            """
            with ids as (
                select fide_id, fide_id as any_id from players_shown
                union all
                select now_id, current_identity.fide_id
                from current_identity join players_shown on players_shown.fide_id = now_id
            ),
            now as (
                select *
                from player_version semi join players_shown using (fide_id)
                qualify row_number() over (partition by fide_id order by source_no desc) = 1
            ),
            before as (
                select ids.fide_id, list_sort(list(distinct player.name)) as names,
                    list_sort(list(distinct any_id) filter (where any_id <> ids.fide_id)) as merged
                from ids join player on player.fide_id = any_id
                group by ids.fide_id
            )
            select fide_id, name, federation, coalesce(year(birth_date), birth_year)::integer as birth_year,
                list_concat(
                    coalesce(list_transform(merged, lambda one: one::varchar), []),
                    list_filter(names, lambda one: one <> name)
                ) as formerly,
                coalesce(club, '') as club, member_until::varchar as member_until
            from now join before using (fide_id) left join membership_now using (fide_id)
            """
        )


def search(store: Store, words: pl.DataFrame) -> pl.DataFrame:
    """Return the players with a word for each of ``words`` in their names: ``fide_id`` and ``score``, best first.

    ``score`` adds up over the words: 100 for the word itself, 90 for its beginning, 85 for the same sounds, 70 for a
    part of it, less for typing errors. A FIDE ID that was merged into another counts for that one.
    """
    names = store.read(
        "select fide_id, name from player union all select fide_id, name from corrected_data where name is not null"
    )
    with store.with_frames(name_index=words_of_names(names), typed=words):
        return store.read(
            """
            with compared as materialized (
                select typed.number, name_index.word,
                    case
                        when name_index.word = typed.word then 100
                        when starts_with(name_index.word, typed.word) then 90
                        when name_index.spelling = typed.spelling then 85
                        when length(typed.word) > 2 and contains(name_index.word, typed.word) then 70
                        when abs(length(name_index.word) - length(typed.word)) <= errors
                        then 70 - 10 * damerau_levenshtein(name_index.word, typed.word)
                            + 5 * (name_index.word[1] = typed.word[1])::integer
                    end as score,
                    typed.errors
                from name_index, typed
            ),
            close as materialized (
                select number, word, score from compared where score >= 70 - 10 * errors
            ),
            of_word as (
                select close.number, close.score, unnest(name_index.fide_ids) as fide_id
                from name_index join close using (word)
            ),
            of_player as (
                select coalesce(now_id, fide_id) as fide_id, number, max(score) as score
                from of_word left join current_identity using (fide_id)
                group by all
            )
            select fide_id, sum(score)::integer as score
            from of_player group by fide_id
            having count(*) = (select count(*) from typed)
            order by score desc, fide_id
            """
        )


def event_named(store: Store, text: str) -> str:
    """Return the code of the event with this code, or with this part of a name that no other event has.

    Raises :class:`CommandLineError`, naming them, where several have it, and where ``text`` is blank or a FIDE ID;
    :class:`NothingReadError` where none has.
    """
    if not text.strip():
        raise CommandLineError("Name the event by its code, or by a part of its name: what was given is blank.")
    events = store.read(
        """
        select event_id, any_value(name order by version desc, report_id) as name, min(start_date) as start_date
        from report_now group by event_id order by start_date desc, event_id
        """
    )
    if text in events["event_id"]:
        return text
    fitting = _having(events, text)
    if fitting.is_empty():
        if text.isdecimal() and (player := _registered(store, int(text))):
            raise CommandLineError(
                f"{text} is the FIDE ID of {player}, and not an event: name the event by its code, or by a part of its "
                f"name. The player's events: ratinglist explain {text}"
            )
        raise NothingReadError(f"No report of an event '{text}' was received: check the code, or load its report.")
    if len(fitting) > 1:
        lines = [
            f"{code}    {on_one_line(name)}{f' ({start})' if start else ''}"
            for code, name, start in fitting.iter_rows()
        ]
        several = f"several events have '{text}' in their names. Write the code of the one that is meant:"
        raise CommandLineError("\n".join([several, *first_lines(lines)]))
    return str(fitting.item(0, "event_id"))


def _registered(store: Store, fide_id: int) -> str:
    """Return the name registered for a FIDE ID; empty where there is none."""
    person = store.read("select name from registered_person where fide_id = $id", id=fide_id)
    return on_one_line(person.item()) if len(person) else ""


def _having(rows: pl.DataFrame, text: str) -> pl.DataFrame:
    """Return the rows whose ``name`` has a word that begins with each word of ``text``, whatever the accents."""
    words = query_words(text)["word"]
    if words.is_empty():
        return rows.clear()
    plain = rows.with_columns(folded=folded(pl.col("name")))
    return plain.filter(pl.col("folded").str.contains(f"(^|[ ,]){word}") for word in words).drop("folded")


_SHORT, _MEDIUM = 3, 6
"""Words up to this length are found without a typing error, or with one; longer ones with two."""


def words_of_names(names: pl.DataFrame) -> pl.DataFrame:
    """Return the index of ``names`` (``fide_id``, ``name``), sorted by word.

    Out: ``word``; ``spelling``, by sound (:func:`~ratinglist.names.alike.one_spelling`); ``fide_ids``, the players
    with the word in a name.

    The words of a surname of several words are also one word: ``van den Berg`` is found as ``vandenberg``. A player
    with several names may be named twice by a word.
    """
    plain = names.with_columns(folded(pl.col("name")))
    surnames = pl.col("name").str.splitn(",", 2).struct.field("field_0").str.strip_chars()
    joined = plain.filter(surnames.str.contains(" ", literal=True)).select("fide_id", surnames.str.replace_all(" ", ""))
    words = plain.select("fide_id", pl.col("name").str.replace_all(",", " ").str.split(" ")).explode("name")
    index = (
        pl.concat([words, joined.rename({joined.columns[1]: "name"})])
        .filter(pl.col("name") != "")
        .group_by(pl.col("name").alias("word"))
        .agg(pl.col("fide_id").sort().alias("fide_ids"))
    )
    return index.with_columns(spelling=one_spelling(pl.col("word"))).sort("word")


def query_words(text: str) -> pl.DataFrame:
    """Return the words of the ``text`` typed, each once, in their order.

    Out: ``number``, ``word``; ``spelling``, by sound; ``errors``: the most typing errors with which another word is
    taken for it.
    """
    word, length = pl.col("word"), pl.col("word").str.len_chars()
    words = pl.select(word=folded(pl.lit(text)).str.replace_all(",", " ").str.split(" ")).explode("word")
    errors = (
        pl.when(word.str.contains(r"^\d+$") | (length <= _SHORT)).then(0).when(length <= _MEDIUM).then(1).otherwise(2)
    )
    each = words.filter(word != "").unique(maintain_order=True).with_row_index("number")
    return each.with_columns(spelling=one_spelling(word), errors=errors)


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
        players = PLAYER.conform(store.read("select * from registered_person"))
        if players.is_empty():
            raise NothingReadError("No player is registered yet: ratinglist import-list FILE --month YYYY-MM")
        lines = store.read(_LINES)
        with store.with_frames(line=lines):
            people = store.read(_PEOPLE)
        settings.progress("comparing players", 0, 1)
        with store.with_frames(
            line=lines, said=with_name_forms(store, people), registered=with_name_forms(store, players)
        ):
            limits = {"least": min_score, "alike": ALIKE_FROM, "largest": LARGEST_BLOCK, "better": BETTER_BY}
            return CANDIDATE.sorted(CANDIDATE.conform(store.read(_CANDIDATES, **limits)))


def candidates_text(rows: pl.DataFrame, min_score: int) -> str:
    """Format the candidates for people: two lines each, the second with the evidence; or that none has the score."""
    lines = []
    for row in rows.to_dicts():
        person = person_text(row["fide_id"], row["name"], row["federation"], row["birth_year"])
        other = person_text(row["other_id"], row["other_name"], row["other_federation"], row["other_birth_year"])
        where = f", {row['file']}, line {row['line']}" if row["file"] else ""
        more = f" and {row['times'] - 1:,} more" if row["times"] > 1 else ""
        lines += [f"{row['score']:>3}  {row['kind']:<9}  {person}  ↔  {other}{where}{more}", f"     {row['evidence']}"]
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
    plain = people.with_columns(folded=folded(pl.col("name")))
    with store.with_frames(spelled=plain.with_columns(spelling=one_spelling(pl.col("folded")))):
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
            similarity(someone.sorted_words, other.sorted_words),
            similarity(someone.one_spelling, other.one_spelling)
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
