"""Which of several OpenGL contexts commands go to."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import moderngl

Method = TypeVar("Method", bound=Callable[..., Any])


def make_current(context: moderngl.Context) -> None:
    """Makes a context the one that commands go to; moderngl itself does so only for the newest one.

    Leaving moderngl's `with` would leave the thread without any context, also where the caller had one.
    """
    context.__enter__()  # type: ignore[no-untyped-call]


def in_context(method: Method) -> Method:
    """Runs a method of something that has a `context` with that context current."""

    @wraps(method)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        make_current(self.context)
        return method(self, *args, **kwargs)

    return cast("Method", run)
