"""A list that readers see whole or not at all.

Which revision of a month is current: for the office :attr:`ratinglist.home.history.History.current`, made from the log;
for readers the month's file ``latest``, and the signed index. What a kill while publishing leaves, and who finishes it:
:mod:`ratinglist.publication.settle`. A question, or what stops a list: :mod:`ratinglist.publication.doubts`.
"""
