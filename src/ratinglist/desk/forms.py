"""Read a form: its fields, and the files that were dropped into it, which are written into a folder.

The body goes to a temporary file first, so that a delivery as large as the limits allow takes no memory.
"""

from __future__ import annotations

import mmap
import re
import secrets
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from tempfile import TemporaryFile
from typing import IO
from urllib.parse import parse_qsl, unquote

from starlette.requests import Request

from ratinglist.errors import CommandLineError
from ratinglist.limits import ARCHIVE_BYTES, ARCHIVE_ENTRIES, FOLDER_DEPTH, MIB, PATH_LENGTH

FIELD_BYTES = MIB
"""Bytes of a field of a form, and of a form without files."""
_NAME_BYTES = 255
_BOUNDARY = re.compile(r'multipart/form-data;.*boundary="?([^";]{1,200})"?', re.IGNORECASE)
_NAMED = re.compile(r'\bname="([^"]*)"')
_FILE = re.compile(r'\bfilename="([^"]*)"')


class Form(dict[str, str]):
    """The fields of a form by name, without blanks around them.

    ``place``: a folder of its own, which is not there yet. ``folder``: the same where files were sent; else None.
    """

    folder: Path | None = None

    def __init__(self, place: Path) -> None:
        super().__init__()
        self.place = place

    def text(self, name: str) -> str:
        """Return a field; empty where the form does not have it."""
        return self.get(name, "")

    def needed(self, name: str, what: str) -> str:
        """Return a field that may not be empty; ``what``: how a person calls it."""
        if not self.get(name):
            raise CommandLineError(f"{what}: nothing was filled in. Nothing was changed.")
        return self[name]


async def read_form(request: Request, secret: str, folder: Path) -> Form:
    """Read the form of a request; its files are written into ``folder``, which is made where there are any.

    Raises :class:`CommandLineError` where the form is not one of the desk's pages, or is over a limit.
    """
    kind = request.headers.get("content-type", "")
    boundary = _BOUNDARY.fullmatch(kind)
    with TemporaryFile() as body:
        await _spool(request, body, ARCHIVE_BYTES if boundary else FIELD_BYTES)
        form = Form(folder)
        if boundary:
            _read_parts(body, boundary[1], form)
        else:
            body.seek(0)
            text = body.read().decode("utf-8", "replace")
            form.update((name, value.strip()) for name, value in parse_qsl(text, keep_blank_values=True))
    if not secrets.compare_digest(form.pop("secret", "").encode(), secret.encode()):
        raise CommandLineError(
            "This form is not of a page that is open now: load the page again, and fill it in again."
        )
    return form


async def _spool(request: Request, body: IO[bytes], limit: int) -> None:
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > limit:
            raise CommandLineError(
                f"More than {limit // MIB:,} MiB were sent at once. Nothing was kept. Send fewer files at a time, or "
                "load the folder with: ratinglist load FOLDER"
            )
        body.write(chunk)
    body.flush()


def _read_parts(body: IO[bytes], boundary: str, form: Form) -> None:
    if body.tell() == 0:
        return
    with mmap.mmap(body.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for head, start, end in _parts(data, b"--" + boundary.encode()):
            name, file = _NAMED.search(head), _FILE.search(head)
            if file is None:
                if end - start > FIELD_BYTES:
                    raise CommandLineError("A field of the form is too long. Nothing was changed.")
                form[name[1] if name else ""] = data[start:end].decode("utf-8", "replace").strip()
            elif file[1]:
                form.folder = form.place
                place = form.place / _safe_path(unquote(file[1]) if "%22" in file[1] else file[1])
                _write(place, data[start:end])


def _write(place: Path, content: bytes) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        raise CommandLineError(
            f"{place.name}: a file and a folder of one name cannot be kept. Nothing was loaded. Send each by itself."
        ) from None


def _parts(data: mmap.mmap, line: bytes) -> Iterator[tuple[str, int, int]]:
    """Yield the head of each part, and where its content begins and ends."""
    at = data.find(line)
    for _ in range(ARCHIVE_ENTRIES):
        head_end = data.find(b"\r\n\r\n", at)
        end = data.find(b"\r\n" + line, at + len(line))
        if at < 0 or head_end < 0 or end < 0:
            return
        yield data[at + len(line) : head_end].decode("utf-8", "replace"), head_end + 4, end
        at = end + 2
    raise CommandLineError(f"More than {ARCHIVE_ENTRIES:,} files were sent at once. Nothing was kept.")


def _safe_path(name: str) -> PurePosixPath:
    """Return the path of a file below the folder of its form, whatever the browser called it."""
    parts = [part for part in re.split(r"[/\\]", name[-PATH_LENGTH:]) if part.strip(". ")]
    plain = [re.sub(r'[\x00-\x1f\x7f<>:"|?*]', "_", part) for part in parts[-FOLDER_DEPTH:]]
    # A disk counts bytes; the end of a name says of what kind a file is.
    safe = [part.encode()[-_NAME_BYTES:].decode("utf-8", "ignore") for part in plain]
    return PurePosixPath(*safe) if safe else PurePosixPath("file")
