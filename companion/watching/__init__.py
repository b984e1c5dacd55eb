"""A table in play before a camera: an eye in its own process, and what is played.

`eye` runs vision and tells of views of the table; `playing` turns views into events of
the ledger; `companion.watch` holds both together for terminal and page.
"""
