"""Send a site to a bucket or to a branch of a git repository: readers find the earlier site or the new one.

A branch changes in one step. A bucket has no such step, so the files come in an order: first those whose address has a
digest, which change nothing that a reader sees, then the pages, the first page last. What is no longer needed is
deleted when all of it is there, but for the data of the site before: a page that a reader has open stays whole.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from pyarrow import ArrowException, fs

from ratinglist.config.office import GIT
from ratinglist.errors import CommandLineError, UnfinishedError
from ratinglist.site.folder import COMPRESSED_COPY, FACTS

_BY_DIGEST = ("data", "parts")
_NEVER_CHANGED = (*_BY_DIGEST, "files", "pictures", "sql")
"""Folders in which the content of an address never changes."""
_FIRST_PAGE = "index.html"
_BRANCH = "gh-pages"
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ics": "text/calendar; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".xml": "application/xml",
}


def send(site: Path, to: str) -> int:
    """Send the site in a folder ``to`` an address, as ``[site] to`` has it; return how many files were sent.

    Raises :class:`CommandLineError` where something else is there, :class:`UnfinishedError` where the network or the
    other side refuses. Then readers find the earlier site, and the next command sends the rest.
    """
    try:
        if GIT.fullmatch(to):
            remote, _, branch = to.removeprefix("git+").partition("#")
            return _to_branch(site, remote, branch or _BRANCH)
        bucket, base = fs.FileSystem.from_uri(to)
        return to_bucket(site, bucket, base, to)
    except (OSError, ArrowException, subprocess.CalledProcessError) as error:
        said = error.stderr.decode(errors="replace") if isinstance(error, subprocess.CalledProcessError) else str(error)
        first = said.strip().partition("\n")[0]
        raise UnfinishedError(
            f"The site is in {site}, and not all of it could be sent to {to}: {first}. Readers find "
            "the site that was there before. Give the command again."
        ) from None


def _files(site: Path) -> list[str]:
    """Return the files to be sent, in their order, without the compressed copies, which neither place offers."""
    names = [path.relative_to(site).as_posix() for path in sorted(site.rglob("*")) if path.is_file()]
    return sorted((name for name in names if not name.endswith(COMPRESSED_COPY)), key=_turn)


def _turn(name: str) -> int:
    return 0 if _is_constant(name) else {_FIRST_PAGE: 2, FACTS: 3}.get(name, 1)


def to_bucket(site: Path, bucket: fs.FileSystem, base: str, to: str) -> int:
    """Send the files of a site to a folder of a bucket, and delete what neither this site nor the one before has."""
    found = bucket.get_file_info(fs.FileSelector(base, recursive=True, allow_not_found=True))
    sizes = {
        PurePosixPath(one.path).relative_to(PurePosixPath(base)).as_posix(): one.size for one in found if one.is_file
    }
    if sizes and FACTS not in sizes:
        raise CommandLineError(_not_a_site(to))
    facts = json.loads(bucket.open_input_stream(f"{base}/{FACTS}").read()) if sizes else {}
    if not sizes:
        # A folder of which a part was sent is known as that of a site.
        _put(bucket, base, FACTS, b"{}\n")
    names = _files(site)
    sent = [name for name in names if not (_is_constant(name) and sizes.get(name) == (site / name).stat().st_size)]
    for name in sent:
        _put(bucket, base, name, (site / name).read_bytes())
    kept = _digests(facts) | _digests(json.loads((site / FACTS).read_bytes()))
    for name in sorted(sizes.keys() - set(names)):
        folder, digest, *_ = (*name.split("/"), "")
        if not (folder in _BY_DIGEST and digest in kept):
            bucket.delete_file(f"{base}/{name}")
    return len(sent)


def _put(bucket: fs.FileSystem, base: str, name: str, content: bytes) -> None:
    path = f"{base}/{name}"
    if not isinstance(bucket, fs.S3FileSystem):
        bucket.create_dir(path.rpartition("/")[0], recursive=True)
    caching = "public, max-age=31536000, immutable" if _is_constant(name) else "no-cache"
    described = {"Content-Type": _TYPES.get(PurePosixPath(name).suffix, "application/octet-stream")}
    with bucket.open_output_stream(path, metadata=described | {"Cache-Control": caching}) as stream:
        stream.write(content)


def _is_constant(name: str) -> bool:
    return name.split("/")[0] in _NEVER_CHANGED


def _digests(facts: Mapping[str, Any]) -> set[str]:
    """Return the digests that are in the addresses of a site's files."""
    return {str(facts.get("version", "")), *map(str, facts.get("months", {}).values())}


def _not_a_site(to: str) -> str:
    return f"{to} has files, and no {FACTS}: it is not a site that ratinglist made. Nothing was changed. Name another."


def _to_branch(site: Path, remote: str, branch: str) -> int:
    """Put a site on a branch as its only commit, so that the repository does not grow, unless it is there already."""
    head = f"refs/heads/{branch}"
    with tempfile.TemporaryDirectory() as folder:

        def git(*words: str, given: bytes = b"") -> str:
            command = ["git", "--git-dir", folder, "-c", "core.autocrlf=false", *words]
            environment = os.environ | {"GIT_TERMINAL_PROMPT": "0"}
            done = subprocess.run(  # noqa: S603 - no shell reads the words, and the address was checked
                command, input=given, capture_output=True, check=True, env=environment, cwd=site
            )
            return done.stdout.decode().strip()

        git("init", "--quiet", "--bare", "--template=")
        tip = git("ls-remote", remote, head).partition("\t")[0]
        if tip:
            git("fetch", "--quiet", "--depth", "1", remote, head)
            if FACTS not in git("ls-tree", "--name-only", "FETCH_HEAD").splitlines():
                raise CommandLineError(_not_a_site(f"{remote}#{branch}"))
        git("--work-tree", str(site), "add", "--all", "--force", "--", ".", f":(exclude)*{COMPRESSED_COPY}")
        # A host of pages must not run the files through its own program.
        blob = git("hash-object", "-w", "--stdin")
        git("update-index", "--add", "--cacheinfo", f"100644,{blob},.nojekyll")
        tree = git("write-tree")
        if tip and tree == git("rev-parse", "FETCH_HEAD^{tree}"):
            return 0
        person = ("-c", "user.name=ratinglist", "-c", "user.email=ratinglist@localhost")
        commit = git(*person, "commit-tree", tree, "-m", "Publish the site")
        git("push", "--quiet", f"--force-with-lease={head}:{tip}", remote, f"{commit}:{head}")
        return len(git("ls-files").splitlines())
