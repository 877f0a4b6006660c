"""The command `ratinglist find`, and what other commands name: players, events and games, by any part of a name.

Names of every alphabet become ASCII by AnyAscii's table (:mod:`~ratinglist.names.alike`), so that
``Карлсен`` and ``Carlsen`` can be compared. The words of all names are kept once each, with the players that have
them: there are far fewer words than players, so that typing errors can be looked for in all of them. They are taken
from the store for each search, which takes a second for half a million players: so a search never shows names of
before, whatever was imported, corrected or restored.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
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
from ratinglist.tables import LISTS
from ratinglist.text import counted, on_one_line, text_table
from ratinglist.workflows import sql
from ratinglist.workflows.opening import open_to_read

LIMIT = 20
MOST_CHARACTERS = 200
_RANKED = 1000
"""Players with the best scores whose ratings are looked up, to show the highest of them first."""
_CANDIDATES = 10
_CERTAIN = 85
"""The score of a word from which it is not taken for a typing error."""
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
        found = _by_fide_id(store, text.strip())
        if found.is_empty():
            found = search(store, words)
        if found.is_empty():
            typed = text.strip()
            other = "Look the player up by name." if typed.isdecimal() else "Type less of it, or other letters."
            raise NothingReadError(
                f"No player of the register has '{typed}' in a name, or as FIDE ID. {other} Register a new player "
                "with: ratinglist import-players FILE"
            )
        found = found.with_columns(pl.col("score") // len(words))
        return _described(store, settings.published, found, limit)


def one_player(settings: Settings, text: str, command: Callable[[int], str]) -> int:
    """Return the player with this FIDE ID, or with this part of a name that no other player has.

    ``command``: what is typed for a player. Raises :class:`CommandLineError`, with it for each of them, where the name
    fits several players or none for certain; else as :func:`find`.
    """
    text = text.strip()
    if text.isascii() and text.isdigit():
        return int(text)
    found = find(settings, text, _CANDIDATES).players
    best = [player for player in found if player.score == found[0].score]
    if len(best) == 1 and best[0].score >= _CERTAIN:
        return best[0].fide_id
    is_certain = found[0].score >= _CERTAIN
    fitting = best if is_certain else found
    several = "several players have" if is_certain else "no player has just"
    lines = [f"{several} '{text}' in their names. Type the command of the one that is meant:"]
    for player in fitting:
        details = ", ".join(filter(None, (player.federation, str(player.birth_year or ""), player.state_text())))
        lines.append(f"  {command(player.fide_id)}    {player.name} ({details})")
    lines += [f"More of them: ratinglist find {shlex.quote(text)}"] if len(fitting) == _CANDIDATES else []
    raise CommandLineError("\n".join(lines))


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


def _described(store: Store, published: Path, found: pl.DataFrame, limit: int) -> FoundPlayers:
    """Return the best of ``found`` (``fide_id``, ``score``) with their data; by score, then by rating."""
    best = found.head(max(_RANKED, limit))
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
        return FoundPlayers("", "", len(found), players)
    return FoundPlayers(newest.parent.name, newest.name, len(found), players)


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
    with store.seeing(players_found=players.select("fide_id")):
        return store.read(
            """
            select fide_id, time_control, rating, false as inactive, 0 as waiting, '' as removed
            from imported_list semi join players_found using (fide_id)
            where rating is not null
                and (month, time_control) in (select (max(month), time_control) from list_kept group by time_control)
            """
        )


def _data(store: Store, players: pl.DataFrame) -> pl.DataFrame:
    """Return the players' newest data, and ``formerly``: the FIDE IDs merged into theirs, and their earlier names.

    With ``club`` and ``member_until``, as text.
    """
    with store.seeing(players_shown=players.select("fide_id")):
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
    with store.seeing(name_index=words_of_names(names), typed=words):
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


_NAMED = 20


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
    found = _having(events, text)
    if found.is_empty():
        if text.isdecimal() and (player := _registered(store, int(text))):
            raise CommandLineError(
                f"{text} is the FIDE ID of {player}, and not an event: name the event by its code, or by a part of its "
                f"name. The player's events: ratinglist explain {text}"
            )
        raise NothingReadError(f"No report of an event '{text}' was received: check the code, or load its report.")
    if len(found) > 1:
        lines = [
            f"  {code}    {on_one_line(name)}{f' ({start})' if start else ''}"
            for code, name, start in found.head(_NAMED).iter_rows()
        ]
        more = [f"  and {len(found) - _NAMED:,} more"] if len(found) > _NAMED else []
        raise CommandLineError(
            "\n".join(
                [
                    f"several events have '{text}' in their names. Write the code of the one that is meant:",
                    *lines,
                    *more,
                ]
            )
        )
    return str(found.item(0, "event_id"))


def _registered(store: Store, fide_id: int) -> str:
    """Return the name registered for a FIDE ID; empty where there is none."""
    found = store.read("select name from registered_person where fide_id = $id", id=fide_id)
    return on_one_line(found.item()) if len(found) else ""


def game_named(store: Store, event: str, round_number: int, white: str, black: str) -> tuple[str, int, int]:
    """Return the code of the event and the FIDE IDs of the two players of a game, in the order they were named.

    ``white`` and ``black``: FIDE IDs, or parts of names. Of several players with such a name, the one who played the
    other in this round is meant. Raises what :func:`event_named` raises, :class:`CommandLineError` where several games
    of the round fit, :class:`NothingReadError` where none does; both name the games.
    """
    code = event_named(store, event)
    if white.isdigit() and black.isdigit():
        return code, int(white), int(black)
    games = store.read(
        """
        select distinct game.white_id, game.black_id
        from current_report_game as game join current_report as report using (report_no)
        where report.event_id = $code and game.round = $round
        order by all
        """,
        code=code,
        round=round_number,
    )
    names = store.read(
        """
        select distinct line.fide_id, line.name from current_report_player as line
        join current_report as report using (report_no) where report.event_id = $code
        union
        select fide_id, name from player_now semi join (
            select line.fide_id from current_report_player as line
            join current_report as report using (report_no) where report.event_id = $code
        ) using (fide_id)
        order by all
        """,
        code=code,
    )
    first, second = (_ids(names, text) for text in (white, black))
    in_order = [pair for pair in games.iter_rows() if pair[0] in first and pair[1] in second]
    exchanged = [pair for pair in games.iter_rows() if pair[1] in first and pair[0] in second]
    # Whether White is named first is judged by what corrects the game.
    fitting = list(dict.fromkeys([*in_order, *((black_id, white_id) for white_id, black_id in exchanged)]))
    if len(fitting) == 1:
        return code, *fitting[0]
    known = dict(names.iter_rows())
    lines = [
        "  " + " - ".join(f"{fide_id} {on_one_line(known.get(fide_id) or '')}" for fide_id in pair)
        for pair in (fitting or games.rows())[:_NAMED]
    ]
    if fitting:
        raise CommandLineError(
            "\n".join([f"several games of round {round_number} of {code} fit. Write the FIDE IDs:", *lines])
        )
    where = ["The games of the round:", *lines] if lines else [f"{code} has no game in that round."]
    raise NothingReadError(
        "\n".join([f"round {round_number} of {code} has no game of '{white}' and '{black}'.", *where])
    )


def _ids(names: pl.DataFrame, text: str) -> list[int]:
    """Return the FIDE IDs of the players that ``text`` may name."""
    return [int(text)] if text.isdigit() else _having(names, text)["fide_id"].unique().sort().to_list()


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
