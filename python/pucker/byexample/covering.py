"""Which of many clips to learn from."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from pucker._core import Clip
from pucker._core import _byexample as byexample
from pucker.farthest import distances_of

# Frames that are learned from at most: more take minutes, and hardly say anything new.
FRAMES: Final = 1200


def covering(clips: Sequence[Clip], frames: int = FRAMES) -> list[int]:
    """Which clips to learn from, in their order, so that no more than `frames` are learned from.

    The first is that with the frame whose edges are stretched the most; each further one that with the frame farthest, by
    its edges, from all frames chosen before, of those for which there is room. Where there is room for none, the shortest is chosen.

    Raises ValueError for no clip.
    """
    if not clips:
        raise ValueError("there must be a clip to learn from")
    rest = clips[0].positions[0] if clips[0].rest is None else clips[0].rest
    stretch = byexample.Features(clips[0].mesh, rest).stretch
    poses = [np.array([stretch(frame) for frame in clip.positions]) for clip in clips]
    away = [np.square(each - 1.0).sum(axis=1) for each in poses]
    chosen: list[int] = []
    room = frames
    while len(chosen) < len(clips):
        left = [k for k in range(len(clips)) if k not in chosen and len(poses[k]) <= room]
        if not left:
            break
        following = max(left, key=lambda k: float(away[k].max(initial=0.0)))
        for k in range(len(clips)):
            nearest = np.square(distances_of(poses[k], poses[following]).min(axis=1, initial=np.inf))
            away[k] = nearest if not chosen else np.minimum(away[k], nearest)
        chosen.append(following)
        room -= len(poses[following])
    return sorted(chosen) or [int(np.argmin([len(each) for each in poses]))]
