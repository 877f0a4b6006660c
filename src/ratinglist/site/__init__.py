"""A static site of everything published: pages, and data files that a browser reads.

What other packages use stands here: :func:`months_of_site` reads what is published, and :func:`build_site` writes a
:class:`Request` into a :class:`SiteFolder`.
"""
