"""The list of licences is whole."""

import re
from pathlib import Path

import pucker

ROOT = Path(__file__).resolve().parents[1]


def rows() -> list[list[str]]:
    """Cells of the table."""
    page = (ROOT / "docs/licences.md").read_text(encoding="utf-8")
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("|")
    ]
    return cells[2:]


def test_every_text_is_listed_and_every_listed_text_is_there() -> None:
    listed = {name for row in rows() for name in re.findall(r"`(.*)`", row[4])}
    assert listed == {path.name for path in (ROOT / "licenses").iterdir()} | {"LICENSE"}


def test_every_library_that_is_told_is_listed() -> None:
    names = [row[0] for row in rows()]
    assert set(pucker.libraries()) <= set(names)
    assert names[1:-1] == sorted(names[1:-1], key=str.casefold)
