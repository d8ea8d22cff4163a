"""How commands fail: one sentence and an exit status."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NoReturn

import click

from pucker._at_once import INTERRUPTED, STATUS
from pucker.io.files import WriteError

# Of a message: one that quotes a damaged file may be as long as the file.
_MOST_CHARACTERS: Final = 1000


def printable(text: str) -> str:
    """A text of a file as a terminal may have it: characters that are not printable, such as escapes, as Python writes them."""
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


class Failure(click.ClickException):
    """What was asked for cannot be done: one sentence of at most 1 000 characters, exit status 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """Prints the sentence, on the error output unless said otherwise."""
        told = printable(self.format_message())
        cut = told if len(told) <= _MOST_CHARACTERS else f"{told[:_MOST_CHARACTERS]}…"
        click.echo(f"pucker: {cut}", file=file, err=file is None)


class NotWritten(Failure):
    """What was asked for is done, but there is no room for it: exit status 1."""

    exit_code = 1


class Interrupted(Failure):
    """The user did not want to wait: exit status 130, as shells have it."""

    exit_code = STATUS


def fail(reason: object, kind: type[Failure] = Failure) -> NoReturn:
    """Ends the command with one sentence."""
    raise kind(" ".join(str(reason).split()))


@contextmanager
def needing(extra: str, what: str) -> Iterator[None]:
    """Says which extra to install if a package is missing that is imported inside."""
    try:
        yield
    except ModuleNotFoundError as error:
        fail(f"{what} needs {error.name}: install the extra pucker[{extra}]")


def _is_interrupted(error: BaseException | None) -> bool:
    """Whether an error is what compiled modules make of Ctrl-C while they are imported."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


class Group(click.Group):
    """Turns the errors a user can cause into one sentence; any other keeps its traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command that was asked for."""
        import pucker

        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            fail(INTERRUPTED, Interrupted)
        except WriteError as error:
            fail(error, NotWritten)
        except ImportError as error:
            if _is_interrupted(error):
                fail(INTERRUPTED, Interrupted)
            if "install the extra" not in str(error):
                raise
            fail(error)
        except BrokenPipeError:
            # Whoever reads the output has seen enough, as `head` does: click ends quietly.
            raise
        except (ValueError, OSError, pucker.Error) as error:
            fail(error)
