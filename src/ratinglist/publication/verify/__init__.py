"""Verify what was published. This package alone states what each file must be, and compares it.

=====================  ================================================================================
``folders``            a revision, a month or all that is published, as it came to a reader: no home
``published_files``    the one comparison of ``{path: sha256}``; of a home what its log states; of one revision the
                       files that a command is about to use
=====================  ================================================================================
"""
