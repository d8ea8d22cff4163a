"""What truths are simulated over: the coarse clips of the scenes, who wears them, and the pose that they are cut for."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker import byexample
from pucker.areas import triangle_areas
from pucker.metrics.compare import Source, coarsen

from . import scenes_of_cloth as scenes

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Worn:
    """A garment in motion.

    Attributes:
        clip: Of the garment.
        body: Below it, or None.
        start: (n, 3) the pose that it is cut for.
        first: Frame from which it is judged.
        levels: At which its folds are kept.
        source: What it was loaded from.
        sewn: (s,) vertices that the rest of the character shares.
        character: That the clip is of; None for a clip of its own.
    """

    clip: pucker.Clip
    body: byexample.Body | None
    start: Array
    first: int
    levels: int
    source: str
    sewn: npt.NDArray[np.int64]
    character: Source | None = None

    @property
    def side(self) -> float:
        """Root of its area in the cut pose."""
        return float(np.sqrt(triangle_areas(self.clip.faces, self.start).sum()))


def _dressed(file: str, clip: str, cut: str, garment: str, levels: int) -> Worn:
    cloth, body, start = scenes.dressed(file, clip, cut, [garment])
    source = f"data/{file}, clip {clip}, part {garment}, cut from the first frame of {cut}"
    sewn = np.asarray(cloth.shared_vertices, dtype=np.int64)
    return Worn(cloth, body, start, 6, levels, source, sewn, Source(file, clip, (garment,)))


def _kimono(clip: str) -> Worn:
    return _dressed("kimono_male.gltf", clip, "Idle", "Clothes", 2)


# In the cut pose the hands are within the skirt, and would carry it up as they swing.
_ARMS: Final = ("UpperArm", "LowerArm", "Palm", "MiddleHand", "Fingers", "Thumb")


def _without_arms(body: byexample.Body, skin: pucker.Skin) -> byexample.Body:
    """The body without the triangles that arms and hands carry."""
    arms = [name.startswith(_ARMS) for name in skin.joints]
    share = np.zeros(len(body.start))
    owners = np.repeat(np.arange(len(share)), np.diff(skin.first))
    np.add.at(share, owners, skin.influence_weights * np.array(arms)[skin.influence_joints])
    faces = body.faces[(share[body.faces] <= 0.5).all(axis=1)]
    used, renumbered = np.unique(faces, return_inverse=True)
    return byexample.Body(
        renumbered.reshape(-1, 3).astype(np.int32), body.start[used], np.asarray(body.positions)[:, used]
    )


def _dress() -> Worn:
    file, woman = "female_dress.fbx", "HumanArmature|Female_"
    worn = _dressed(file, woman + "Run", woman + "Idle", "Dress", 3)
    skin = pucker.load(scenes.DATA / file, clip=woman + "Run", parts=["Skin"]).skin
    assert worn.body is not None
    assert skin is not None
    return replace(worn, body=_without_arms(worn.body, skin), source=f"{worn.source}, over the body without its arms")


def _bare(clip: pucker.Clip, first: int, source: str, body: byexample.Body | None = None) -> Worn:
    start = clip.positions[0] if clip.rest is None else clip.rest
    return Worn(clip, body, np.asarray(start), first, 2, source, np.zeros(0, dtype=np.int64))


def _sleeve() -> Worn:
    clip = scenes.sleeve_clip()
    return _bare(clip, 8, "bench/scenes_of_cloth.py, sleeve", scenes.limb_in(clip, scenes.SLEEVE_LIMB))


def _knee() -> Worn:
    clip = scenes.knee_clip()
    return _bare(clip, 8, "bench/scenes_of_cloth.py, knee", scenes.limb_in(clip, scenes.KNEE_LIMB))


def _shirt() -> Worn:
    clip = coarsen(scenes.shirt_clip(), scenes.SHIRT_TRIANGLES)
    clip = pucker.Clip.from_arrays(clip.faces, clip.positions[:_LONGEST], clip.times[:_LONGEST], weld=False)
    return _bare(clip, 8, f"data/tshirt_wind.zip, decimated to {scenes.SHIRT_TRIANGLES} triangles")


_LONGEST: Final = 31

WORN: Final[dict[str, Callable[[], Worn]]] = {
    "kimono-run": lambda: _kimono("Run"),
    "kimono-sitdown": lambda: _kimono("SitDown"),
    "dress-run": _dress,
    "cowboy": lambda: _bare(scenes.cowboy_clip(), 5, "data/cowboy.dae, clothes"),
    "sleeve": _sleeve,
    "knee": _knee,
    "curtain": lambda: _bare(scenes.curtain_clip(), 10, "bench/scenes_of_cloth.py, curtain"),
    "towel": lambda: _bare(scenes.towel_clip(), 10, "bench/scenes_of_cloth.py, towel"),
    "tshirt": _shirt,
}
