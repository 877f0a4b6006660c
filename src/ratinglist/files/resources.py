"""The folders of the program's own text files: the SQL, the rule sets and the tables.

In the source tree they are at the top, where people read them; in a wheel they are inside the package. No other module
knows about the two places.
"""

from __future__ import annotations

from pathlib import Path

from ratinglist.errors import NothingReadError

_PACKAGE = Path(__file__).resolve().parents[1]


def sql(folder: str) -> Path:
    """Return the folder ``sql/<folder>`` of the program; raise :class:`NothingReadError` where it is missing."""
    return _folder_of("sql", folder)


def data(folder: str) -> Path:
    """Return the folder ``data/<folder>`` of the program; raise :class:`NothingReadError` where it is missing."""
    return _folder_of("data", folder)


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
