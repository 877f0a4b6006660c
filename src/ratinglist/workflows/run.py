"""Load reports, rate the month and publish its list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path

import polars as pl

from ratinglist.config import Settings
from ratinglist.errors import CheckError, NotConfirmedError
from ratinglist.period import Period
from ratinglist.publication import drafts
from ratinglist.run_summary import RunPreview, RunSummary
from ratinglist.store import player_history
from ratinglist.store.database import Store
from ratinglist.summaries import PreviewSummary, PublishSummary
from ratinglist.workflows import publish
from ratinglist.workflows.load import load_reports
from ratinglist.workflows.opening import open_to_write
from ratinglist.workflows.rate import RatedMonth, calculate, check_can_be_calculated, opened

Confirm = Callable[[RunPreview], bool]
"""Shows a person what would be published, and returns whether the person agrees."""

_MOVERS = 3
"""How many players with the largest gains and losses are shown before the question."""


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
    # The store stays open from the first report to the last file, so that no other writer comes between.
    with opened(settings) as engine, open_to_write(settings) as store:
        # A mistyped month or family is found before its reports are received.
        check_can_be_calculated(store, settings, period)
        if engine is not None:
            store.bound_memory()
        loaded = load_reports(store, settings, paths, received_on) if paths else None
        rated = calculate(store, settings, period, engine=engine)
        try:
            made = _publish_or_preview(store, settings, rated, because or {}, preview=confirm is not None)
        except CheckError as stopped:
            done = [one.text() for one in (loaded, rated.summary) if one is not None]
            raise type(stopped)("\n".join([*done, str(stopped)])) from None
        movers = _movers(store, rated) if isinstance(made, PreviewSummary) else []
    if isinstance(made, PublishSummary):
        return RunSummary(loaded, rated.summary, made)
    if made.is_new and confirm is not None and not confirm(RunPreview(loaded, rated.summary, made, movers)):
        raise NotConfirmedError(
            f"Nothing was published: the answer was no. What was loaded and calculated is kept, and the list is a "
            f"preview: {made.report}\nTo publish it as it is: {made.go_on}\nTo change it, correct what is wrong, then "
            f"give the same command again. See what is to be done with: ratinglist status"
        )
    published = publish.publish(settings, period, digest=made.digest)
    return RunSummary(loaded, rated.summary, published)


def _publish_or_preview(
    store: Store, settings: Settings, rated: RatedMonth, reasons: Mapping[str, str], *, preview: bool
) -> PublishSummary | PreviewSummary:
    """Publish the list, or only make its ``preview``."""
    if preview:
        return drafts.preview_calculation(store, settings, rated.calculation, reasons, players=rated.players)
    return drafts.publish_calculation(
        store, settings, rated.calculation, reasons, players=rated.players, keep_preview=True
    )


def _movers(store: Store, rated: RatedMonth) -> list[str]:
    """Return a line on the largest changes of each time control; none where no rating changed."""
    players = player_history.players_of(store, rated.calculation.period) if rated.players is None else rated.players
    changes = (
        rated.calculation.folder.read_table("changes")
        .filter(pl.col("status") == "rated", pl.col("change") != 0)
        .join(players.select("fide_id", "name"), on="fide_id", how="left")
        .sort("change", "fide_id", descending=[True, False])
    )
    lines = []
    for control in changes["time_control"].unique().sort():
        moved = changes.filter(pl.col("time_control") == control).select("change", "name", "new_rating")
        most = pl.concat([moved.head(_MOVERS), moved.tail(max(min(_MOVERS, len(moved) - _MOVERS), 0))])
        texts = [f"{change:+} {name} ({rating})" for change, name, rating in most.iter_rows()]
        lines.append(f"{control}: {', '.join(texts)}")
    return lines
