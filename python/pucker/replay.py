"""A clip running through a method, at any frame that is asked for."""

from typing import TYPE_CHECKING, Any

from pucker._core import scene
from pucker.method import start

if TYPE_CHECKING:
    import pucker


class Replay(scene.Replay):
    """The states of a clip under one set of parameters.

    A frame's detail depends on all frames before it. They are computed in order, and the run is saved now and then, so
    that an earlier frame is reached sooner than from the start; the bits are the same either way.

    Args:
        clip: The clip.
        params: Parameters of any method.
    """

    def __init__(self, clip: "pucker.Clip", params: Any) -> None:
        super().__init__(clip, start(clip, params))
        self.clip = clip
        self.params = params
