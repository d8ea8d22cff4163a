"""Prints each source of the project that build/tidy compiles, followed by the headers of the project it includes."""

import json
import re
from pathlib import Path

INCLUDE = re.compile(r'^#include "(.*)"', re.MULTILINE)
root = Path.cwd() / "cpp"


def walk(file, folders, found):
    """Adds a file and what it includes, directly or not, to `found`."""
    found[file] = None
    for name in INCLUDE.findall(file.read_text(encoding="utf-8")):
        header = next((h for folder in (file.parent, *folders) if (h := (folder / name).resolve()).is_file()), None)
        if header and header.is_relative_to(root) and header not in found:
            walk(header, folders, found)


for entry in json.loads(Path("build/tidy/compile_commands.json").read_text(encoding="utf-8")):
    files = {}
    if Path(entry["file"]).is_relative_to(root):
        walk(Path(entry["file"]), [Path(folder) for folder in re.findall(r"-I(\S+)", entry["command"])], files)
        print(*(file.relative_to(Path.cwd()) for file in files))
