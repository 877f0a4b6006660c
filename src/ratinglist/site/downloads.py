"""Put the files of the newest list into a site: as they are published, and exported in other formats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ratinglist.durable_files import sha256_of
from ratinglist.publication.manifest import MANIFEST, SIGNATURE
from ratinglist.site.folder import SiteFolder
from ratinglist.site.published_months import PublishedMonth


class Download(NamedTuple):
    """A file that readers may download: its name, its address in the site, its size and its digest."""

    name: str
    address: str
    bytes: int
    sha256: str


def put_downloads(
    folder: SiteFolder, month: PublishedMonth, export_into: Callable[[Path], list[Path]]
) -> list[Download]:
    """Copy the files of a revision into the site, and export its lists next to them.

    ``export_into``: writes files into a folder, and returns them.
    """
    place = f"files/{month.name}-{month.folder.name}"
    target = folder.draft / place
    target.mkdir(parents=True)
    signature = [SIGNATURE] if (month.folder / SIGNATURE).is_file() else []
    names = sorted([*month.manifest.files, MANIFEST, *signature])
    for name in names:
        folder.copy(month.folder / name, f"{place}/{name}")
    exported = export_into(target)
    for path in exported:
        folder.count(path)
    paths = {**{name: target / name for name in names}, **{path.name: path for path in exported}}
    return [Download(name, f"{place}/{name}", path.stat().st_size, sha256_of(path)) for name, path in paths.items()]
