"""Plants faults, one at a time, and tells which of them the tests notice.

A fault is a line that says something else. It is put into the file, what needs it is built, the tests named beside it are
run, and the line is put back, whatever happens. Tests that were chosen wrongly let a fault live: the list says which
tests should see it, not all that might.
"""

import argparse
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Fault:
    """In a file, the only place that reads `right` reads `wrong`; the tests that should notice."""

    file: str
    right: str
    wrong: str
    tests: str

    def __str__(self) -> str:
        return f"`{self.file}`: `{self.right.strip()}` → `{self.wrong.strip()}`"


def faults() -> tuple[Fault, ...]:
    """Those of planted.toml."""
    rows = tomllib.loads((ROOT / "tests" / "planted.toml").read_text(encoding="utf-8"))["fault"]
    return tuple(Fault(**row) for row in rows)


def passes(tests: str, command: Sequence[str]) -> bool:
    """Whether these tests pass."""
    files = [f"tests/test_{name}.py" for name in tests.split()]
    return (
        subprocess.run(
            [*command, "-m", "pytest", "-q", "-x", *files], cwd=ROOT, check=False, capture_output=True
        ).returncode
        == 0
    )


def lives(fault: Fault, command: Sequence[str]) -> bool:
    """Whether the tests pass with the fault in its place."""
    path = ROOT / fault.file
    content = path.read_text(encoding="utf-8")
    if content.count(fault.right) != 1:
        raise ValueError(f"{fault} must have one place, not {content.count(fault.right)}")
    try:
        path.write_text(content.replace(fault.right, fault.wrong), encoding="utf-8")
        return passes(fault.tests, command)
    finally:
        path.write_text(content, encoding="utf-8")


def main() -> None:
    """Plants those whose file holds the word given, or all; writes the table into docs/trust."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("word", nargs="?", default="")
    parser.add_argument("--python", nargs="+", default=["./run", "python"], help="what runs Python, and builds before")
    parser.add_argument("-o", type=Path, default=ROOT / "docs" / "trust" / "planted.md", help="table")
    chosen = parser.parse_args()
    planted = [fault for fault in faults() if chosen.word in fault.file]
    for tests in sorted({fault.tests for fault in planted}):
        if not passes(tests, chosen.python):
            sys.exit(f"these tests fail without a fault, and would tell nothing: {tests}")
    rows = []
    for fault in planted:
        lived = lives(fault, chosen.python)
        told = str(fault).replace("|", "\\|")  # which would end a cell
        rows.append(f"| {told} | {'lives' if lived else 'killed'} |")
        sys.stdout.write(rows[-1] + "\n")
        sys.stdout.flush()
    killed = sum("killed" in row for row in rows)
    table = ["| fault | |", "|---|---|", *rows, "", f"{killed} of {len(rows)} killed."]
    chosen.o.write_text("\n".join(table) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
