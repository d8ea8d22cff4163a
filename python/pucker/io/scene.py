"""Files that the core reads, of which those that it does not know how to read are written anew first."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pucker._core import sources
from pucker.io import dae_plain, fbx_plain, gltf_plain
from pucker.io.limits import Limits


@dataclass
class Rewritten:
    """What the core reads in place of what files hold, and sentences that tell what of them it reads otherwise than they say."""

    contents: dict[os.PathLike[Any] | str | bytes, bytes] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def rewritten(files: Iterable[Path], *, anywhere: bool, limits: Limits, rare_pictures: bool = True) -> Rewritten:
    """Those of the files that the core does not know how to read, written anew; see `gltf_plain.plain`, `fbx_plain.plain` and
    `dae_plain.plain`.

    Raises:
        pucker.Error: If one of them is damaged.
    """
    found = Rewritten()
    for file in files:
        told: list[str] = []
        content = dae_plain.plain(file, limits)
        changed = None
        if content is None:
            changed = gltf_plain.plain(file, anywhere=anywhere, limits=limits, rare_pictures=rare_pictures)
            changed = changed or fbx_plain.plain(file, limits)
        if changed is not None:
            content, told = changed
        if content is not None:
            found.contents[file] = content
            found.notes += [f"{file}: {sentence}" for sentence in told]
    return found


def open_file(path: Path, motion: Path | None, *, anywhere: bool, limits: Limits) -> tuple[sources.Source, list[str]]:
    """A file of a format that the core reads, see `pucker.load`, and what of it is read otherwise than it says.

    Raises pucker.Error.
    """
    files = [path] if motion is None else [path, motion]
    anew = rewritten(files, anywhere=anywhere, limits=limits)
    source = sources.open_file(
        path, motion, contents=anew.contents, anywhere=anywhere, memory=limits.memory, frames=limits.frames
    )
    return source, anew.notes
