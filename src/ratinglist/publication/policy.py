"""How an office publishes: what it leaves out, what must never be told, and the key it signs with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import polars as pl

from ratinglist.config import Settings
from ratinglist.errors import CommandLineError
from ratinglist.field_policy import FieldPolicy
from ratinglist.publication.signature import Signer, read_key
from ratinglist.store.database import Store

Births = Callable[[pl.Series], pl.DataFrame]
"""``fide_id`` and ``birth_date``, every date ever known, of these FIDE IDs."""


def nobody_born(_fide_ids: pl.Series) -> pl.DataFrame:
    """No birth date is known of anybody."""
    return pl.DataFrame(schema={"fide_id": pl.Int64, "birth_date": pl.Date})


@dataclass(frozen=True, slots=True)
class Imprint:
    """By default every column, no signature, and nothing known that could be told."""

    fields: FieldPolicy = field(default_factory=FieldPolicy)
    births: Births = field(default=nobody_born, compare=False)
    signer: Signer | None = None


def of_office(settings: Settings, store: Store) -> Imprint:
    """The imprint that ``office.toml`` asks for, the birth dates being those of the store.

    Raises :class:`CommandLineError` where the key cannot be used, or stands among what is published.
    """
    chosen = settings.office
    return Imprint(chosen.fields, births_of(store), _signer(settings, chosen.publication.signing_key))


def births_of(store: Store) -> Births:
    """Return the function that looks birth dates up in the store."""
    return partial(_births, store)


def _signer(settings: Settings, key: str) -> Signer | None:
    if not key:
        return None
    path = settings.home / key
    if path.resolve().is_relative_to(settings.published.resolve()):
        raise CommandLineError(f"{path}: the signing key stands among what is published. Put it somewhere else.")
    return read_key(path)


def _births(store: Store, fide_ids: pl.Series) -> pl.DataFrame:
    """Every birth date ever known of these players, corrected ones too."""
    return store.read(
        """
        select distinct fide_id, birth_date from (
            select fide_id, birth_date from player
            union all
            select fide_id, birth_date from registered_person
            union all
            select fide_id, birth_date from report_player
        )
        where birth_date is not null and fide_id in (select unnest($ids))
        order by all
        """,
        ids=fide_ids.to_list(),
    )
