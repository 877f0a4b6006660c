"""From a folder of tournament reports to a published, exact, explainable rating list."""

__version__ = "0.9.0"
