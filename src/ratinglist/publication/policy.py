"""How an office publishes: the columns it leaves out, the birth dates that stay private, and the key it signs with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import polars as pl

from ratinglist.errors import CommandLineError
from ratinglist.files.durable_files import withheld
from ratinglist.office import FieldPolicy
from ratinglist.publication.signature import Signer, read_key
from ratinglist.settings import Settings
from ratinglist.store.database import Store

BirthDates = Callable[[pl.Series], pl.DataFrame]
"""A function from FIDE IDs to ``fide_id`` and ``birth_date``: every date ever known of these players."""


def no_birth_dates(_fide_ids: pl.Series) -> pl.DataFrame:
    """Return no birth dates, for tables without a store."""
    return pl.DataFrame(schema={"fide_id": pl.Int64, "birth_date": pl.Date})


@dataclass(frozen=True, slots=True)
class PublishingPolicy:
    """How revisions are written; by default with every column, without a signature and with no known birth date.

    ``fields``: the columns left out. ``birth_dates``: the function that looks up the birth dates which no file may
    contain. ``signer``: the key that signs manifests.
    """

    fields: FieldPolicy = field(default_factory=FieldPolicy)
    birth_dates: BirthDates = field(default=no_birth_dates, compare=False)
    signer: Signer | None = None


def of_office(settings: Settings, store: Store) -> PublishingPolicy:
    """Return the policy that ``office.toml`` sets, with the birth dates of the store.

    Raises :class:`CommandLineError` where the signing key cannot be used, or is stored in the published folder.
    """
    return PublishingPolicy(settings.office.fields, birth_dates_of(store), signer_of(settings))


def birth_dates_of(store: Store) -> BirthDates:
    """Return the function that looks birth dates up in the store."""
    # Here, because a command that publishes nothing needs the signature alone.
    from ratinglist.store import received

    return partial(received.birth_dates_of, store)


def signer_of(settings: Settings) -> Signer | None:
    """Return the key that the office signs with; None where it does not sign.

    Raises :class:`CommandLineError` where the key cannot be used, or is stored in the published folder.
    """
    key = settings.office.publication.signing_key
    if not key:
        return None
    path = settings.home / key
    if path.resolve().is_relative_to(settings.published.resolve()):
        raise CommandLineError(f"{path}: the signing key is in the folder that is published. Put it somewhere else.")
    return read_key(path, withheld(settings.home))
