"""Tell people what scheduled runs do, by e-mail and webhook, each event once, and none lost while a receiver is down.

A notification is first written to ``HOME/notifications``, under a name made of the run and the event, then sent to each
receiver of ``[notify]`` in `office.toml`. The file keeps which receivers still miss it, so what could not be sent is
sent later: after the next event, and every minute by the service (:mod:`flows.service`). What cannot be written because
the disk is full is sent at once.

Published lists are those of the log that no notification names yet, whatever command published them.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from ratinglist.config import Settings
from ratinglist.config.office import NAME, NotificationPolicy
from ratinglist.files.durable_files import TEMPORARY_PREFIX, replace_file
from ratinglist.files.folder_lock import lock_file
from ratinglist.files.private_files import make_private_folder
from ratinglist.number_text import listed
from ratinglist.workflows import mail
from ratinglist.workflows.announcement import announcements, newest_entry
from ratinglist.workflows.mail import TIMEOUT, Mail, MailError

LONGEST_REST = 3600.0
"""How many seconds at most a receiver that does not answer is left alone."""

_SINCE = "since"
"""The file with the number of the log's newest entry when notifications began: older lists are no news."""

_SENT: set[tuple[Path, str]] = set()
"""What this process sent: the file of the notification and the receiver. A full disk keeps it from writing it down."""


