"""What the manifest of a revision states besides its files."""

from __future__ import annotations

from ratinglist.publication import provenance
from ratinglist.store.calculations import Calculation
from ratinglist.store.database import Store


def facts_of(store: Store, calculation: Calculation) -> dict[str, object]:
    """Return the facts of a calculated month: its family, rule sets, program version, inputs and provenance."""
    return {
        "family": calculation.family,
        "rule_sets": calculation.rule_sets,
        "code_version": calculation.code_version,
        "inputs": calculation.inputs,
        "provenance": provenance.of(store, calculation.period),
    }
