"""The parts of a preview's report on each list: its totals, movers, first ratings, removals and distributions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from ratinglist.analysis.list_statistics import mean_hundredths
from ratinglist.number_text import grouped
from ratinglist.pages.document import Document, Entries, Figures, Heading, Paragraph, Part, Table
from ratinglist.period import Period
from ratinglist.publication.questions import RaisedQuestion
from ratinglist.summaries import removed_text


@dataclass(frozen=True, slots=True)
class Previewed:
    """The contents of a preview.

    ``office``: its name, empty where it has none. ``is_new``: no published revision has the same bytes. ``floors``: the
    lowest rating listed, by time control. ``tables``: the published tables by file stem. ``before``: ``time_control``,
    ``month``, ``fide_id`` and ``rating`` of the lists before, rated players alone. ``counts``: ``month_count`` of this
    list's month and of the months of the lists before. ``players``: ``fide_id``, ``name``, ``federation``. ``refused``:
    the quarantine of the month; ``dismissed``: how many refused reports were set aside. ``questions``: the questions
    raised. ``approvals``: how many people have to approve it. ``go_on``: the command that publishes it. ``typed``: what
    people typed since the newest published list, a line each. ``accounts``: those of the players whom the shown rows of
    a question name, as text.
    """

    office: str
    period: Period
    revision: int
    digest: str
    is_new: bool
    rule_sets: Sequence[str]
    floors: Mapping[str, int]
    tables: Mapping[str, pl.DataFrame]
    before: pl.DataFrame
    counts: pl.DataFrame
    players: pl.DataFrame
    refused: Sequence[Mapping[str, object]]
    dismissed: int
    questions: Sequence[RaisedQuestion]
    approvals: int
    go_on: str
    typed: Sequence[str] = ()
    accounts: Sequence[Document] = ()

    def changes(self, control: str) -> pl.DataFrame:
        """Return the changes of a time control."""
        return self.tables["changes"].filter(pl.col("time_control") == control)

    def list_before(self, control: str) -> pl.DataFrame:
        """Return the rated players of the list before of a time control."""
        return self.before.filter(pl.col("time_control") == control)

    def month_before(self, control: str) -> str:
        """Return the month of the list before, ``none`` where there is none."""
        months = self.list_before(control)["month"]
        return str(months[0]) if len(months) else "none"

    def removed_text(self, control: str) -> str:
        """Return why players of a time control were removed, as text."""
        if self.floors.get(control) == 0:
            # Another system than FIDE's: a rating leaves the list only where it lapses.
            return "lapsed: no longer listed"
        return removed_text([self.floors[control]] if control in self.floors else [])


MOVERS = 10
"""How many players of the largest gains and of the largest losses are shown; `changes.parquet` has all players."""
SHOWN = 25
"""How many entries, delistings and refusals are shown; the published files and `ratinglist quarantine` have all."""
BAND = 200
"""Width of a band of ratings, in points."""
STEPS = (-100, -50, -20, 0, 1, 21, 51, 101)
"""First changes of the bands of changes; a band below the first one holds the rest."""
COUNTED = ("events_rated", "results_rated", "players_rated", "entered", "delisted")
MANY_GAMES = 9
"""Games from which on the mean change is shown separately: with fewer, chance outweighs the system."""


def totals(preview: Previewed, controls: Sequence[str]) -> list[Part]:
    """Return the totals of this list and of the list before: a row per figure and time control."""
    table: list[list[object]] = []
    balances = []
    for control in controls:
        now, old = preview.tables[control]["rating"], preview.list_before(control)
        of_control = preview.counts.filter(pl.col("time_control") == control).rows_by_key(
            "month", named=True, unique=True
        )
        this, past = of_control.get(str(preview.period), {}), of_control.get(preview.month_before(control))
        balance = ListBalance.of(preview.tables[control], old, preview.changes(control))
        balances.append(f"{control.capitalize()}: {balance.text()}")
        # An imported list has no counts of its calculation.
        rows: list[tuple[str, int, int | None]] = [("players listed", len(now), len(old))]
        labels = {"entered": "entered (first rating)", "delisted": f"delisted ({preview.removed_text(control)})"}
        rows += [
            (labels.get(name, name.replace("_", " ")), this.get(name, 0), None if past is None else past[name])
            for name in COUNTED
        ]
        table += [
            [control, label, f"{count:,}", *(("", "") if past is None else (f"{past:,}", f"{count - past:+,}"))]
            for label, count, past in rows
        ]
        mean, past_mean = mean_hundredths(now), mean_hundredths(old["rating"])
        difference = None if mean is None or past_mean is None else mean - past_mean
        means = (grouped(mean, 2), grouped(past_mean, 2), grouped(difference, 2, sign=True))
        table.append([control, "mean rating", *(one or "–" for one in means)])
    months = ", ".join(f"{control} {preview.month_before(control)}" for control in controls)
    return [
        Heading("Totals"),
        Paragraph("Players listed:"),
        Entries.of(balances),
        Table(("list", "figure", "now", "before", "difference"), table, (False, False, True, True, True)),
        Paragraph(f"Before: {months}."),
    ]


def of_list(preview: Previewed, control: str, charts: Figures) -> list[Part]:
    """Return the section of one time control: a heading and its parts, ``charts`` among them."""
    named = _named_changes(preview, control)
    moved = _moved(named)
    often = moved.filter(pl.col("games") >= MANY_GAMES)
    mean, mean_often = (grouped(mean_hundredths(rows["change"]), 2, sign=True) or "–" for rows in (moved, often))
    parts: list[Part] = [
        Heading(control.capitalize()),
        Entries.of(
            [
                f"{len(moved):,} players with rated games, mean change {mean}; {len(often):,} of them with "
                f"{MANY_GAMES} games or more, mean change {mean_often}",
                f"points given and taken: {moved['change'].sum():+,}",
            ]
        ),
        charts,
        Heading("Biggest movers", level=3),
    ]
    for gained in (True, False):
        head = ("FIDE ID", "name", "fed.", "was", "games", "K", "gained" if gained else "lost", "is")
        caption = f"Biggest {'gains' if gained else 'losses'}"
        movers = _biggest_movers(moved, gained=gained)
        rows = movers.with_columns(pl.col("change").map_elements(lambda change: f"{change:+,}", pl.String)).rows()
        parts.append(Table(head, rows, [dtype.is_numeric() for dtype in movers.dtypes], caption))
    entered = named.filter(pl.col("status") == "entered").sort("new_rating", "fide_id", descending=[True, False])
    parts += [
        Heading(f"First ratings ({len(entered):,} entered)", level=3),
        *first_of(len(entered), "the highest"),
        Table.of(
            ("FIDE ID", "name", "fed.", "games", "rating"),
            entered.select("fide_id", "name", "federation", "games", "new_rating").head(SHOWN),
        ),
    ]
    through = named.filter(pl.col("status") == "rated").join(preview.list_before(control), on="fide_id", how="anti")
    if len(through):
        parts += [
            Heading(f"Entered through their standard rating ({len(through):,})", level=3),
            *first_of(len(through), "the highest"),
            Table.of(
                ("FIDE ID", "name", "fed.", "standard", "games", "change", "rating"),
                through.sort("new_rating", "fide_id", descending=[True, False])
                .select("fide_id", "name", "federation", "old_rating", "games", "change", "new_rating")
                .head(SHOWN),
            ),
        ]
    left = named.filter(pl.col("status").is_in(["delisted", "lapsed"])).sort(
        "old_rating", "fide_id", descending=[True, False]
    )
    parts += [
        Heading(f"{preview.removed_text(control).capitalize()} ({len(left):,} delisted)", level=3),
        *first_of(len(left), "the highest"),
        Table.of(
            ("FIDE ID", "name", "fed.", "was", "games", "change"),
            left.select("fide_id", "name", "federation", "old_rating", "games", "change").head(SHOWN),
        ),
    ]
    return parts


def _biggest_movers(moved: pl.DataFrame, *, gained: bool) -> pl.DataFrame:
    """Return the players who gained or lost most."""
    shown = ("fide_id", "name", "federation", "old_rating", "games", "k", "change", "new_rating")
    most = moved.filter(pl.col("change") > 0 if gained else pl.col("change") < 0)
    return most.sort("change", "fide_id", descending=[gained, False]).select(shown).head(MOVERS)


def _named_changes(preview: Previewed, control: str) -> pl.DataFrame:
    return preview.changes(control).join(
        preview.players.select("fide_id", "name", "federation"), on="fide_id", how="left"
    )


def _moved(changes: pl.DataFrame) -> pl.DataFrame:
    return changes.filter((pl.col("status") != "entered") & (pl.col("games") > 0))


def distributions(preview: Previewed, control: str) -> list[Part]:
    """Return how many players of a time control have which rating, and how many gained or lost how much."""
    moved = _moved(preview.changes(control))
    band = (pl.col("rating") // BAND * BAND).alias("band")
    now = preview.tables[control].group_by(band).agg(pl.len().alias("now"))
    old = preview.list_before(control).group_by(band).agg(pl.len().alias("old"))
    bands = now.join(old, on="band", how="full", coalesce=True).fill_null(0).sort("band", descending=True)
    counts = bands.select("band", pl.col("now", "old").cast(pl.Int64))
    ratings = [
        [f"{first} to {first + BAND - 1}", f"{count:,}", f"{past:,}", f"{count - past:+,}"]
        for first, count, past in counts.iter_rows()
    ]
    step = pl.sum_horizontal(pl.col("change") >= least for least in STEPS).alias("step")
    counted = dict(moved.group_by(step).agg(pl.len().alias("players")).iter_rows())
    changes = []
    for number in reversed(range(len(STEPS) + 1)):
        if number == 0:
            label = f"{STEPS[0] - 1} or less"
        elif number == len(STEPS):
            label = f"{STEPS[-1]:+} or more"
        else:
            first, last = STEPS[number - 1], STEPS[number] - 1
            label = f"{first:+} to {last:+}" if first != last else "0"
        changes.append([label, f"{counted.get(number, 0):,}"])
    return [
        Heading(f"{control.capitalize()}: ratings", level=3),
        Table(("rating", "now", "before", "difference"), ratings, (False, True, True, True)),
        Heading(f"{control.capitalize()}: changes", level=3),
        Table(("change", "players"), changes, (False, True)),
    ]


def first_of(count: int, which: str) -> list[Part]:
    """Return a sentence that the first rows alone are shown; none where all are."""
    return [Paragraph(f"Shown are {which} {SHOWN}.")] if count > SHOWN else []


@dataclass(frozen=True, slots=True)
class ListBalance:
    """The numbers of players that lead from the list before to a list; :attr:`now` is their sum.

    ``entered``: added by a first rating. ``through_standard``: added because their standard rating stood in. ``added``:
    added without a rated game, under a FIDE ID that others were merged into. ``delisted``: removed because they fell
    below the floor. ``lapsed``: removed because they have a rating on the reference list. ``removed``: removed for
    another reason, under a FIDE ID that was merged into another.
    ``never_listed``: players rated from their standard rating who fell below the floor at once; they are on neither.
    """

    before: int
    entered: int
    through_standard: int
    added: int
    delisted: int
    lapsed: int
    removed: int
    never_listed: int

    @classmethod
    def of(cls, listed: pl.DataFrame, before: pl.DataFrame, changes: pl.DataFrame) -> ListBalance:
        """Return the balance of one time control.

        In: ``fide_id`` of the rated players of the list and of the one before; ``changes``: ``fide_id``, ``status``.
        """
        statuses = changes.select("fide_id", "status")
        new = listed.join(before, on="fide_id", how="anti").join(statuses, on="fide_id", how="left")
        gone = before.join(listed, on="fide_id", how="anti").join(statuses, on="fide_id", how="left")
        passing = changes.filter(pl.col("status") == "delisted").join(before, on="fide_id", how="anti")
        return cls(
            before=len(before),
            entered=int((new["status"] == "entered").sum()),
            through_standard=int((new["status"] == "rated").sum()),
            added=new["status"].null_count(),
            delisted=int((gone["status"] == "delisted").sum()),
            lapsed=int((gone["status"] == "lapsed").sum()),
            removed=len(gone) - int(gone["status"].is_in(["delisted", "lapsed"]).sum()),
            never_listed=len(passing),
        )

    @property
    def now(self) -> int:
        """The number of players listed."""
        return (
            self.before + self.entered + self.through_standard + self.added - self.delisted - self.lapsed - self.removed
        )

    def text(self) -> str:
        """Return the balance as one sentence that adds up; parts of nobody are left out."""
        parts = [
            (self.entered, "+", "entered"),
            (self.through_standard, "+", "entered through their standard rating"),
            (self.added, "+", "added under another FIDE ID"),
            (self.delisted, "−", "delisted"),
            (self.lapsed, "−", "lapsed"),
            (self.removed, "−", "removed under another FIDE ID"),
        ]
        moves = "".join(f" {sign} {count:,} {label}" for count, sign, label in parts if count)
        sentence = f"{self.before:,} before{moves} = {self.now:,} now"
        if self.never_listed:
            players = "1 player was" if self.never_listed == 1 else f"{self.never_listed:,} players were"
            sentence += f"; {players} rated from the standard rating and delisted at once"
        return sentence
