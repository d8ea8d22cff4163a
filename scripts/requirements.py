"""Prints the requirements of the build, of the package and of one of its extras, one a line."""

import re
import sys
import tomllib
from pathlib import Path

tree = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
extras = tree["project"]["optional-dependencies"]


def expanded(requirement):
    """Extras of the package itself are replaced by what they require."""
    own = re.fullmatch(r"pucker\[(.*)\]", requirement)
    if own is None:
        return [requirement]
    return [r for extra in own[1].split(",") for inner in extras[extra] for r in expanded(inner)]


lists = (tree["build-system"]["requires"], tree["project"]["dependencies"], expanded(f"pucker[{sys.argv[1]}]"))
print(*(requirement for each in lists for requirement in each), sep="\n")
