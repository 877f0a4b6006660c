"""Read a form with the files dropped into it, and give its commands: one after the other, each as its own process.

A process that is killed leaves the home as before or as after, and so does the desk: it holds nothing of the office.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from queue import Queue
from threading import Event, Lock, Thread
from typing import Any

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Message

from ratinglist.errors import CommandLineError, NothingReadError, StoreInUseError
from ratinglist.limits import ARCHIVE_BYTES, ARCHIVE_ENTRIES, FOLDER_DEPTH, MIB, PATH_LENGTH
from ratinglist.settings import LOG, Settings
from ratinglist.tables import words_of
from ratinglist.text import visible

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


FIELD = re.compile(r"\{(\w+)\}")
"""A field of a form, in the text of a command."""
_STEP = re.compile(r"\s*(\d+) s  (.*)")
_BIRTH = re.compile(r"(birth_date=).+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the program: its ``words``, its ``arguments``, none of which is taken for an option, and options."""

    words: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str, field_named: Callable[[str], str]) -> Command:
        """Return the command of a text, in which a field in braces is a part of one argument or option."""
        words = text.split()
        head = next((at for at, word in enumerate(words) if "{" in word or word.startswith("--")), len(words))
        filled = [(word, FIELD.sub(lambda field: field_named(field[1]), word)) for word in words[head:]]
        return cls(
            tuple(words[:head]),
            tuple(value for word, value in filled if not word.startswith("--")),
            tuple(value for word, value in filled if word.startswith("--")),
        )

    def with_options(self, *options: str) -> Command:
        """Return the command with more options."""
        return replace(self, options=(*self.options, *options))

    def typed(self) -> list[str]:
        """Return the command as words that a person types."""
        if any(argument.startswith("-") for argument in self.arguments):
            return [*self.words, *self.options, "--", *self.arguments]
        return [*self.words, *self.arguments, *self.options]

    def shown(self) -> str:
        """Return the command as a person types it, a date of birth as the form of a day."""
        words = (_BIRTH.sub(r"\1YYYY-MM-DD", word) for word in self.typed() if word != "--json")
        return visible(shlex.join(["ratinglist", *words]))


@dataclass(frozen=True, slots=True)
class Order:
    """What a page asks for. ``title``: the key of its text. ``then``: the address of the page to go on with.

    ``applies``: the commands that do what ``commands`` only showed; empty where they do it. ``folder``: where they run,
    with the files that were sent; ``makes_files``: they write some. ``at_once``: go on without showing what a command
    said, where it did its work. ``reasons``: the answers to questions, which the last command is given; ``questions``:
    their sentences.
    """

    title: str
    commands: Sequence[Command]
    then: str = "/"
    applies: Sequence[Command] = ()
    folder: Path | None = None
    at_once: bool = False
    makes_files: bool = False
    reasons: Mapping[str, str] = field(default_factory=dict)
    questions: Mapping[str, str] = field(default_factory=dict)

    def answered(self, reasons: Mapping[str, str], questions: Mapping[str, str]) -> Order:
        """Return the order with reasons for questions besides those that it has."""
        return replace(self, reasons={**self.reasons, **reasons}, questions={**self.questions, **questions})

    def given(self) -> list[Command]:
        """Return the commands with the reasons."""
        because = [part for name, reason in self.reasons.items() for part in ("--because", f"{name}={reason}")]
        return [*self.commands[:-1], *(command.with_options(*because) for command in self.commands[-1:])]


