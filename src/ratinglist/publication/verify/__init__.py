"""Verify what was published. This package alone states what each file must be, and compares it.

=====================  ================================================================================
``folders``            a revision, a month or all that is published, as it came to a reader: no home
``against_manifest``   the files of one revision; all of them, or those that a command is about to use
``against_index``      what the signed index states: revisions, current ones, files that no manifest names
``published_files``    what the log of a home states of its published files and its calculations
``summary``            what was found
=====================  ================================================================================
"""
