"""Load reports, rate the month and publish its list; or rate it alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import polars as pl

from ratinglist.errors import CheckError, CommandLineError, NotConfirmedError
from ratinglist.period import Period
from ratinglist.publication import drafts
from ratinglist.settings import Settings
from ratinglist.store.database import Store
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import LoadSummary, MonthSummary, PreviewSummary, PublishSummary, Summary, typed_lines
from ratinglist.workflows import month
from ratinglist.workflows.load import find_delivery, load_delivery
from ratinglist.workflows.opening import open_to_write
from ratinglist.workflows.scheduled import largest_changes


def _done(loaded: LoadSummary | None, rated: MonthSummary) -> list[str]:
    """Return what was loaded and calculated; a reason that the month's summary names stands there alone."""
    return [*([loaded.text(refused_by=rated.refused)] if loaded else []), rated.text()]


@dataclass(frozen=True, slots=True)
class RunSummary(Summary):
    """A run: reports loaded, the month rated, the list published."""

    loaded: LoadSummary | None
    rated: MonthSummary
    published: PublishSummary

    def text(self) -> str:
        """Return the summary on one screen."""
        return "\n".join([*_done(self.loaded, self.rated), self.published.text()])


@dataclass(frozen=True, slots=True)
class RunPreview:
    """What a run would publish, for the person who decides. ``movers``: a line on the largest changes of each list."""

    loaded: LoadSummary | None
    rated: MonthSummary
    preview: PreviewSummary
    movers: list[str]

    def text(self) -> str:
        """Return what would be published, on one screen."""
        seen = self.preview
        return "\n".join(
            [
                *_done(self.loaded, self.rated),
                *(f"  largest  {line}" for line in self.movers),
                *(f"  {line}" for line in (*typed_lines(seen.typed), *seen.lines)),
                f"Not published yet: the list of {seen.month} would be {seen.revision}, digest {seen.digest[:12]}",
                f"  report   {seen.report}",
            ]
        )


Confirm = Callable[[RunPreview], bool]
"""Shows a person what would be published, and returns whether the person agrees."""


def run(
    settings: Settings,
    period: Period,
    paths: Sequence[Path] = (),
    received_on: date | None = None,
    because: Mapping[str, str] | None = None,
    confirm: Confirm | None = None,
) -> RunSummary:
    """Load what is delivered, rate the month and publish its list.

    ``confirm``: what asks a person before the list is published; None: it is published at once. The store is closed
    while the person thinks, and exactly what was shown is published, or nothing.

    Raises what the steps raise. Where people have to look at the list first, its preview is made, and the error states
    what was loaded and rated before it. Raises :class:`NotConfirmedError` where the person does not agree: then the
    list is kept as a preview.
    """
    settings.check_month(period)
    # What is delivered is found before the home is opened: until then no other command waits, and nothing is made.
    delivery = find_delivery(settings, paths, received_on) if paths else None
    # The store stays open from the first report to the last file, so that no other writer comes between.
    with open_to_write(settings) as store:
        # A mistyped month or family is found before its reports are received.
        month.check_can_be_calculated(store, settings, period)
        _check_received_for(settings, period, received_on)
        loaded = load_delivery(store, settings, delivery, received_on) if delivery else None
        if loaded is not None and loaded.known_ids:
            _check_is_no_earlier_delivery(store, period, loaded, paths)
        rated = month.rate(store, settings, month.judge(store, settings, period))
        try:
            ready = drafts.check(store, settings, period, because or {})
            if confirm is None:
                return RunSummary(loaded, rated, drafts.publish(store, settings, ready))
            shown = drafts.keep_preview(store, settings, ready)
        except CheckError as stopped:
            stopped.begin_with(_done(loaded, rated))
            raise
        movers, calculated = largest_changes(Path(shown.path)), store.calculated_here
    if shown.is_new and not confirm(RunPreview(loaded, rated, shown, movers)):
        raise NotConfirmedError(
            f"Nothing was published: the answer was no. What was loaded and calculated is kept, and the list is a "
            f"preview: {shown.report}\nTo publish it as it is: {shown.go_on}\nTo change it, correct what is wrong, "
            f"then give the same command again. See what is to be done with: ratinglist status"
        )
    with open_to_write(settings) as store:
        # This process has calculated it, and what was shown is what was calculated.
        store.calculated_here.update(calculated)
        ready = drafts.check(store, settings, period, because or {})
        return RunSummary(loaded, rated, drafts.publish(store, settings, ready, shown.digest))


def rate(settings: Settings, period: Period) -> MonthSummary:
    """Calculate a month's list for every time control, replacing what was calculated for it before.

    Raises what :func:`~ratinglist.workflows.month.judge` raises.
    """
    settings.check_month(period)
    with open_to_write(settings) as store:
        return month.rate(store, settings, month.judge(store, settings, period))


def _check_received_for(settings: Settings, period: Period, day: date | None) -> None:
    """Raise :class:`CommandLineError` where no report that arrives on ``day`` is one for the list of ``period``.

    The time of a list begins with the list before; up to two months more may have been missed.
    """
    settings.check_received_on(day)
    first = (rule_book().last_list(settings.family, period - 1) - 2).first_day
    if day is None or first <= day < period.first_day:
        return
    where = "long before" if day < first else "not before"
    raise CommandLineError(
        f"--received {day} is {where} the list of {period}: what counts on it arrived before {period.first_day}, and "
        f"not before {first}. Nothing was received. Correct the day; the days of older reports are given in "
        "manifest.csv (received_on)."
    )


def _check_is_no_earlier_delivery(store: Store, period: Period, loaded: LoadSummary, paths: Sequence[Path]) -> None:
    """Raise :class:`CheckError` where a delivery has nothing new and is that of an earlier month.

    Lists before have looked at every event of it, and most of these are settled. One that was deferred may count now.
    """
    with store.with_frames(delivered=pl.DataFrame({"report_id": loaded.known_ids})):
        events = store.read(
            """
            with code as (
                select distinct event_id from report semi join delivered using (report_id)
            )
            select code.event_id, max(event.month) as month,
                coalesce(bool_or(is_settled(event.status)), false) as is_over
            from code
            join report using (event_id)
            left join event on event.report_id = report.report_id and event.month < $month
            group by code.event_id
            """,
            month=str(period),
        )
    if events["month"].null_count() or 2 * int(events["is_over"].sum()) <= len(events):
        return
    months = events["month"].value_counts(sort=True, name="events").sort("month")
    lists = ", ".join(f"{month} ({count:,})" for month, count in months.iter_rows())
    raise CheckError(
        f"Nothing was calculated or published: every report in {', '.join(map(str, paths))} was received before "
        f"({loaded.files:,}), and earlier lists have looked at all their events: {lists}. If this is what came for "
        f"another month, give what came for this one: ratinglist run {period} FOLDER. If nothing else has come: "
        f"ratinglist run {period}"
    )