@dataclass(slots=True)
class Work:
    """An order that was given. ``code``: the exit code of its last command; None while it is under way.

    ``step``: what the running command does now. ``entry``: the newest entry of the log when it had ended. ``said``:
    what the commands printed; ``documents``: the JSON of those that print it. ``doubts``: what stopped the last.
    """

    number: int
    order: Order
    step: str = ""
    entry: str = ""
    said: list[str] = field(default_factory=list)
    complaint: list[str] = field(default_factory=list)
    documents: list[Any] = field(default_factory=list)
    doubts: list[dict[str, Any]] = field(default_factory=list)
    code: int | None = None
    ended: Event = field(default_factory=Event)

    @property
    def document(self) -> dict[str, Any]:
        """Return the JSON object that the last command printed; empty where it printed none."""
        last = self.documents[-1] if self.documents else {}
        return last if isinstance(last, dict) else {}

    @property
    def is_busy(self) -> bool:
        """Return whether another command was writing."""
        return self.code == StoreInUseError.exit_code

    @property
    def questions(self) -> dict[str, str]:
        """Return the questions that have to be answered before the command does its work, each as a sentence."""
        if self.code == CommandLineError.exit_code:
            # A reason was no reason.
            return dict(self.order.questions)
        unanswered = (doubt for doubt in self.doubts if doubt["kind"] == "ask" and not doubt["answer"])
        return {doubt["code"]: doubt["sentence"] for doubt in unanswered}


class Bench:
    """The work of one run of the desk: each order waits until the one before is done."""

    def __init__(self, settings: Settings) -> None:
        self._home = settings.home.resolve()
        day = {} if settings.is_clock else {"RATINGLIST_TODAY": settings.today.isoformat()}
        person = {"RATINGLIST_BY": settings.person} if settings.person else {}
        self._environment = {"RATINGLIST_HOME": str(self._home), "PYTHONIOENCODING": "utf-8", **day, **person}
        self._works: dict[int, Work] = {}
        self._lock = Lock()
        self._waiting: Queue[Work] = Queue()
        self._count = 0
        Thread(target=self._go_on, daemon=True, name="desk").start()

    def give(self, order: Order) -> Work:
        """Give an order, and return its work at once."""
        with self._lock:
            self._count += 1
            work = Work(self._count, order)
            self._works[work.number] = work
        self._waiting.put(work)
        return work

    def get(self, number: int) -> Work:
        """Return a work by its number; raises :class:`NothingReadError` where there is none."""
        if number not in self._works:
            raise NothingReadError("The desk does not know this work: it was started again since. See the log.")
        return self._works[number]

    def under_way(self) -> list[Work]:
        """Return what is not done yet, the first one first."""
        return [work for work in list(self._works.values()) if work.code is None]

    def newest_document(self, month: str, part: str) -> tuple[Any, str]:
        """Return the newest JSON document on a month that has this part, and the newest entry of the log then.

        None and an empty text where no command of this desk printed one.
        """
        for work in reversed(list(self._works.values())):
            for document in work.documents:
                if isinstance(document, dict) and document.get("month") == month and part in document:
                    return document, work.entry
        return None, ""

    def _go_on(self) -> None:
        while True:
            work = self._waiting.get()
            code = 1
            try:
                for command in work.order.given():
                    code = self._run(work, command)
                    if code:
                        break
            except OSError as error:
                work.complaint.append(f"The command could not be started: {error}")
            finally:
                work.entry = newest_entry(self._home)
                work.code = code
                work.ended.set()

    def _run(self, work: Work, command: Command) -> int:
        with subprocess.Popen(  # noqa: S603 - this program, with arguments that no shell reads
            [sys.executable, "-m", "ratinglist", *command.typed()],
            cwd=work.order.folder or self._home,
            env={**os.environ, **self._environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            # Work that has begun goes on where the desk ends.
            start_new_session=True,
        ) as process:
            reader = Thread(target=_follow, args=(work, process.stderr))
            reader.start()
            out = process.stdout.read() if process.stdout else ""
            reader.join()
        work.step = ""
        if "--json" in command.options:
            document = json.loads(out) if out else {}
            if process.returncode == 0:
                work.documents.append(document)
            work.doubts = document.get("doubts", []) if isinstance(document, dict) else []
        else:
            work.said += out.splitlines()
        return process.returncode


def _follow(work: Work, lines: Any) -> None:
    """Keep the step that a command is at, and what it complains of."""
    for line in lines:
        if step := _STEP.fullmatch(line.rstrip("\n")):
            work.step = step[2]
        else:
            work.complaint.append(line.rstrip("\n").removeprefix("ratinglist: "))


def newest_entry(home: Path) -> str:
    """Return the name of the newest entry of the log; empty where there is none."""
    return max((path.stem for path in (home / LOG).glob("*.json")), default="")
