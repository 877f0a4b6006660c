"""``python -m ratinglist``."""

from ratinglist.cli import main

main()
