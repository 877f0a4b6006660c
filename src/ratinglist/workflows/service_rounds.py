"""The rounds of the service that looks after an office: what it cannot do is noted, and people are notified of it."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from datetime import UTC, datetime

from ratinglist.config import Settings
from ratinglist.errors import RatinglistError
from ratinglist.workflows import service_trace
from ratinglist.workflows.notifications import Notification, Rests, notify, send_all
from ratinglist.workflows.receivers import ping


class ServiceRounds:
    """The rounds of an office. ``settings``: those of the start; they are read again in every round."""

    def __init__(self, settings: Settings) -> None:
        # Read now: these choices hold where the file cannot be used later.
        _ = settings.office
        self._settings = settings
        self._rests = Rests()
        self._disk_full = ""

    def go_round(self, look_after_runs: Callable[[Settings], list[str]]) -> list[str]:
        """Do once what is due; return what could not be done.

        ``look_after_runs``: returns that too. The office is pinged where everything was done.
        """
        problems = self._read_settings()
        for work in (look_after_runs, self._send):
            try:
                problems += work(self._settings)
            except (RatinglistError, OSError) as error:
                problems.append(str(error))
            except Exception as error:
                # A service that ended here would be missed only when a list is.
                logging.getLogger(__name__).exception("The office could not be looked after")
                problems.append(repr(error))
        address = self._settings.office.on_call.ping_url
        if address and not problems and (trouble := ping(address)):
            problems.append(trouble)
        return [*problems, *self._note(problems)]

    def _send(self, settings: Settings) -> list[str]:
        return send_all(settings, self._rests)

    def _read_settings(self) -> list[str]:
        """Read the settings again; where `office.toml` cannot be used, notify people by those of before."""
        try:
            settings = Settings.read(home=self._settings.home, family=self._settings.family)
            _ = settings.office
        except RatinglistError as error:
            key = f"office-{hashlib.sha256(str(error).encode()).hexdigest()[:16]}"
            text = f"{error}\nUntil then the choices of before hold for the service, and no list can be made."
            return [str(error), *self._notify("office.toml cannot be used", text, key)]
        self._settings = settings
        return []

    def _note(self, problems: list[str]) -> list[str]:
        """Leave the trace of a round. A server that has no room either knows of no failed run."""
        home, now = self._settings.home, datetime.now(UTC)
        try:
            service_trace.note_round(home, f"{now:%Y-%m-%d %H:%M} UTC", problems)
        except OSError as error:
            # The trace of the round before stays.
            self._disk_full = self._disk_full or f"office-{now:%Y-%m-%d-%H-%M}"
            text = f"{home}: {error.strerror or error}. No list can be made until there is room."
            return self._notify("The office cannot write", text, self._disk_full)
        self._disk_full = ""
        return []

    def _notify(self, trouble: str, text: str, key: str) -> list[str]:
        """Notify people once, best effort. ``key``: of the trouble."""
        try:
            return notify(self._settings, Notification.of_office(trouble, text, key))
        except (RatinglistError, OSError) as error:
            return [f"{trouble}: {error}"]
