"""The command that publishes a list: ``publish`` for one month, or ``rerate`` for every month from one on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from ratinglist.period import Period

_PUBLISH = "ratinglist publish "
_RERATE = "ratinglist rerate --from "


@dataclass(frozen=True, slots=True)
class PublishingCommand:
    """The command that publishes a list.

    ``month``: the list published, or the first list rated again. ``is_rerate``: only a re-rating writes the diff of a
    corrected list, so only it publishes its own previews.
    """

    month: Period
    is_rerate: bool = False

    def __str__(self) -> str:
        """Return the command as it is typed."""
        return f"{_RERATE if self.is_rerate else _PUBLISH}{self.month}"

    @property
    def preview(self) -> str:
        """Return the command, as it is typed, that makes the preview again."""
        return str(self) if self.is_rerate else f"{self} --preview"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the command that ``str`` printed: the store keeps it as text."""
        is_rerate = text.startswith(_RERATE)
        return cls(Period.parse(text.removeprefix(_RERATE if is_rerate else _PUBLISH)), is_rerate)
