"""Writers of what `pucker.io.export` gathers, `paths_*`, one module a format, and what writers share.

Each needs packages of its own and is imported when it is used.
"""
