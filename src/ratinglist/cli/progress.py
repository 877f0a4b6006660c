"""Progress of a command on stderr: a bar on a terminal, a line a second in a log. Nothing in the first half second."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from threading import RLock, Timer
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

Clock = Callable[[], datetime]

_QUICK = timedelta(milliseconds=500)
"""How long a command shows nothing: one that ends before needs no progress."""


def local_time() -> datetime:
    """Return the time by the clock of this machine."""
    return datetime.now().astimezone()


class Progress:
    """Receives the progress of a command (:data:`~ratinglist.settings.Progress`) and shows it.

    On a terminal each step is a bar with its time, and all are removed before the result is printed. Elsewhere, or on a
    terminal that cannot move its cursor, a line is printed at most once a second. The first step is shown half a second
    after the command began.
    """

    _shown: Progress | None = None
    """The one that has bars on the terminal, or will have them soon."""

    def __init__(self, clock: Clock = local_time) -> None:
        self._clock = clock
        self._started = clock()
        self._last_shown = self._started + _QUICK - timedelta(seconds=1)
        self._on_terminal = sys.stderr.isatty() and os.environ.get("TERM", "dumb") not in ("", "dumb")
        self._bars: Bars | None = None
        self._steps: dict[str, TaskID] = {}
        self._newest: tuple[str, int, int] | None = None
        self._timer: Timer | None = None
        self._lock = RLock()

    def __call__(self, what: str, done: int, of: int) -> None:
        """Show how many of how many are done."""
        now = self._clock()
        if self._on_terminal:
            with self._lock:
                self._newest = (what, done, of)
                if self._bars is not None:
                    self._show_bar(what, done, of)
                elif self._timer is None:
                    # A step may take long without another call: a thread shows it.
                    self._timer = Timer(max((self._started + _QUICK - now).total_seconds(), 0), self._begin)
                    self._timer.daemon = True
                    self._timer.start()
                    Progress._shown = self
        elif (now - self._last_shown).total_seconds() >= 1:
            self._last_shown = now
            counted = f" {done:,} of {of:,}" if of > 1 else ""
            click.echo(f"{(now - self._started).total_seconds():5.0f} s  {what}{counted}", file=sys.stderr)

    def _begin(self) -> None:
        """Show the newest step, unless the command has ended."""
        with self._lock:
            if self._timer is not None and self._newest is not None:
                self._show_bar(*self._newest)

    def _show_bar(self, what: str, done: int, of: int) -> None:
        # Imported here, because most commands end before there is anything to show.
        from rich.console import Console
        from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bars

        if self._bars is None:
            columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn())
            counts = (TextColumn("{task.fields[counted]}"), TimeElapsedColumn())
            self._bars = Bars(*columns, *counts, console=Console(file=sys.stderr), transient=True)
            self._bars.start()
        if what not in self._steps:
            # A step that begins is the end of those before it.
            for step in self._steps.values():
                self._bars.update(step, visible=False)
            self._steps[what] = self._bars.add_task(what, total=None, counted="")
        # A step of one part has no share that is done: its bar moves until the next step begins.
        counted, total = (f"{done:,} of {of:,}", of) if of > 1 else ("", None)
        self._bars.update(self._steps[what], completed=done, total=total, counted=counted, visible=True)

    def end(self) -> None:
        """Remove the bars; those of a later step begin at once."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._bars is not None:
                self._bars.stop()
                self._bars = None
                self._steps.clear()


def end_progress() -> None:
    """Remove the bars from the terminal, where there are any; called before anything is printed."""
    if Progress._shown is not None:
        Progress._shown.end()
        Progress._shown = None


def show_cursor() -> None:
    """Show the cursor of a terminal, which the bars hide: called by a command that ends at once."""
    if Progress._shown is not None and sys.stderr.isatty():
        os.write(2, b"\r\x1b[2K\x1b[?25h")