@dataclass(frozen=True, slots=True)
class Notification:
    """What people are notified of, once.

    ``event``: ``waiting``, ``failed``, ``cancelled``, ``crashed``, ``late`` or ``published``. ``run``: the ID of the
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

    @property
    def file_name(self) -> str:
        """Return the name of the file in which it is kept: an event that has its file is not kept again."""
        return f"{re.sub('[^A-Za-z0-9-]', '-', f'{self.key or self.run}-{self.event}')}.json"


class Rests:
    """How long each receiver that does not answer is left alone: a minute, then twice as long each time."""

    def __init__(self) -> None:
        self._rests: dict[str, tuple[float, float]] = {}

    def has(self, receiver: str) -> bool:
        """Return whether a receiver is left alone now."""
        return time.monotonic() < self._rests.get(receiver, (0, 0))[0]

    def note(self, receiver: str, problem: str) -> None:
        """Note that a receiver took something, or did not answer."""
        seconds = min(2 * self._rests.pop(receiver, (0, 30))[1], LONGEST_REST)
        if problem:
            self._rests[receiver] = (time.monotonic() + seconds, seconds)


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
        missing = _receivers(settings.office.notify)
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
    if _receivers(settings.office.notify) and not since.exists():
        make_private_folder(since.parent)
        replace_file(since, b"%d\n" % newest_entry(settings))


def tell_published(settings: Settings, run: str = "") -> list[str]:
    """Notify people, once, of all lists of the log that no notification names; return what could not be sent.

    ``run``: the ID of the run that published them. A process that does the same at this moment leaves nothing to do.
    """
    folder = _folder(settings)
    receivers = _receivers(settings.office.notify)
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


def check_receivers(settings: Settings) -> None:
    """Raise :class:`SystemExit` where a receiver of `office.toml` cannot be right: it would be missed."""
    office = settings.office.notify
    pinged = [settings.office.on_call.ping_url] if settings.office.on_call.ping_url else []
    wrong = [
        f"{key}: {_shown(address)} is no address of a server that begins with https:// or http://"
        for key, addresses in (("webhooks", office.webhooks), ("ping_url", pinged))
        for address in addresses
        if not _is_address(address)
    ]
    if office.email:
        wrong += [
            f"{key}: '{address}' is no mail address: write one as name@example.org"
            for key, address in (*(("email", one) for one in office.email), ("sender", office.sender))
            if not re.fullmatch(r"[^\s@<>,;\x00-\x1f]+@[^\s@<>,;\x00-\x1f]+", address)
        ]
        if not re.fullmatch(r"[^\s/@]+", office.smtp_host):
            wrong.append(f"smtp_host: '{office.smtp_host}' is no name of a server: write one as mail.example.org")
        if trouble := mail.login_trouble(office, os.environ.get(mail.PASSWORD, "")):
            wrong.append(trouble)
    if wrong:
        listed = "\n".join(f"  {one}" for one in wrong)
        raise SystemExit(f"{settings.home / NAME}: not everybody could be notified:\n{listed}\nNothing was started.")


def _is_address(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and parts.port != 0
            and address.isprintable()
            and " " not in address
        )
    except ValueError:
        return False


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
    missing = _receivers(office) if content["missing"] is None else content["missing"]
    left = _unsent(path, missing)
    if left != content["missing"]:
        # There was no room before.
        yield from _note(path, content, left)
    for receiver in (one for one in _receivers(office) if one in left and not rests.has(one)):
        problem = _deliver(settings, receiver, content, path)
        rests.note(receiver, problem)
        if problem:
            yield problem
        else:
            # At once: where the process is killed before the next receiver, this one gets nothing twice.
            yield from _note(path, content, _unsent(path, missing))


def _note(path: Path, content: dict[str, Any], missing: list[str]) -> Iterator[str]:
    """Write down which receivers still miss a notification; yield why it cannot be written."""
    try:
        _write(path, {**content, "missing": missing})
    except OSError as error:
        yield f"{path}: {error.strerror or error}. What was sent is written down once there is room."


def _deliver(settings: Settings, receiver: str, content: dict[str, Any], path: Path) -> str:
    """Send a notification to one receiver; return why it could not be sent, without a secret; empty where it was.

    The subject begins with the name of the home: a receiver may have notifications of several offices.
    """
    subject = f"[ratinglist {settings.home.resolve().name}] {content['subject']}"
    send: Callable[..., None] = _mail if receiver.startswith("mailto:") else _post
    try:
        send(settings.office.notify, receiver.removeprefix("mailto:"), {**content, "id": path.stem, "subject": subject})
    except (MailError, OSError, httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        return _trouble(receiver, error)
    _SENT.add((path, receiver))
    return ""


def _trouble(receiver: str, error: Exception) -> str:
    """Return why a receiver could not be reached, without a secret: the address of a webhook is one."""
    if isinstance(error, httpx.HTTPStatusError):
        return f"{_shown(receiver)}: it answers {error.response.status_code} {error.response.reason_phrase}"
    text = str(getattr(error, "strerror", None) or error)
    return f"{_shown(receiver)}: {text.replace(receiver, _shown(receiver))}"


def ping(address: str) -> str:
    """Tell a receiver of pings that the office is looked after; return why it cannot be reached, without its secret."""
    try:
        httpx.get(address, timeout=TIMEOUT).raise_for_status()
    except (OSError, httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        return _trouble(address, error)
    return ""


def _shown(receiver: str) -> str:
    """Return a receiver as a log may have it: of an address of the web only the server, since the rest is a secret."""
    if receiver.startswith("mailto:"):
        return receiver
    try:
        parts = urlsplit(receiver)
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        return "an address that cannot be read"
    return f"{parts.scheme}://{parts.hostname}{port}/…" if parts.hostname else "an address without a server"


def _receivers(office: NotificationPolicy) -> list[str]:
    return [*(f"mailto:{one}" for one in office.email), *office.webhooks]


def _mail(office: NotificationPolicy, address: str, content: dict[str, Any]) -> None:
    written = datetime.fromisoformat(content["at"])
    with mail.connected(office) as server:
        mail.send(server, office, Mail(address, content["subject"], content["text"], content["id"], written))


def _post(_office: NotificationPolicy, address: str, content: dict[str, Any]) -> None:
    body = {name: content.get(name, "") for name in ("event", "run", "digest", "at", "subject", "text")}
    httpx.post(address, json=body, timeout=TIMEOUT).raise_for_status()


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
    if not folder.is_dir():
        yield False
        return
    with (folder / name).open("a") as lock:
        try:
            lock_file(lock.fileno())
        except BlockingIOError:
            yield False
            return
        yield True


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _folder(settings: Settings) -> Path:
    return settings.home / "notifications"
