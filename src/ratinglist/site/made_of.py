"""Say what a site is made of in one digest: a site of the same need not be made again."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import ratinglist
from ratinglist.files import resources
from ratinglist.files.durable_files import sha256_of
from ratinglist.publication import revisions
from ratinglist.publication.manifest import SIGNATURE
from ratinglist.schemas import BOTH_NUMBERS
from ratinglist.site.pictures import libraries
from ratinglist.site.request import Request


def made_of(request: Request, version: str) -> str:
    """Return a digest of all that a site is made of; ``version`` is that of the site.

    It has the current revisions of all months, the tables and signatures in their folders, the whole program with its
    rules, and what draws pictures.
    """
    published = [(str(month), folder.name) for month, folder in revisions.every_latest(request.published).items()]
    tables = [month.folder.parent / f"{BOTH_NUMBERS.name}.parquet" for month in request.months]
    signatures = [month.folder / SIGNATURE for month in request.months]
    program = [*Path(ratinglist.__file__).parent.rglob("*.py"), *resources.data("rules").rglob("*.toml")]
    digests = [sha256_of(path) if path.is_file() else "" for path in (*tables, *signatures, *sorted(program))]
    whole = [version, request.compressed, libraries(), published, digests]
    return hashlib.sha256(json.dumps(whole).encode()).hexdigest()


def options(request: Request) -> list[object]:
    """Return the choices of the office that the files of a site depend on."""
    has = [request.birth_years, request.downloads is not None, request.sql is not None]
    texts = [request.texts.page["language"], request.name, request.text, request.address, request.colour]
    picture = hashlib.sha256(request.picture).hexdigest()
    return [*has, *texts, picture, request.clubs.select("fide_id", "club").rows()]
