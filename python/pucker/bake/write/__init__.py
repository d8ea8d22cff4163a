"""Writers of what `pucker.bake` makes, one module a format.

Each needs packages of its own and is imported when it is used.
"""
