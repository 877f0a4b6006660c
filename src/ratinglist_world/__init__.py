"""Made-up federations: players with careers, events, results, and reports that arrive late or broken.

A :class:`~ratinglist_world.people.World` is determined by a few numbers;
:class:`~ratinglist_world.simulate.Federation` makes its starting list and plays its months one after the other.
"""
