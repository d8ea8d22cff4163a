"""Which of several OpenGL contexts commands go to, and who may give them."""

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, Protocol, TypeVar, cast

import moderngl

from pucker._core import Error

Method = TypeVar("Method", bound=Callable[..., Any])


class ContextError(Error):
    """No OpenGL 4.3 context could be made or used, or it lacks room for what is to be drawn."""


def make_current(context: moderngl.Context) -> None:
    """Makes a context the one that commands go to; moderngl itself does so only for the newest one.

    Leaving moderngl's `with` would leave the thread without any context, also where the caller had one.
    """
    context.__enter__()  # type: ignore[no-untyped-call]


class Device:
    """A context in the hands of the thread that took it, until it is closed.

    Raises ContextError if another thread holds it.
    """

    def __init__(self, context: moderngl.Context) -> None:
        self.context = context
        self._thread = threading.get_ident()
        self._closed = False
        make_current(context)
        try:
            context.buffer(reserve=4).release()
        except moderngl.Error as error:
            raise ContextError("another thread holds the context, only one can use it") from error

    def enter(self) -> None:
        """Makes the context current. Raises ContextError from another thread, and once it is closed."""
        # A context is current in one thread at a time: from another, commands would go nowhere without an error.
        if threading.get_ident() != self._thread:
            raise ContextError("a renderer and its surfaces can only be used by the thread that made them")
        if self._closed:
            raise ContextError("the renderer is closed; what it drew is freed")
        make_current(self.context)

    @property
    def closed(self) -> bool:
        """Whether nothing can be drawn any more."""
        return self._closed

    def close(self) -> None:
        """Refuses all further use."""
        self._closed = True


class HasDevice(Protocol):
    """Anything that draws with a device."""

    @property
    def device(self) -> Device:
        """What it draws with."""
        ...


def in_context(method: Method) -> Method:
    """Runs a method of something that has a `device` with its context current."""

    @wraps(method)
    def run(self: HasDevice, *args: Any, **kwargs: Any) -> Any:
        self.device.enter()
        return method(self, *args, **kwargs)

    return cast("Method", run)
