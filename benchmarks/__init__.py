"""What a month costs: every stage measured in a process of its own, next to the least it could cost.

``python -m benchmarks`` measures (:mod:`benchmarks.__main__`), :mod:`benchmarks.floor` is the least,
:mod:`benchmarks.steps` says where inside a stage the time goes, :mod:`benchmarks.compared` compares the rating
kernel with :mod:`benchmarks.peers`, :mod:`benchmarks.growth` and :mod:`benchmarks.history` say what more games and more
months cost, :mod:`benchmarks.reports` makes the month.
"""
