"""Tell people what scheduled runs do, by e-mail and webhook, each event once, and none lost while a receiver is down.

A notification is first written to ``HOME/notifications``, under a name made of the run and the event, then sent to each
receiver of ``[notify]`` in `office.toml`. The file keeps which receivers still miss it, so what could not be sent is
sent later: after the next event, and every minute by the service (:mod:`flows.service`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from ratinglist.config import Settings
from ratinglist.config.office import NotificationPolicy
from ratinglist.files.durable_files import TEMPORARY_PREFIX, replace_file
from ratinglist.files.folder_lock import lock_file
from ratinglist.files.private_files import make_private_folder
from ratinglist.workflows import mail
from ratinglist.workflows.mail import TIMEOUT, Mail, MailError


@dataclass(frozen=True, slots=True)
class Notification:
    """What people are notified of, once.

    ``event``: ``waiting``, ``failed``, ``cancelled``, ``crashed``, ``late`` or ``published``. ``run``: the ID of the
    run in Prefect. ``key``: tells the event from all others of its kind; by default the run. ``digest``: of the list
    that waits or was published.
    """

    event: str
    run: str
    subject: str
    text: str
    key: str = ""
    digest: str = ""

    @property
    def file_name(self) -> str:
        """Return the name of the file in which it is kept: an event that has its file is not kept again."""
        return f"{re.sub('[^A-Za-z0-9-]', '-', f'{self.key or self.run}-{self.event}')}.json"


def notify(settings: Settings, about: Notification) -> list[str]:
    """Write a notification and send it; nothing is written where it is known, or where no receiver is set.

    Returns what :func:`send_all` does. Raises :class:`~ratinglist.errors.CommandLineError` where `office.toml` cannot
    be read: then the notification is kept, and sent once it can.
    """
    path = _folder(settings) / about.file_name
    missing: list[str] | None = None
    try:
        missing = _receivers(settings.office.notify)
    finally:
        if missing != [] and not path.exists():
            make_private_folder(path.parent)
            kept = {name: value for name, value in asdict(about).items() if name != "key"}
            _write(path, {**kept, "at": _now(), "missing": missing})
    return send_all(settings)


def is_known(settings: Settings, run: str) -> bool:
    """Return whether there was a notification of a run."""
    return any(_folder(settings).glob(f"{run}-*.json"))


def send_all(settings: Settings) -> list[str]:
    """Send what receivers still miss, oldest first; return why something could not be sent.

    Another process that is sending already does it all: then nothing is done.
    """
    folder = _folder(settings)
    problems: list[str] = []
    with _alone(folder) as alone:
        for path in sorted(folder.glob("*.json"), key=lambda one: one.stat().st_mtime_ns) if alone else []:
            if not path.name.startswith(TEMPORARY_PREFIX):
                problems += _send(settings, path)
    return problems


def _send(settings: Settings, path: Path) -> Iterator[str]:
    """Send one notification to the receivers that miss it, and yield why one could not be reached.

    A receiver that was since removed from `office.toml` gets nothing. The subject begins with the name of the home: a
    receiver may have notifications of several offices.
    """
    office = settings.office.notify
    # One that an earlier version wrote has no time.
    content = {"at": _now(), **json.loads(path.read_bytes())}
    sent = {**content, "id": path.stem, "subject": f"[ratinglist {settings.home.resolve().name}] {content['subject']}"}
    if content["missing"] is None:
        # `office.toml` could not be read when it happened.
        content = {**content, "missing": _receivers(office)}
        _write(path, content)
    for receiver in (one for one in _receivers(office) if one in content["missing"]):
        send: Callable[..., None] = _mail if receiver.startswith("mailto:") else _post
        try:
            send(office, receiver.removeprefix("mailto:"), sent)
        except (MailError, OSError, httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            yield f"{receiver}: {getattr(error, 'strerror', None) or error}"
            continue
        content = {**content, "missing": [one for one in content["missing"] if one != receiver]}
        _write(path, content)


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


@contextmanager
def _alone(folder: Path) -> Iterator[bool]:
    """Yield whether this process alone sends now; false too where there is nothing to send."""
    if not folder.is_dir():
        yield False
        return
    with (folder / "lock").open("w") as lock:
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
