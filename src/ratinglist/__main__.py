"""``python -m ratinglist``."""

from ratinglist.cli.main import main

main()
