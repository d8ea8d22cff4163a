"""GPU time of the passes of a picture."""

from collections.abc import Iterator
from contextlib import contextmanager

import moderngl


class PassTimer:
    """One timer query a pass, which costs nothing until its result is asked for.

    A query holds 32 bits of nanoseconds, so a pass of more than 4.29 s is reported modulo that.
    """

    def __init__(self, context: moderngl.Context) -> None:
        self._context = context
        self._queries: dict[str, moderngl.Query] = {}
        self._run: list[str] = []

    def restart(self) -> None:
        """Forgets the passes of the last picture."""
        self._run.clear()

    @contextmanager
    def measured(self, name: str) -> Iterator[None]:
        """Measures the GPU commands of a pass; passes must neither nest nor share a name within a picture."""
        if name not in self._queries:
            self._queries[name] = self._context.query(time=True)
        self._run.append(name)
        with self._queries[name]:
            yield

    def seconds(self) -> dict[str, float]:
        """Time of each pass of the last picture, in order; waits for the GPU to have finished them."""
        return {name: 1e-9 * self._queries[name].elapsed for name in self._run}
