"""Errors of USD as those of files."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pxr import Tf


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turns what goes wrong inside into an OSError about `path`."""
    try:
        yield
    except Tf.ErrorException as error:
        # There may be hundreds, of which the first is the cause of the others.
        raise OSError(0, " ".join(error.args[0].commentary.split()), str(path)) from error
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
