"""The sessions printed in the documents: their commands, and what the program prints when they are run.

A fence marked ``console`` is a session: ``$ `` begins a command, ``> `` goes on with it, everything else is what was
printed. A line ``...`` stands for lines left out. Commands run where ``data``, ``sql`` and ``ratinglist-home`` lie.
"""

from __future__ import annotations

import re
import runpy
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

from tests.command_line import entered

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    path
    for path in ROOT.rglob("*.md")
    if not any(
        part.startswith(".") or part in ("built", "demo-home", "mutants") for part in path.relative_to(ROOT).parts
    )
)
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PROGRESS = re.compile(r"^ *\d+ s  .*\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a document, what the document says it prints, and the line it stands on."""

    text: str
    output: str
    line: int

    def agrees(self, printed: str) -> bool:
        """Whether ``printed`` is the output, lines left out and sizes in bytes apart."""
        # The size of a file changes with every column.
        sizes = re.compile(r"\d[\d,]* bytes")
        parts = re.split(r"^\.\.\.$\n?", sizes.sub("bytes", self.output), flags=re.MULTILINE)
        pattern = r"(?:.*\n)*?".join(re.escape(part) for part in parts)
        return re.fullmatch(pattern, sizes.sub("bytes", printed)) is not None


def name(document: Path) -> str:
    """A document by its path in the repository."""
    return document.relative_to(ROOT).as_posix()


def fences(document: Path, kind: str) -> list[tuple[int, str]]:
    """Line and content of every fence of a kind."""
    text = document.read_text(encoding="utf-8")
    return [(text.count("\n", 0, fence.start()) + 2, fence[2]) for fence in _FENCE.finditer(text) if fence[1] == kind]


def commands(document: Path) -> list[Command]:
    """Every command of a document's sessions, in order."""
    typed: list[Command] = []
    for first, content in fences(document, "console"):
        for line, text in enumerate(content.splitlines(), start=first):
            if text.startswith("$ "):
                typed.append(Command(text[2:], "", line))
            elif text.startswith("> ") and not typed[-1].output:
                typed[-1] = Command(f"{typed[-1].text}\n{text[2:]}", "", typed[-1].line)
            else:
                typed[-1] = Command(typed[-1].text, f"{typed[-1].output}{text}\n", typed[-1].line)
    return typed


def words(command: str) -> list[str]:
    """The words of a command as a shell sees them, ``$(cat FILE)`` replaced by the file's text."""
    return [
        re.sub(r"\$\(cat ([^)]+)\)", lambda named: Path(named[1]).read_text(encoding="utf-8").rstrip("\n"), word)
        for word in shlex.split(command)
    ]


def module_of(path: Path) -> SimpleNamespace:
    """What a file that no package holds defines: a generator of pages or pictures."""
    return SimpleNamespace(**runpy.run_path(str(path)))


def run(command: str) -> str:
    """What a command prints here; of one that fails, its message too."""
    if command.split()[0] != "ratinglist":
        command = command.replace("python ", f"{shlex.quote(sys.executable)} ", 1)
        return subprocess.run(command, shell=True, capture_output=True, text=True, check=True).stdout
    shown = entered(*words(command))
    return shown.stdout + (_PROGRESS.sub("", shown.stderr) if shown.returncode else "")
