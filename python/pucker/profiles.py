"""Cross-sections of wrinkles and the heights that keep the cloth's length across them."""

from pucker._core.profiles import *  # noqa: F403
