"""Read a form: its fields, and the files that were dropped into it, which are written into a folder."""

from __future__ import annotations

import re
import secrets
import shutil
from pathlib import Path, PurePosixPath

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Message

from ratinglist.errors import CommandLineError
from ratinglist.limits import ARCHIVE_BYTES, ARCHIVE_ENTRIES, FOLDER_DEPTH, MIB, PATH_LENGTH
from ratinglist.tables import words_of

FIELD_BYTES = MIB
"""Bytes of a field of a form."""
_NAME_BYTES = 255


class Form(dict[str, str]):
    """The fields of a form by name, without blanks around them.

    ``place``: a folder of its own, which is not there yet. ``folder``: the same where files were sent; else None. The
    field ``file`` is then the only one of them, or the folder.
    """

    folder: Path | None = None

    def __init__(self, place: Path) -> None:
        super().__init__()
        self.place = place

    def text(self, name: str) -> str:
        """Return a field; empty where the form does not have it."""
        return self.get(name, "")

    def needed(self, name: str) -> str:
        """Return a field that may not be empty."""
        if not self.get(name):
            raise CommandLineError(f"{words_of(name)}: nothing was filled in. Nothing was changed.")
        return self[name]

    def new_folder(self) -> Path:
        """Make the folder of the form, and return it."""
        self.place.mkdir(parents=True)
        return self.place


async def read_form(request: Request, secret: str, folder: Path) -> Form:
    """Read the form of a request; its files are written into ``folder``, which is made where there are any.

    Raises :class:`CommandLineError` where the form is not one of the desk's pages, or is over a limit.
    """
    form, size = Form(folder), 0

    async def receive() -> Message:
        nonlocal size
        message = await request.receive()
        size += len(message.get("body", b""))
        if size > ARCHIVE_BYTES:
            raise CommandLineError(
                f"More than {ARCHIVE_BYTES // MIB:,} MiB were sent at once. Nothing was kept. Send fewer files at a "
                "time, or load the folder with: ratinglist load FOLDER"
            )
        return message

    limits = {"max_files": ARCHIVE_ENTRIES, "max_part_size": FIELD_BYTES}
    try:
        async with Request(request.scope, receive).form(**limits) as sent:
            for name, content in sent.multi_items():
                if isinstance(content, str):
                    form[name] = content.strip()
                elif content.filename:
                    form.folder = form.place
                    _keep(content, form.place / _safe_path(content.filename))
    except HTTPException as error:
        raise CommandLineError(f"The form cannot be read: {error.detail} Nothing was changed.") from None
    if form.folder is not None:
        # A manifest names files of its own folder, so several are given as a folder.
        names = [path.name for path in form.folder.iterdir()]
        form["file"] = names[0] if len(names) == 1 else "."
    if not secrets.compare_digest(form.pop("secret", "").encode(), secret.encode()):
        raise CommandLineError(
            "This form is not of a page that is open now: load the page again, and fill it in again."
        )
    return form


def _keep(file: UploadFile, path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as target:
            shutil.copyfileobj(file.file, target)
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        raise CommandLineError(
            f"{path.name}: a file and a folder of one name cannot be kept. Nothing was loaded. Send each by itself."
        ) from None


def _safe_path(name: str) -> PurePosixPath:
    """Return the path of a file below the folder of its form, whatever the browser called it."""
    parts = [part for part in re.split(r"[/\\]", name[-PATH_LENGTH:]) if part.strip(". ")]
    plain = [re.sub(r'[\x00-\x1f\x7f<>:"|?*]', "_", part) for part in parts[-FOLDER_DEPTH:]]
    # A disk counts bytes; the end of a name says of what kind a file is.
    safe = [part.encode()[-_NAME_BYTES:].decode("utf-8", "ignore") for part in plain]
    return PurePosixPath(*safe) if safe else PurePosixPath("file")
