"""Made-up federations: players with careers, Swiss events, results, and reports that arrive late or broken.

What other packages use stands here. A :class:`World` is determined by a few numbers (:func:`world_of`);
:func:`starting_list` makes its first list, :func:`months_of` plays its months, and :func:`texts_of` writes the reports.
"""
