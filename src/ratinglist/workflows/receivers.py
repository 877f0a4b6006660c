"""Reach the receivers that ``office.toml`` names: mail addresses, webhooks and the address that is pinged.

No text has a secret: of an address of the web it names the server alone.
"""

from __future__ import annotations

import os
import re
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import httpx

from ratinglist.config import Settings
from ratinglist.config.office import NAME, NotificationPolicy
from ratinglist.errors import CommandLineError
from ratinglist.workflows import mail
from ratinglist.workflows.mail import TIMEOUT, Mail, MailError

_MAIL = "mailto:"


def receivers_of(office: NotificationPolicy) -> list[str]:
    """Return the receivers of notifications, as addresses."""
    return [*(f"{_MAIL}{one}" for one in office.email), *office.webhooks]


def deliver(settings: Settings, receiver: str, content: dict[str, Any], key: str) -> str:
    """Send a notification to one receiver; return why it could not be sent; empty where it was.

    The subject begins with the name of the home: a receiver may have notifications of several offices. ``key``: the
    same for the same notification, so that a receiver of mail that gets it twice can tell.
    """
    office = settings.office.notify
    stated = {**content, "subject": f"[ratinglist {settings.home.resolve().name}] {content['subject']}"}
    try:
        if receiver.startswith(_MAIL):
            to, written = receiver.removeprefix(_MAIL), datetime.fromisoformat(stated["at"])
            with mail.connected(office) as server:
                mail.send(server, office, Mail(to, stated["subject"], stated["text"], key, written))
        else:
            body = {name: stated.get(name, "") for name in ("event", "run", "digest", "at", "subject", "text")}
            httpx.post(receiver, json=body, timeout=TIMEOUT).raise_for_status()
    except (MailError, OSError, httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        return _trouble(receiver, error)
    return ""


def ping(address: str) -> str:
    """Tell a receiver of pings that the office is looked after; return why it cannot be reached."""
    try:
        httpx.get(address, timeout=TIMEOUT).raise_for_status()
    except (OSError, httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        return _trouble(address, error)
    return ""


def check_receivers(settings: Settings) -> None:
    """Raise :class:`CommandLineError` where a receiver of `office.toml` cannot be right: it would be missed."""
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
        lines = "\n".join(f"  {one}" for one in wrong)
        raise CommandLineError(
            f"{settings.home / NAME}: not everybody could be notified:\n{lines}\nNothing was started."
        )


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


def _trouble(receiver: str, error: Exception) -> str:
    """Return why a receiver could not be reached, without a secret: the address of a webhook is one."""
    if isinstance(error, httpx.HTTPStatusError):
        return f"{_shown(receiver)}: it answers {error.response.status_code} {error.response.reason_phrase}"
    text = str(getattr(error, "strerror", None) or error)
    return f"{_shown(receiver)}: {text.replace(receiver, _shown(receiver))}"


def _shown(receiver: str) -> str:
    """Return a receiver as a log may have it: of an address of the web only the server, since the rest is a secret."""
    if receiver.startswith(_MAIL):
        return receiver
    try:
        parts = urlsplit(receiver)
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        return "an address that cannot be read"
    return f"{parts.scheme}://{parts.hostname}{port}/…" if parts.hostname else "an address without a server"
