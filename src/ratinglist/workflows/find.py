"""The command `ratinglist find`: players by any part of a name, with their newest ratings and their state.

The words of all names are taken from the store for each search, which takes a second for half a million players: so a
search never shows names of before, whatever was imported, corrected or restored.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.names import name_search
from ratinglist.names.name_search import QueryWord, query_words
from ratinglist.pages.plain_text import text_table
from ratinglist.publication import revisions
from ratinglist.settings import Settings
from ratinglist.store.database import Store
from ratinglist.summaries import Summary
from ratinglist.tables import LISTS
from ratinglist.text import counted
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
        return "; ".join([described.get(self.state, self.state), *(f"formerly {one}" for one in self.formerly)])


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
        has_clubs = any(one.club for one in self.players)
        header = ["FIDE ID", "name", "fed", "born", *LISTS, *(["club"] if has_clubs else []), "state"]
        rows = [
            [
                str(one.fide_id),
                one.name,
                one.federation,
                str(one.birth_year or ""),
                *(str(one.ratings.get(name, "")) for name in LISTS),
                *([one.club_text()] if has_clubs else []),
                one.state_text(),
            ]
            for one in self.players
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
    if not words:
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
    best = [one for one in found if one.score == found[0].score]
    if len(best) == 1 and best[0].score >= _CERTAIN:
        return best[0].fide_id
    is_certain = found[0].score >= _CERTAIN
    fitting = best if is_certain else found
    several = "several players have" if is_certain else "no player has just"
    lines = [f"{several} '{text}' in their names. Type the command of the one that is meant:"]
    for one in fitting:
        details = ", ".join(filter(None, (one.federation, str(one.birth_year or ""), one.state_text())))
        lines.append(f"  {command(one.fide_id)}    {one.name} ({details})")
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


def search(store: Store, words: list[QueryWord]) -> pl.DataFrame:
    """Return the players with a word for each of ``words`` in their names: ``fide_id`` and ``score``, best first.

    ``score`` adds up over the words: 100 for the word itself, 90 for its beginning, 85 for the same sounds, 70 for a
    part of it, less for typing errors. A FIDE ID that was merged into another counts for that one.
    """
    names = store.read(
        "select fide_id, name from player union all select fide_id, name from corrected_data where name is not null"
    )
    with store.seeing(name_index=name_search.words_of_names(names), typed=pl.DataFrame(words)):
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
                            and bit_count(xor(name_index.letters, typed.letters)) <= 2 * errors
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
