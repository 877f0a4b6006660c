"""Tell people what scheduled runs do, by e-mail and webhook, each event once, and none lost while a receiver is down.

A notification is first written to ``HOME/notifications``, under a name made of the run and the event, then sent to each
receiver of ``[notify]`` in `office.toml`. The file keeps which receivers still miss it, so what could not be sent is
sent later: after the next event, and every minute by the service that looks after the runs. What cannot be written
because the disk is full is sent at once.

Published lists are those of the log that no notification names yet, whatever command published them.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ratinglist.config import Settings
from ratinglist.files.durable_files import TEMPORARY_PREFIX, replace_file
from ratinglist.files.folder_lock import locked_file
from ratinglist.files.private_files import make_private_folder
from ratinglist.number_text import listed
from ratinglist.workflows.announcement import announcements, newest_entry
from ratinglist.workflows.receivers import deliver, receivers_of

LONGEST_REST = 3600
"""How many seconds at most a receiver that does not answer is left alone."""

_SUBJECTS = {
    "incomplete": "published, but not all that belongs to it was made",
    "failed": "failed: an officer has to act",
    "cancelled": "ended without a list",
    "crashed": "was interrupted",
    "late": "is late: nothing runs it",
    "waiting": "waits for your decision",
}

_TO_DO = {
    "incomplete": "Make what is missing by hand: ratinglist report, ratinglist site.",
    "failed": "When it is put right, run the deployment again, or type: ratinglist run MONTH",
    "late": "Start what makes the lists: systemctl start ratinglist, or the worker. The run begins by itself.",
    "waiting": "Open the run, press Resume and give your reasons; or use the commands above.",
}
"""What people have to do, where the text does not say it."""

_SINCE = "since"
"""The file with the number of the log's newest entry when notifications began: older lists are no news."""

_SENT: set[tuple[Path, str]] = set()
"""What this process sent: the file of the notification and the receiver. A full disk keeps it from writing it down."""


@dataclass(frozen=True, slots=True)
class Notification:
    """What people are notified of, once.

    ``event``: ``published``, or one of those of a run. ``run``: the ID of the
    run in Prefect; empty where no run has to do with it. ``key``: tells the event from all others of its kind; by
    default the run. ``digest``: of the list that waits or was published. ``lists``: the keys of the published lists
    that it names (:class:`~ratinglist.workflows.announcement.Announcement`).
    """

    event: str
    run: str
    subject: str
    text: str
    key: str = ""
    digest: str = ""
    lists: tuple[str, ...] = ()

    @classmethod
    def of_run(
        cls, event: str, run: str, name: str, text: str, link: str, key: str = "", digest: str = ""
    ) -> Notification:
        """Return the notification of an event of a run. ``name``: of the run or its list. ``link``: to its page."""
        lines = [text, _TO_DO.get(event, ""), link]
        return cls(event, run, f"{name} {_SUBJECTS[event]}", "\n".join(one for one in lines if one), key, digest)

    @classmethod
    def of_office(cls, trouble: str, text: str, key: str) -> Notification:
        """Return the notification of trouble that no run has."""
        return cls("failed", "", f"{trouble}: an officer has to act", text, key)

    @property
    def file_name(self) -> str:
        """Return the name of the file in which it is kept: an event that has its file is not kept again."""
        return f"{re.sub('[^A-Za-z0-9-]', '-', f'{self.key or self.run}-{self.event}')}.json"


class Rests:
    """How long each receiver that does not answer is left alone: a minute, then twice as long each time."""

    def __init__(self) -> None:
        self._rests: dict[str, tuple[int, int]] = {}

    def has(self, receiver: str) -> bool:
        """Return whether a receiver is left alone now."""
        return _seconds() < self._rests.get(receiver, (0, 0))[0]

    def note(self, receiver: str, problem: str) -> None:
        """Note that a receiver took something, or did not answer."""
        seconds = min(2 * self._rests.pop(receiver, (0, 30))[1], LONGEST_REST)
        if problem:
            self._rests[receiver] = (_seconds() + seconds, seconds)


def notify(settings: Settings, about: Notification) -> list[str]:
    """Write a notification and send it; nothing is written where it is known, or where no receiver is set.

    Returns what :func:`send_all` does. Raises :class:`~ratinglist.errors.CommandLineError` where `office.toml` cannot
    be read: then the notification is kept, and sent once it can.
    """
    path = _folder(settings) / about.file_name
    if path.exists():
        # The service names what has ended in every round: what receivers miss of it is sent at its own pace.
        return []
    missing: list[str] | None = None
    try:
        missing = receivers_of(settings.office.notify)
    finally:
        problems = [] if missing == [] else _keep(settings, path, about, missing)
    return [*problems, *send_all(settings)]


def is_unkept(settings: Settings, about: Notification) -> bool:
    """Return whether this process sent a notification that it could not write."""
    path = _folder(settings) / about.file_name
    return not path.exists() and any(sent == path for sent, _ in _SENT)


