"""Tables as TOML documents, which `tomllib` of the standard library only reads."""

import json
from collections.abc import Mapping
from typing import Any


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
