"""Corrections: parsed, applied to what was received, and their effect on a list as a diff with its causes.

What other packages use stands here: :func:`parse_corrections` reads a file of them, :func:`apply_correction` puts one
into the store, and :func:`compare_revisions` says for which players a list differs, and why.
"""

from ratinglist.corrections.apply import (
    NothingMatchedError,
    Replacement,
    apply_correction,
    insert_rows,
    inserted_rows,
    to_be_replaced,
)
from ratinglist.corrections.carried import LIST_KEY, carried_on, moved_by, no_moves, states_differing
from ratinglist.corrections.diff import Chain, ListTables, compare_revisions, diff_document, lists_of
from ratinglist.corrections.parser import (
    PLAYER_DATA,
    REPORT_FIELDS,
    Correction,
    argument_names,
    correction_text,
    parse_corrections,
)

__all__ = [
    "LIST_KEY",
    "PLAYER_DATA",
    "REPORT_FIELDS",
    "Chain",
    "Correction",
    "ListTables",
    "NothingMatchedError",
    "Replacement",
    "apply_correction",
    "argument_names",
    "carried_on",
    "compare_revisions",
    "correction_text",
    "diff_document",
    "insert_rows",
    "inserted_rows",
    "lists_of",
    "moved_by",
    "no_moves",
    "parse_corrections",
    "states_differing",
    "to_be_replaced",
]
