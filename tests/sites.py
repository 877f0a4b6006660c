"""Sites that tests look at: of the corrected sample, and of a sample whose texts are made to do harm."""

from __future__ import annotations

import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path
from threading import Thread

import polars as pl

from ratinglist.files.durable_files import sha256_of
from ratinglist.period import Period
from ratinglist.publication import manifest
from ratinglist.settings import Settings
from ratinglist_site.make import make_site, server

HOSTILE = (
    '<script>document.title="harm"</script>',
    '"><img src=x onerror=document.title="harm">',
    "</script><style>*{display:none}</style>",
    "javascript:alert(1)",
    "Ω'\"&<!-- {{ 7*7 }} ]]>",
)


def hostile_folder(published: Path, folder: Path) -> None:
    """Make in ``folder`` a published folder in which names, events and reasons are markup."""
    shutil.copytree(published, folder)
    texts = pl.lit(list(HOSTILE), dtype=pl.List(pl.String))
    for path in sorted(folder.glob("*/r*/*.parquet")):
        path.chmod(0o644)
        rows = pl.read_parquet(path)
        changed = [
            pl.concat_str(texts.list.get(pl.int_range(pl.len()) % len(HOSTILE)), pl.col(name)).alias(name)
            for name in ("name", "because", "federation")
            if name in rows.columns
        ]
        rows.with_columns(changed).write_parquet(path)
    for path in sorted(folder.glob("*/r*/manifest.json")):
        state_digests(path)


def state_digests(path: Path) -> None:
    """Write a manifest again, with the digests that its files have now."""
    contents = manifest.read(path.read_bytes())
    files = {name: {**entry, "sha256": sha256_of(path.with_name(name))} for name, entry in contents.files.items()}
    path.chmod(0o644)
    path.write_bytes(manifest.encode(Period.parse(contents.month), contents.revision, contents.facts, files))


def quick_site(settings: Settings, folder: Path, **choices: object) -> None:
    """Make a site with these choices in the place of those in the office's ``[site]``; without downloads, else."""
    site = replace(settings.office.site, **{"downloads": False, **choices})
    make_site(replace(settings, choices=replace(settings.office, site=site)), folder)


@cache
def served(folder: Path) -> str:
    """Serve a folder for the rest of the tests, as `ratinglist site --serve` does, and return its address."""
    opened = server(folder)
    Thread(target=opened.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{opened.server_port}"


def site_bytes(site: Path) -> dict[str, bytes]:
    """Return every file of a site by its path."""
    return {path.relative_to(site).as_posix(): path.read_bytes() for path in sorted(site.rglob("*")) if path.is_file()}


PAGES = (
    *("index.html", "list-standard.html", "player.html#900000113", "player.html#99900046/2025-09", "search.html#con"),
    *("month-2025-09.html", "months.html", "corrections.html", "events.html", "event.html#2025-12/ORV25112"),
    *("compare.html#99900046,99900095", "about.html", "data.html"),
)
"""Pages of the site of the sample's four months, of every kind, as a browser opens them."""
