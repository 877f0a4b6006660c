"""What a month costs, and what other programs take for it.

``python -m benchmarks run`` measures each stage next to its floor (:mod:`benchmarks.stages`, :mod:`benchmarks.floor`),
``python -m benchmarks peers`` the kernel against other ways to rate the same games (:mod:`benchmarks.compared`).
"""
