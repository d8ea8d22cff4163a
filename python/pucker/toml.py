"""Tables as TOML documents: writing, which `tomllib` of the standard library does not, and errors that name the file."""

import json
import tomllib
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from pucker._core import Error, did_you_mean


def read(path: Path, what: str) -> dict[str, Any]:
    """The tables of a file, which errors call `what`; raises pucker.Error if it is missing, ValueError if it is no TOML."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Error(f"cannot read {what} {path}: {error.strerror}") from error
    except UnicodeDecodeError:
        raise ValueError(f"{what} {path} is not TOML: it is no text") from None
    except ValueError as error:
        raise ValueError(f"{what} {path} is not TOML: {error}") from error


def check_keys(keys: Iterable[str], known: Collection[str], what: str) -> None:
    """Raises ValueError for the first key of `what` that is not known, naming those there are."""
    for key in keys:
        if key not in known:
            names = list(known)
            raise ValueError(f"{what} has no {key!r}{did_you_mean(key, names)}; there are {', '.join(names)}")


def dumps(values: Mapping[str, Any], table: str = "") -> str:
    """Numbers, switches, texts and tables by their names; what is None is left out, as TOML has no word for it."""
    leaves = {name: value for name, value in values.items() if value is not None and not isinstance(value, Mapping)}
    tables = {name: value for name, value in values.items() if isinstance(value, Mapping)}
    head = f"\n[{table}]\n" if table and leaves else ""
    parts = [head, *(f"{name} = {_value(value)}\n" for name, value in leaves.items())]
    parts += [dumps(inner, f"{table}.{name}".lstrip(".")) for name, inner in tables.items()]
    return "".join(parts)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    # The texts of JSON are those of TOML, but for letters escaped in halves and the one control character left as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f") if isinstance(value, str) else repr(value)
