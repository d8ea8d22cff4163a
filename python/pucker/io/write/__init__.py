"""Writers: `surface_*` of what `pucker.bake` makes, `paths_*` of what `pucker.io.export` gathers, one module a format.

Each needs packages of its own and is imported when it is used.
"""
