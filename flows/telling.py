"""Tell people of published lists, at the addresses that ``[notify]`` of ``office.toml`` names, written as apprise does.

What is sent is noted afterwards, so each list is told at least once: what a run could not send, the next one sends.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from apprise import Apprise, NotifyFormat

from ratinglist.errors import CommandLineError, NothingReadError, RatinglistError, system_error_text
from ratinglist.settings import Settings
from ratinglist.summaries import Summary
from ratinglist.text import listed, visible
from ratinglist.workflows.scheduled import begin_telling, note_told, untold
from ratinglist_site import make


@dataclass(frozen=True, slots=True)
class Told(Summary):
    """The months whose lists people were told of. ``missing``: a sentence for each thing that could not be done."""

    months: list[str]
    missing: list[str]

    def text(self) -> str:
        """Return the months in a sentence, and what is missing."""
        news = f"People were told of {listed(self.months)}." if self.months else "There is no news."
        return "\n".join([news, *self.missing])


def tell_and_show(settings: Settings, *, site: bool) -> Told:
    """Tell people what they were not told yet, and make the site again; no list depends on either.

    ``site``: make it, where ``office.toml`` names a folder for it.
    """
    told = Told([], [])
    with _not_needed(told, "People could not be told"):
        told.months.extend(send_news(settings))
    with _not_needed(told, "The site could not be made"):
        if site and make.site_folder(settings) is not None:
            make.make_site(settings)
    return told


@contextmanager
def _not_needed(told: Told, failure: str) -> Iterator[None]:
    try:
        yield
    except (RatinglistError, OSError) as error:
        told.missing.append(visible(f"{failure}: {system_error_text(error) or error}"))


def send_news(settings: Settings) -> list[str]:
    """Send what is published and not yet told to every address, and note it where all of them took it.

    Returns the months of the lists. Raises :class:`NothingReadError` naming the addresses that did not take it; nothing
    is noted then.
    """
    begin_telling(settings)
    lists = untold(settings)
    months = sorted({published.month for published in lists})
    if not lists:
        return months
    title = f"[ratinglist {settings.home.resolve().name}] Published: {listed(months)}"
    text = "\n\n".join(published.text() for published in lists)
    missed = [
        name
        for name, address in _addresses(settings)
        if not Apprise(address).notify(body=text, title=title, body_format=NotifyFormat.TEXT)
    ]
    if missed:
        raise NothingReadError(f"{listed(missed)} took no message on {listed(months)}. The next run sends it again.")
    note_told(settings, lists[-1].entry)
    return months


def check_addresses(settings: Settings) -> None:
    """Raise :class:`CommandLineError` where ``office.toml`` names an address that apprise cannot read."""
    if wrong := [name for name, address in _addresses(settings) if Apprise.instantiate(address) is None]:
        raise CommandLineError(
            f"{settings.home / 'office.toml'}: {listed(wrong)} cannot be read as mailto://, json:// or another address "
            "of apprise. Nothing was started."
        )


def _addresses(settings: Settings) -> list[tuple[str, str]]:
    """Return the addresses, each with a name that has none of the secrets in it."""
    return [(f"address {number} of [notify]", text) for number, text in enumerate(settings.office.notify.to, 1)]
