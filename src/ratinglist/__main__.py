"""``python -m ratinglist``."""

from ratinglist.cli.main import script

script()
