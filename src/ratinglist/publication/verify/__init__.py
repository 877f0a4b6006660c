"""Verify what was published. This package alone states what each file must be, and compares it.

=====================  ================================================================================
``folders``            a revision, a month or all that is published, as it came to a reader: no home
``old_ratings``        the old ratings of a list against the revision that it names as the list before
``against_manifest``   the files of one revision that a command is about to use
``published_files``    the one comparison of ``{path: sha256}``; and of a home what its log states
=====================  ================================================================================
"""
