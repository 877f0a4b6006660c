"""What a month costs, and what other programs take for it.

``python -m benchmarks run`` measures each stage next to its floor (:mod:`benchmarks.stages`, :mod:`benchmarks.floor`),
``python -m benchmarks peers`` the kernel and the whole month against other ways (:mod:`benchmarks.compared`).
"""
