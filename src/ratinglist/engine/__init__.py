"""A month as a plan of buckets: an ordinary one is one bucket in this process, a large one many, here or on a cluster.

The modules of ``rating`` compute; the steps here read their frames from tables by bucket and write them there. What
other packages use stands here.
"""

from ratinglist.engine.bucket_tables import BucketFolder
from ratinglist.engine.month import (
    BucketedMonth,
    Engine,
    LocalEngine,
    MonthCounts,
    calculate_month,
    opened_engine,
    published_events,
    rate_month,
)
from ratinglist.engine.plan import (
    INPUTS_OF_EVENTS,
    MonthPlan,
    PlannedMonth,
    ReadRows,
    Study,
    assign_buckets,
    newest_of,
    plan_month,
)
from ratinglist.engine.steps import occurrences
from ratinglist.engine.system_steps import game_sides

__all__ = [
    "INPUTS_OF_EVENTS",
    "BucketFolder",
    "BucketedMonth",
    "Engine",
    "LocalEngine",
    "MonthCounts",
    "MonthPlan",
    "PlannedMonth",
    "ReadRows",
    "Study",
    "assign_buckets",
    "calculate_month",
    "game_sides",
    "newest_of",
    "occurrences",
    "opened_engine",
    "plan_month",
    "published_events",
    "rate_month",
]
