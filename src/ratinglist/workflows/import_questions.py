"""The questions that an import raises, before anything of it is kept.

A file of players may lose what is known: a spreadsheet saves names in another code page, an old file has last year's
titles, a row is another person's. An old list of ratings may be taken for the new one.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from ratinglist.analysis import player_changes
from ratinglist.analysis.player_changes import PlayerChanges
from ratinglist.analysis.unlike_names import other_day, unlike_names
from ratinglist.errors import CommandLineError, UnansweredError
from ratinglist.period import Period
from ratinglist.publication.questions import RaisedQuestion, because_options
from ratinglist.store.database import Store

BLANKED_DATA: Final = "blanked_data"
UNLIKE_NAME: Final = "unlike_name"
OLDER_LIST: Final = "older_list"
_ROWS_SHOWN = 10

_LOST_TEXT = "Is it right that players lose a name, federation, sex, title or club, or get back an earlier one?"
_UNLIKE_TEXT = "Are these the right players, though the file gives their FIDE IDs other names?"
_OLDER_TEXT = "Is this the right file for the list of {month}? {why}"
_MISSING_PERCENT, _MISSING_TIMES, _MISSING_PLAYERS = 1, 3, 5
"""A list is older where so many rated players in 100 of the newest list are not in it, so many times as many as are
new, and so many at least."""
_SAME_PER_THOUSAND, _SAME_PLAYERS = 1, 50
"""A list is barely different where fewer ratings in 1000 differ from the newest list's, of so many players."""
_EARLIER_TEXT = (
    "It has {as_then:,} ratings as on the {time_control} list of {has_ratings_of} and {as_now:,} as on that of "
    "{compared_with}, of the players whose ratings on these two differ."
)
_EARLIER_LIMITS = {"players": 5, "times": 3}
"""A list is an earlier one where it has so many ratings of it that have changed since, and so many times as many as of
the newest list."""
_OTHER_PERCENT = 20
"""A list imported again is another month's where so many ratings in 100 differ."""


class PlayerQuestions:
    """What the batches of a file of players would lose, and whose names are other people's.

    ``blanks_alone``: of a list, which may give somebody an earlier federation back: only what becomes blank or
    unreadable.
    """

    def __init__(self, store: Store, *, blanks_alone: bool = False) -> None:
        self._store = store
        self._blanks_alone = blanks_alone
        self._lost: list[pl.DataFrame] = []
        self._unlike: list[pl.DataFrame] = []

    def add(self, changes: PlayerChanges, cells: pl.DataFrame, lost: pl.DataFrame) -> None:
        """Look at the changes of a batch, before they are stored.

        ``cells``: :func:`~player_changes.changed_cells`; ``lost``: values of memberships that are lost.
        """
        self._lost.append(lost)
        if self._blanks_alone:
            self._lost.append(player_changes.lost_cells(cells, changes.before.clear()))
            return
        with self._store.seeing(to_change=changes.changed.select("fide_id")):
            earlier = self._store.read("select player.* from player semi join to_change using (fide_id)")
        self._lost.append(player_changes.lost_cells(cells, earlier))
        renamed = (
            changes.changed.select("fide_id", "name", "birth_year", "birth_date")
            .with_columns(changes.before.select(pl.col("name", "birth_year", "birth_date").name.prefix("registered_")))
            .select(
                *("fide_id", "name", "birth_year"),
                registered="registered_name",
                registered_year="registered_birth_year",
                is_other_day=other_day(pl.col("birth_date"), pl.col("registered_birth_date")),
            )
        )
        found = unlike_names(self._store, renamed.filter(pl.col("name") != pl.col("registered")))
        self._unlike.append(found.drop("is_other_day"))

    def raised(self) -> list[RaisedQuestion]:
        """Return the questions, those that were found."""
        named = (BLANKED_DATA, _LOST_TEXT, self._lost), (UNLIKE_NAME, _UNLIKE_TEXT, self._unlike)
        return [_question(name, text, pl.concat(parts)) for name, text, parts in named if any(map(len, parts))]


def lists_before(store: Store, period: Period) -> pl.DataFrame:
    """Return the ratings before an import of a month: ``time_control``, ``month``, ``fide_id``, ``rating``.

    Of each time control the newest list before the month, or the list of the month that was imported before.
    """
    return store.read(
        """
        with known as (
            select time_control, month from standing_list where month < $month
            union
            select time_control, month from imported_list where month = $month
        ),
        newest as (
            select time_control, max(month) as month from known group by time_control
        )
        select time_control, month, fide_id, rating
        from list_state semi join newest using (time_control, month) where rating is not null
        """,
        month=str(period),
    )


