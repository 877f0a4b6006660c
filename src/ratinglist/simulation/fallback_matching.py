"""Pair one event as a last resort: as many players as possible get an opponent whom they have not met.

Only events with more rounds than half their players need it, and those are small. With fewer rounds an exchange
between two boards always exists, see :mod:`~ratinglist.simulation.exchanges`.
"""

from __future__ import annotations

from collections.abc import Iterable


def pair_unmet(unmet: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return as many of the pairs ``unmet`` as possible, each player in one pair at most, in ascending order.

    ``unmet`` has the places of every two players who have not met, the smaller place first. Of all largest sets of
    pairs the result is one with the smallest sum of squared distances between the two places.
    """
    # The import takes 0.15 s, and most simulations never need it.
    import networkx as nx

    pairs = sorted(unmet)
    graph = nx.Graph()
    for number, (one, other) in enumerate(pairs):
        # A power of two for each pair breaks every tie, so that one result is the best: the bytes of a simulation
        # do not depend on the version of networkx. The weights are integers, and so is all of its arithmetic then.
        graph.add_edge(one, other, weight=(1 << number) - ((other - one) ** 2 << len(pairs)))
    return sorted((min(pair), max(pair)) for pair in nx.max_weight_matching(graph, maxcardinality=True))
