"""The list of a month as a Prefect flow of six tasks, and first the lists that were missed before it.

The flow decides nothing about ratings. Prefect adds retries while the store is in use, a schedule, what an office reads
on the dashboard, and a wait for the people who decide. Each task opens the home and closes it, so that it is free while
the flow waits.

The module itself starts nothing. ``python -m flows.serve --home HOME`` makes the list on its schedule, and from the
dashboard; in Python ``monthly("2025-11", home="HOME")`` makes it at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State

from flows import decision
from flows.decision import Answer, StillOpen, decided
from flows.refused import refused_as_markdown
from flows.schedule import lists_due, run_name, settings_of
from flows.tasks import Parts, counted, task, with_news
from flows.telling import tell_and_show
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.workflows import month as steps, publish as command
from ratinglist.workflows.load import find_delivery, load_delivery
from ratinglist.workflows.opening import open_to_read, open_to_write


@flow(name="monthly", flow_run_name=run_name)
@with_news
def monthly(
    month: str | None = None,
    reports: str | None = None,
    home: str | None = None,
    rules: str | None = None,
    received: date | None = None,
) -> Parts:
    """Receive ``reports``, where given, then make the list of ``month``, and before it the lists missed.

    Returns the summary of each list. Ends as failed with an error of :mod:`ratinglist.errors`, as cancelled where
    people rejected a list.

    Args:
        month: The list that takes effect on the first of this month, as 2025-11. Those missed before it are made first.
            Empty: the newest list whose closing date had passed when this run was due.
        reports: Loaded first: a file, a folder or a zip on the machine of the runs. Empty: what was loaded before.
        home: The directory of the office. Empty: as for every command.
        rules: The family of rules. Empty: that of the newest list.
        received: The day on which these reports arrived. Empty: today.

    """
    settings = settings_of(home, rules)
    periods = lists_due(settings, month)
    yield tell(settings)  # of what an interrupted run published
    try:
        ingest(settings, reports, received)
        for period in periods:
            judge(settings, period)
            rate(settings, period)
            decision = decided(settings, f"the list of {period}", str(period), partial(check, settings, period))
            yield publish(settings, period, decision.reasons)
    finally:
        yield tell(settings, site=True)


@task("ingest")
def ingest(settings: Settings, reports: str | None, received: date | None = None) -> State[Any]:
    """Receive the reports of a delivery: keep their bytes, read them, add them to the store."""
    if reports is None or (Path(reports).is_dir() and not any(Path(reports).iterdir())):
        return counted(settings, "ingest", None, "No report is delivered with this run.")
    delivery = find_delivery(settings, [Path(reports)], received)
    with open_to_write(settings) as store:
        loaded = load_delivery(store, settings, delivery, received)
    return counted(settings, "ingest", loaded, loaded.text())


@task("judge {period}")
def judge(settings: Settings, period: Period) -> State[Any]:
    """Judge every event that the list knows: rated, or why not. Nothing is written."""
    with open_to_read(settings) as store:
        verdicts = steps.verdicts(steps.judge(store, settings, period))
    return counted(settings, f"judge {period}", verdicts, steps.verdicts_text(verdicts))


@task("rate {period}")
def rate(settings: Settings, period: Period) -> State[Any]:
    """Calculate the list; the artifact names the reports that are refused."""
    with open_to_write(settings) as store:
        summary = steps.rate(store, settings, steps.judge(store, settings, period))
    return counted(settings, f"rate {period}", summary, summary.text(), refused_as_markdown(period, summary))


@task("check {period}")
def check(
    settings: Settings, period: Period, seen: StillOpen | None = None, answer: Answer | None = None
) -> State[Any]:
    """Check the calculated list, with the answer of people to what was ``seen``; the artifact is the report on it."""
    result = decision.check(settings, period, seen, answer)
    return counted(settings, f"check {period}", result, result.text(), decision.report(result))


@task("publish {period}")
def publish(settings: Settings, period: Period, reasons: Mapping[str, str]) -> State[Any]:
    """Check the list once more, and let readers see it."""
    published = command.publish(settings, period, reasons)
    return counted(settings, f"publish {period}", published, f"{published.text()} (digest {published.digest})")


@task("tell")
def tell(settings: Settings, *, site: bool = False) -> State[Any]:
    """Tell people of the lists that they were not told of, and make the ``site`` again."""
    told = tell_and_show(settings, site=site)
    return counted(settings, "tell", told, told.text())
