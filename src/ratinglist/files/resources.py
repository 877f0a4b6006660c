"""The folders of the program's own text files: the SQL, the rule sets and the tables.

In the source tree they are at the top, where people read them; in a wheel they are inside the package. No other module
knows about the two places.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from ratinglist.errors import CommandLineError, NothingReadError

_PACKAGE = Path(__file__).resolve().parents[1]


def sql(folder: str) -> Path:
    """Return the folder ``sql/<folder>`` of the program; raise :class:`NothingReadError` where it is missing."""
    return _folder_of("sql", folder)


def data(folder: str) -> Path:
    """Return the folder ``data/<folder>`` of the program; raise :class:`NothingReadError` where it is missing."""
    return _folder_of("data", folder)


def languages(folder: str) -> list[str]:
    """Return the languages that ``data/<folder>`` has texts for, each in a TOML file of its name."""
    return sorted(path.stem for path in data(folder).glob("*.toml"))


def texts(folder: str, language: str) -> dict[str, Any]:
    """Return the texts of ``data/<folder>`` in a language; raise :class:`CommandLineError` where there are none."""
    known = languages(folder)
    if language not in known:
        raise CommandLineError(f"There are no texts in '{language}'; there are: {', '.join(known)}.")
    return tomllib.loads((data(folder) / f"{language}.toml").read_text(encoding="utf-8"))


def _folder_of(kind: str, folder: str) -> Path:
    """Return a folder of the program's files; raise :class:`NothingReadError` where it is missing."""
    in_wheel = _PACKAGE / f"_{kind}" / folder
    in_checkout = _PACKAGE.parents[1] / kind / folder
    for path in (in_wheel, in_checkout):
        if path.is_dir():
            return path
    raise NothingReadError(
        f"The program's own folder {kind}/{folder} is missing (looked for {in_wheel} and {in_checkout}): "
        "install ratinglist again."
    )
