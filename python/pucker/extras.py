"""Packages that only some of the program needs, and what to install for them."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needing(extra: str, what: str) -> Iterator[None]:
    """Has a ModuleNotFoundError from inside say which extra to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{what} needs {error.name}: install the extra pucker[{extra}]", name=error.name
        ) from None
