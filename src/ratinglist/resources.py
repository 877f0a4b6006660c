"""Where the program's own text files are: the SQL, the rule sets and the tables.

People read them at the top of the source tree, so they stay there; a wheel carries them inside the package. Nothing
else in the package knows about the two places.
"""

from __future__ import annotations

from pathlib import Path

from ratinglist.errors import NothingReadError

_PACKAGE = Path(__file__).resolve().parent


def sql(folder: str) -> Path:
    """The folder ``sql/<folder>`` of the program; raises :class:`NothingReadError` where it is missing."""
    return _folder("sql", folder)


def data(folder: str) -> Path:
    """The folder ``data/<folder>`` of the program; raises :class:`NothingReadError` where it is missing."""
    return _folder("data", folder)


def _folder(kind: str, folder: str) -> Path:
    in_wheel = _PACKAGE / f"_{kind}" / folder
    in_checkout = _PACKAGE.parents[1] / kind / folder
    for place in (in_wheel, in_checkout):
        if place.is_dir():
            return place
    raise NothingReadError(
        f"The program's own folder {kind}/{folder} is missing (looked for {in_wheel} and {in_checkout}): "
        "install ratinglist again."
    )
