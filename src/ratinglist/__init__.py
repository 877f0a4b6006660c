"""From a folder of tournament reports to a published, exact, explainable rating list."""

__version__ = "1.0.0"
