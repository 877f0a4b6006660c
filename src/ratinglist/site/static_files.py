"""Read the files of a site that are the same for every office: the script, the style."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from ratinglist import html_pages


def script() -> str:
    """Return the script of the site: its parts, in the order of their names, in one function."""
    parts = [path.read_text(encoding="utf-8") for path in sorted((html_pages.folder() / "script").glob("*.js"))]
    return "\n".join(['"use strict";\n\n(() => {', *parts, "})();", ""])


def style() -> bytes:
    """Return the style sheet of the site."""
    return (html_pages.folder() / "site.css").read_bytes()


def program_digest() -> str:
    """Return a digest of the program's own files that make a site: another program writes all files again."""
    own = [*Path(__file__).parent.glob("*.py"), *html_pages.folder().rglob("*")]
    digests = sorted((path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in own if path.is_file())
    return hashlib.sha256(json.dumps(digests).encode()).hexdigest()
