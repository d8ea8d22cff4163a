"""The dynamic method (Gillette and Peters 2015): wrinkles along paths that are traced, carried and shaped."""

from .packed import Packed

__all__ = ["Packed"]
