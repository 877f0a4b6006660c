"""The doubts about an import, before anything of it is kept: what they are asked of, and their answers.

A file of players may lose what is known: a spreadsheet saves names in another code page, an old file has last year's
titles, a row is another person's. An old list of ratings may be taken for the new one.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import polars as pl

from ratinglist.analysis import player_changes
from ratinglist.analysis.player_changes import PlayerChanges
from ratinglist.analysis.unlike_names import other_day, unlike_names
from ratinglist.errors import CommandLineError, UnansweredError
from ratinglist.period import Period
from ratinglist.publication.doubts import Doubt, Frames, as_dicts, because_options, doubts, queries, unanswered
from ratinglist.store.database import Store


class PlayersToDoubt:
    """What the batches of a file of players would lose, and whose names are other people's.

    ``blanks_alone``: of a list, which may give somebody an earlier federation back: only what becomes blank or
    unreadable. ``lost``, ``unlike``: frames, one per batch.
    """

    def __init__(self, store: Store, *, blanks_alone: bool = False) -> None:
        self._store = store
        self._blanks_alone = blanks_alone
        self.lost: list[pl.DataFrame] = []
        self.unlike: list[pl.DataFrame] = []

    def add(self, changes: PlayerChanges, cells: pl.DataFrame, lost: pl.DataFrame) -> None:
        """Look at the changes of a batch, before they are stored.

        ``cells``: :func:`~player_changes.changed_cells`; ``lost``: values of memberships that are lost.
        """
        self.lost.append(lost)
        if self._blanks_alone:
            self.lost.append(player_changes.lost_cells(cells, changes.before.clear()))
            return
        with self._store.seeing(to_change=changes.changed.select("fide_id")):
            earlier = self._store.read("select player.* from player semi join to_change using (fide_id)")
        self.lost.append(player_changes.lost_cells(cells, earlier))
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
        self.unlike.append(found.drop("is_other_day"))


def newest_before(store: Store, period: Period) -> pl.DataFrame:
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


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers given with an import, and the command that was typed; None: it is made again, and asks nothing.

    ``is_preview``: the questions are shown, and need no answer.
    """

    reasons: Mapping[str, str]
    command: Sequence[str] | None
    is_preview: bool = False

    @property
    def asks(self) -> bool:
        """Whether questions are looked for."""
        return self.command is not None

    def raised(
        self, store: Store, kind: str, players: PlayersToDoubt, source: int, before: pl.DataFrame, month: str
    ) -> list[Doubt]:
        """Return the doubts about an import of a ``kind``, which is inserted and can still be taken back.

        ``source``: its number. ``before``: :func:`newest_before`, read before it.
        """

        def answer(code: str, _: str) -> str:
            return self.reasons.get(code, "")

        frames: Frames = {
            "lost": partial(pl.concat, players.lost),
            "unlike_line": partial(pl.concat, players.unlike),
            "newest_before": before.clone,
        }
        asked = [query for query in queries() if kind in query.when]
        return doubts(store, asked, frames, {"month": month, "source": source}, answer)

    def checked(self, raised: Sequence[Doubt]) -> dict[str, object]:
        """Return the answers as facts of the log, once all questions have one; nothing where there are none.

        Raises :class:`UnansweredError` where an answer is missing, and :class:`CommandLineError` for one that answers
        no question.
        """
        names = [doubt.code for doubt in raised]
        for code in self.reasons if self.command else ():
            if code not in names:
                what = f"it raises {', '.join(names)}" if names else "it raises none"
                raise CommandLineError(
                    f"--because {code}: the file does not raise that question; {what}. Nothing was imported: leave "
                    "the reason out."
                )
        missing = unanswered(raised)
        if missing and self.command and not self.is_preview:
            lines = [f"    {line}" for doubt in missing for line in doubt.lines()]
            remedy = (
                "If this is wrong, put the file right and import it then. If it is right, write down why: "
                f"{shlex.join(self.command)} {because_options(raised)}"
            )
            message = "\n".join(["Nothing was imported: the file raises a question.", *lines, remedy])
            raise UnansweredError(message, (), as_dicts(raised))
        return {"because": dict(self.reasons)} if self.reasons else {}
