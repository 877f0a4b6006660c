"""Pack the site of the documents: `python deploy/documents.py build/docs dist/ratinglist-0.9.0-docs.zip`.

The same pages make the same bytes: files in the order of their names, all of one day.
"""

from __future__ import annotations

import sys
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

OF_THE_BUILD = (".doctrees", ".buildinfo")
FIRST_PAGE = "docs/index.html"
TO_FIRST_PAGE = (
    f'<!doctype html><meta http-equiv="refresh" content="0; url={FIRST_PAGE}"><a href="{FIRST_PAGE}">Documents</a>'
)


def pack(site: Path, archive: Path) -> None:
    """Write the files of ``site`` to ``archive``, in a folder of the name of the archive, with a page that opens it."""
    with ZipFile(archive, "w") as packed:
        packed.writestr(ZipInfo(f"{archive.stem}/index.html"), TO_FIRST_PAGE, ZIP_DEFLATED)
        for path in sorted(path for path in site.rglob("*") if path.is_file()):
            name = path.relative_to(site)
            if name.parts[0] not in OF_THE_BUILD:
                packed.writestr(ZipInfo(f"{archive.stem}/{name.as_posix()}"), path.read_bytes(), ZIP_DEFLATED)


if __name__ == "__main__":
    pack(Path(sys.argv[1]), Path(sys.argv[2]))
