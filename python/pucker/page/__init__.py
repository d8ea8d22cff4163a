"""A clip with its wrinkles as one HTML file: turn it, scrub it, play it, and wipe from the coarse mesh to the wrinkled one.

The file needs nothing but a browser, neither a network nor a server; it can be mailed, kept and put on any site.
"""

from pucker.extras import needing

with needing("page", "pucker.page"):
    from .clip import SHARES, PageReport, TooLarge, write

__all__ = ["SHARES", "PageReport", "TooLarge", "write"]
