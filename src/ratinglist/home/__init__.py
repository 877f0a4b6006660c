"""A home: its log, which decides everything, the originals, and what follows from both.

::

    HOME/log/000123.json       one entry for each change (:mod:`ratinglist.home.log`)
    HOME/originals/<sha256>    lists, files of players, manifests, tables, corrections, each version of office.toml used
    HOME/reports/<sha256>      the reports
    HOME/calculations/         one folder for each calculated month
    HOME/published/            what readers see
    HOME/ratinglist.duckdb     the facts received: made from the log and the originals
"""
