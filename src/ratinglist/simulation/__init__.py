"""Made-up federations: players with careers, events, results, and reports that arrive late or broken.

A :class:`~ratinglist.simulation.plan.World` is determined by a few numbers;
:class:`~ratinglist.simulation.federation.Federation` makes its starting list and plays its months one after the other.
"""
