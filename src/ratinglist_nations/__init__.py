"""The systems of national federations: DWZ, ECF and US Chess.

Each is a package with ``SYSTEM``, which :mod:`ratinglist.rating.systems.registry` names. Their rule files stand in
``data/rules`` with all others. They import the faces of ``ratinglist``, and nothing imports them.
"""
