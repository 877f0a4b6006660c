"""The sentences of the program (``messages.toml``): what the codes say that it publishes, and what `explain` prints."""

from __future__ import annotations

import pkgutil
import tomllib
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

Message = TypeVar("Message")


@cache
def _sections() -> dict[str, dict[str, Any]]:
    return tomllib.loads((pkgutil.get_data("ratinglist", "messages.toml") or b"").decode())


def messages(section: str, kind: Callable[..., Message]) -> dict[str, Message]:
    """Return the messages of a section by code, in their order; ``kind``: makes one of the keys that the file has."""
    return {code: kind(**texts) for code, texts in _sections()[section].items()}


def sentences(section: str) -> dict[str, str]:
    """Return the sentences of a section that has nothing else, by name."""
    return dict(_sections()[section])
