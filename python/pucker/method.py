"""What the methods have in common: a run of one method, the state of a frame, and the detail over it."""

from pucker._core.method import *  # noqa: F403