def of_list(store: Store, period: Period, source: int, before: pl.DataFrame) -> list[RaisedQuestion]:
    """Return the question that the lists of an import raise; none where they follow what is known.

    ``source``: the number of the import, which has inserted them. ``before``: :func:`lists_before`, read before it.
    """
    values = {"month": str(period), "source": source}
    with store.seeing(before=before):
        rows = store.read(_COMPARED_LISTS, **values).to_dicts()
        earlier = store.read(_EARLIER_LISTS, **values, **_EARLIER_LIMITS).to_dicts()
    compared = [(why, row) for row in rows if (why := _why_older(row, str(period)))]
    compared += [(_EARLIER_TEXT.format(**row), row) for row in earlier]
    if not compared:
        return []
    reasons, shown = zip(*compared, strict=True)
    return [RaisedQuestion(OLDER_LIST, _OLDER_TEXT.format(month=period, why=reasons[0]), [*shown], len(shown), "")]


def _why_older(row: Mapping[str, int | str], month: str) -> str:
    """Return why a list may be an old one; empty where nothing says so."""
    missing, new, differ, both = (int(row[name]) for name in ("missing", "new", "other_ratings", "rated_in_both"))
    known = f"the {row['time_control']} list of {row['compared_with']}"
    if (
        missing >= _MISSING_PLAYERS
        and missing * 100 > _MISSING_PERCENT * (both + missing)
        and missing > _MISSING_TIMES * new
    ):
        return (
            f"It seems older than {known}: {missing:,} players of that list are not in the file, which has {new:,} new."
        )
    if row["compared_with"] == month:
        is_other = both >= _SAME_PLAYERS and differ * 100 > _OTHER_PERCENT * both
        return f"{differ:,} of {both:,} ratings are not those of {known} that was imported before." if is_other else ""
    if both >= _SAME_PLAYERS and differ * 1000 < _SAME_PER_THOUSAND * both:
        return f"It is barely different from {known}: {differ:,} of {both:,} ratings differ."
    return ""


_COMPARED_LISTS = """
with file as (
    select time_control, fide_id, rating from imported_list where month = $month and source_no = $source
),
compared as (
    select coalesce(before.time_control, file.time_control) as time_control,
        before.month, before.fide_id as known, before.rating as rating_before, file.fide_id as named, file.rating
    from file full join before on before.time_control = file.time_control and before.fide_id = file.fide_id
)
select time_control, max(month) as compared_with,
    count(*) filter (where rating is not null and rating_before is not null)::integer as rated_in_both,
    count(*) filter (where rating <> rating_before)::integer as other_ratings,
    count(*) filter (where named is null)::integer as missing,
    count(*) filter (where known is null and rating is not null)::integer as new
from compared semi join file using (time_control)
group by time_control
having max(month) is not null
order by time_control
"""


_EARLIER_LISTS = """
with file as (
    select time_control, fide_id, rating from imported_list where month = $month and source_no = $source
),
earlier as (
    select time_control, month, fide_id, rating from list_state semi join standing_list using (time_control, month)
)
select time_control, before.month as compared_with, earlier.month as has_ratings_of,
    count(*) filter (where file.rating = earlier.rating)::integer as as_then,
    count(*) filter (where file.rating = before.rating)::integer as as_now
from file join before using (time_control, fide_id) join earlier using (time_control, fide_id)
where earlier.month < before.month and earlier.rating <> before.rating
group by time_control, before.month, earlier.month
having as_then >= $players and as_then > $times * as_now
order by as_then desc, has_ratings_of desc
limit 1
"""


@dataclass(frozen=True, slots=True)
class Answers:
    """The reasons given with an import, and the command that was typed; None: it is made again, and asks nothing.

    ``is_preview``: the questions are shown, and need no answer.
    """

    reasons: Mapping[str, str]
    command: Sequence[str] | None
    is_preview: bool = False

    @property
    def asks(self) -> bool:
        """Whether questions are looked for."""
        return self.command is not None

    def checked(self, raised: Sequence[RaisedQuestion]) -> dict[str, object]:
        """Return the reasons as facts of the log, once they answer the questions raised; nothing where there are none.

        Raises :class:`UnansweredError` where a reason is missing, and :class:`CommandLineError` for one that answers no
        question.
        """
        names = [one.question for one in raised]
        for question in self.reasons if self.command else ():
            if question not in names:
                what = f"it raises {', '.join(names)}" if names else "it raises none"
                raise CommandLineError(
                    f"--because {question}: the file does not raise that question; {what}. Nothing was imported: leave "
                    "the reason out."
                )
        missing = [one for one in raised if one.question not in self.reasons]
        if missing and self.command and not self.is_preview:
            lines = [f"    {line}" for one in missing for line in one.lines()]
            remedy = (
                "If this is wrong, put the file right and import it then. If it is right, write down why: "
                f"{shlex.join(self.command)} {because_options(raised)}"
            )
            raise UnansweredError("\n".join(["Nothing was imported: the file raises a question.", *lines, remedy]))
        return {"because": dict(self.reasons)} if self.reasons else {}


def _question(name: str, text: str, found: pl.DataFrame) -> RaisedQuestion:
    return RaisedQuestion(name, text, found.head(_ROWS_SHOWN).to_dicts(), len(found), "")