def begin_telling(settings: Settings) -> None:
    """Note which lists were published before notifications began, where that is not noted: they are no news."""
    since = _folder(settings) / _SINCE
    if receivers_of(settings.office.notify) and not since.exists():
        make_private_folder(since.parent)
        replace_file(since, b"%d\n" % newest_entry(settings))


def tell_published(settings: Settings, run: str = "") -> list[str]:
    """Notify people, once, of all lists of the log that no notification names; return what could not be sent.

    ``run``: the ID of the run that published them. A process that does the same at this moment leaves nothing to do.
    """
    folder = _folder(settings)
    receivers = receivers_of(settings.office.notify)
    if not receivers:
        # Where receivers are set again one day, the lists up to then are no news.
        (folder / _SINCE).unlink(missing_ok=True)
        return []
    begin_telling(settings)
    problems: list[str] = []
    with _alone(folder, "telling") as alone:
        named = {key for path in _kept(folder) for key in _content(path).get("lists", ())}
        found = announcements(settings, int((folder / _SINCE).read_bytes()), named) if alone else []
        if found:
            months = sorted({one.month for one in found})
            subject = f"The list{'s' if len(months) > 1 else ''} of {listed(months)} published"
            text = "\n\n".join(one.text for one in found)
            keys = tuple(one.key for one in found)
            about = Notification("published", run, subject, text, keys[-1], found[-1].digest[:12], keys)
            problems = _keep(settings, folder / about.file_name, about, receivers)
    return [*problems, *send_all(settings)]


def send_all(settings: Settings, rests: Rests | None = None) -> list[str]:
    """Send what receivers still miss, oldest first; return why something could not be sent.

    ``rests``: which receivers are left alone for a time; None: none is. Another process that is sending already does it
    all: then nothing is done.
    """
    folder = _folder(settings)
    problems: list[str] = []
    with _alone(folder, "lock") as alone:
        for path in _kept(folder) if alone else []:
            problems += _send(settings, path, rests or Rests())
    return problems


def _keep(settings: Settings, path: Path, about: Notification, missing: list[str] | None) -> list[str]:
    """Write a notification; where it cannot be written, send it at once, and return what could not be sent."""
    kept = {name: value for name, value in asdict(about).items() if name != "key"}
    content = {**kept, "at": _now(), "missing": None if missing is None else _unsent(path, missing)}
    try:
        make_private_folder(path.parent)
        _write(path, content)
    except OSError:
        return [problem for one in content["missing"] or () if (problem := _deliver(settings, one, content, path))]
    return []


def _unsent(path: Path, receivers: list[str]) -> list[str]:
    return [one for one in receivers if (path, one) not in _SENT]


def _send(settings: Settings, path: Path, rests: Rests) -> Iterator[str]:
    """Send one notification to the receivers that miss it, and yield why one could not be reached.

    A receiver that was since removed from `office.toml` gets nothing.
    """
    office = settings.office.notify
    # One that an earlier version wrote has no time.
    content = {"at": _now(), **_content(path)}
    # `office.toml` could not be read when it happened.
    missing = receivers_of(office) if content["missing"] is None else content["missing"]
    left = _unsent(path, missing)
    if left != content["missing"]:
        # There was no room before.
        yield from _note(path, content, left)
    for receiver in (one for one in receivers_of(office) if one in left and not rests.has(one)):
        problem = _deliver(settings, receiver, content, path)
        rests.note(receiver, problem)
        if problem:
            yield problem
        else:
            # At once: where the process is killed before the next receiver, this one gets nothing twice.
            yield from _note(path, content, _unsent(path, missing))


def _deliver(settings: Settings, receiver: str, content: dict[str, Any], path: Path) -> str:
    """Send a notification to one receiver; return why it could not be sent; empty where it was."""
    problem = deliver(settings, receiver, content, path.stem)
    if not problem:
        _SENT.add((path, receiver))
    return problem


def _note(path: Path, content: dict[str, Any], missing: list[str]) -> Iterator[str]:
    """Write down which receivers still miss a notification; yield why it cannot be written."""
    try:
        _write(path, {**content, "missing": missing})
    except OSError as error:
        yield f"{path}: {error.strerror or error}. What was sent is written down once there is room."


def _write(path: Path, content: dict[str, Any]) -> None:
    replace_file(path, json.dumps(content, ensure_ascii=False).encode())


def _content(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_bytes())
    return content


def _kept(folder: Path) -> list[Path]:
    """Return the files of all notifications, oldest first."""
    whole = (path for path in folder.glob("*.json") if not path.name.startswith(TEMPORARY_PREFIX))
    return sorted(whole, key=lambda path: path.stat().st_mtime_ns)


@contextmanager
def _alone(folder: Path, name: str) -> Iterator[bool]:
    """Yield whether this process alone holds a lock of the folder now; false too where there is no folder.

    On a full disk an open file is locked all the same: the file is there since the first notification.
    """
    handle = locked_file(folder / name) if folder.is_dir() else None
    try:
        yield handle is not None
    finally:
        if handle is not None:
            os.close(handle)


def _seconds() -> int:
    return time.monotonic_ns() // 1_000_000_000


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _folder(settings: Settings) -> Path:
    return settings.home / "notifications"
