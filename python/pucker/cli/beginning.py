"""The first frames of a clip, where nothing that a command shows or says of it needs the others."""

from typing import TYPE_CHECKING, Final

from pucker._core.scene import scenery_of
from pucker.cli.deformation import holds_pose, keeps_shape
from pucker.io import facets_of

if TYPE_CHECKING:
    import pucker
    from pucker.cli.choices import Cloth
    from pucker.io import IsolatedSource

# Frames per second of which a clip has one.
_ONE_FRAME: Final = 1e-6


def load_beginning(cloth: "Cloth", source: "IsolatedSource", frames: int) -> "pucker.Clip | None":
    """The first frames of the clip that `cloth` chooses of an open file, with the bits that they have in the whole clip.

    None where the whole clip is needed: to tell how smooth coarse cloth is shown, what of the body is scenery that never moves,
    and whether anything moves or changes its shape.
    """
    as_it_is = cloth.smooth == 0
    # One frame tells at little cost that cloth is coarse.
    if not as_it_is and not facets_of(source.load(clip=cloth.clip, parts=cloth.parts, fps=_ONE_FRAME)).is_fine:
        return None
    clip = cloth.loaded_from(source, frames)
    is_all = len(clip) < frames
    told_by_all = holds_pose(clip) or keeps_shape(clip) or bool(scenery_of(clip).any())
    return clip if is_all or ((as_it_is or facets_of(clip).is_fine) and not told_by_all) else None
