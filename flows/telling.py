"""Tell people of published lists, at the addresses that ``[notify]`` of ``office.toml`` names, written as apprise does.

What is sent is noted afterwards, so each list is told at least once: what a run could not send, the next one sends.
"""

from __future__ import annotations

from dataclasses import dataclass

from apprise import Apprise, NotifyFormat

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.number_text import listed
from ratinglist.settings import Settings
from ratinglist.summaries import Summary
from ratinglist.workflows.untold import begin_telling, note_told, untold


@dataclass(frozen=True, slots=True)
class Told(Summary):
    """The months whose lists people were told of."""

    months: list[str]

    def text(self) -> str:
        """Return the months in a sentence."""
        return f"People were told of {listed(self.months)}." if self.months else "There is no news."


def tell(settings: Settings) -> Told:
    """Send what is published and not yet told to every address, and note it where all of them took it.

    Raises :class:`NothingReadError` naming the addresses that did not take it; nothing is noted then.
    """
    begin_telling(settings)
    lists = untold(settings)
    months = sorted({published.month for published in lists})
    if not lists:
        return Told(months)
    plural = "s" if len(months) > 1 else ""
    title = f"[ratinglist {settings.home.resolve().name}] The list{plural} of {listed(months)} published"
    text = "\n\n".join(published.text() for published in lists)
    missed = [name for name, address in _addresses(settings) if not _send(address, title, text)]
    if missed:
        raise NothingReadError(f"{listed(missed)} took no message on {listed(months)}. The next run sends it again.")
    note_told(settings, lists[-1].entry)
    return Told(months)


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


def _send(address: str, title: str, text: str) -> bool:
    receiver = Apprise()
    receiver.add(address)
    return bool(receiver.notify(body=text, title=title, body_format=NotifyFormat.TEXT))
