"""The idioms that this project does not write, looked for wherever people read.

``make check`` runs ``python -m tests.prose``. It reads names, comments, docstrings, messages and pages. Names are split
at underscores and capitals, so ``asked_before`` and ``PlayersTold`` are found too. It also reads the subjects of the
commits that a branch adds to ``origin/main`` or, without a remote, to ``main``. It prints what it finds with file, line
and a plain word, and then exits with 1.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

IDIOMS = {
    "told": "say what it is: a summary, a description, a text",
    "asked": "say what it is: a question, a request, a query",
    "beside": "next to, in the same folder, together with, compared with",
    "meanwhile": "say what runs at the same time as what",
    "ahead": "before, earlier (to read ahead is a term)",
    "wish": "a request, a preference",
    "wishes": "requests, preferences",
    "left over": "remaining",
    "leftover": "remaining",
    "leftovers": "what remains",
    "dear": "expensive",
    "dearer": "more expensive",
    "anew": "again",
    "nought": "zero",
    "mend": "fix, correct",
    "mends": "fixes, corrects",
    "mended": "fixed, corrected",
    "mending": "fixing, correcting",
    "whoever": "name the actor",
    "of few": "low-cardinality",
}
"""Each idiom, and what to write instead."""

ALLOWED = {
    "read ahead": "a term: a worker reads the next file while this one is parsed",
    "write-ahead": "a term: the log that a database writes before its file",
    "write_ahead_log": "the same, as a name",
    "reads ahead": "the same",
    "reading ahead": "the same",
    "write-ahead log": "a term: what DuckDB has committed and not yet written into the file of the store",
    "told, asked, beside, meanwhile, ahead, wishes, left over, dear, anew, nought, mend, whoever, of few": "the list",
    **dict.fromkeys(
        ("Dear sirs", "Dear rating officer", "Dear office", "Dear arbiter"), "a letter, which is no report"
    ),
    '"mended", EVENT': "a name that draws chance in the simulation: another name makes another world",
}
"""A phrase that is not reported, and why."""

BEING_REWRITTEN: dict[str, str] = {}
"""A file that is not read yet, and why. One without an idiom must leave this list."""

READ = (
    *("src/**/*.py", "flows/**/*.py", "data/sample/*.py", "docs/**/*.py"),
    *(
        "sql/checks/**/*.sql",
        "sql/questions/*.sql",
        "sql/views/**/*.sql",
        "sql/read_once/*.sql",
        "sql/published/*.sql",
        "sql/examples/*.sql",
    ),
    *("docs/**/*.md", "*.md", "data/**/*.md", "benchmarks/*.md", "tests/**/*.md", "Makefile", "pyproject.toml"),
    *("benchmarks/*.py", "benchmarks/peers/*.py", "tests/**/*.py", "tests/golden/*.toml"),
    *("data/site/**/*.js", "data/site/**/*.css", "data/site/**/*.html", "data/site/**/*.toml", "data/letters/**/*"),
)
"""What is read. Migrations and rule files that were released are never edited."""

ABOUT_IDIOMS = {"tests/prose.py", "tests/docs/test_prose.py"}
"""The files that are not read, because they have to name the idioms."""

LONGEST_SUBJECT = 72

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_BETWEEN = re.compile(r"[\s_#-]+")


def idioms(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and idiom of every idiom in a text, in order."""
    for phrase in ALLOWED:
        text = re.sub(re.escape(phrase), "." * len(phrase), text, flags=re.IGNORECASE)
    words = list(_WORD.finditer(text))
    for this, after in zip(words, [*words[1:], None], strict=True):
        found = this[0].lower()
        if after is not None and _BETWEEN.fullmatch(text[this.end() : after.start()]):
            pair = f"{found} {after[0].lower()}"
            found = pair if pair in IDIOMS else found
        if found in IDIOMS:
            yield text.count("\n", 0, this.start()) + 1, found


def offences() -> list[str]:
    """Return a line for every idiom, and for every file that need not be left out any more."""
    lines = []
    for path in sorted({path for pattern in READ for path in ROOT.glob(pattern)}):
        name = path.relative_to(ROOT).as_posix()
        if name in ABOUT_IDIOMS:
            continue
        found = list(idioms(path.read_text(encoding="utf-8")))
        if name not in BEING_REWRITTEN:
            lines += [f"{name}:{line}: '{idiom}': {IDIOMS[idiom]}" for line, idiom in found]
        elif not found:
            lines.append(f"{name}: no idiom is left in it: remove it from BEING_REWRITTEN in tests/prose.py")
    gone = [name for name in BEING_REWRITTEN if not (ROOT / name).exists()]
    return lines + [f"{name}: does not exist: remove it from BEING_REWRITTEN in tests/prose.py" for name in gone]


def subject_offence(subject: str) -> str:
    """Return what is wrong with the first line of a commit; empty where nothing is."""
    if len(subject) > LONGEST_SUBJECT:
        return f"{len(subject)} characters; at most {LONGEST_SUBJECT}"
    if subject.endswith("."):
        return "ends with a full stop"
    return ""


def commit_offences() -> list[str]:
    """Return a line for every commit of this branch whose subject is wrong.

    The branch begins at ``origin/main``, in a repository without that at ``main``; where there is neither, as in an
    archive of the sources, there is nothing to read.
    """
    shown = next((log for base in ("origin/main", "main") if (log := _subjects_since(base)) is not None), "")
    found = []
    for line in shown.splitlines():
        digest, _, subject = line.partition(" ")
        if wrong := subject_offence(subject):
            found.append(f"commit {digest}: {wrong}: {subject}")
    return found


def _subjects_since(base: str) -> str | None:
    """Return digest and subject of each commit since a branch, one a line; None where there is no such branch."""
    command = ["git", "log", "--no-merges", "--format=%h %s", f"{base}..HEAD"]
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None


if __name__ == "__main__":
    FOUND = [*offences(), *commit_offences()]
    sys.stderr.write("".join(f"{line}\n" for line in FOUND))
    sys.exit(bool(FOUND))
