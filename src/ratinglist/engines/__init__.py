"""A month in buckets: its steps over files of events and of players, on this machine or on a cluster.

The modules of ``rating`` compute; here their frames are read from bucketed Parquet files and written to them. Nothing
here opens the store: what a worker needs is in the folder of the buckets.
"""
