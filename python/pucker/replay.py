"""A clip running through a method, at any frame that is asked for."""

from typing import TYPE_CHECKING, Any, Final

from pucker.method import start

if TYPE_CHECKING:
    import pucker

# A saved run is about as large as the mesh; reaching a frame between two takes at most so many steps.
STRIDE: Final = 16


class Replay:
    """The states of a clip under one set of parameters.

    A frame's detail depends on all frames before it. They are computed in order, and the run is saved now and then, so
    that an earlier frame is reached sooner than from the start; the bits are the same either way.
    """

    def __init__(self, clip: "pucker.Clip", params: Any) -> None:
        self.clip = clip
        self.params = params
        self._method = start(clip, params)
        self._frame = -1
        self._saved: list[tuple[bytes, Any]] = []
        self._advance()

    @property
    def frame(self) -> int:
        """Where the run stands."""
        return self._frame

    @property
    def state(self) -> Any:
        """The state of that frame."""
        return self._state

    @property
    def saved(self) -> list[int]:
        """Frames after which the run was saved."""
        return [STRIDE * k for k in range(len(self._saved))]

    def approach(self, frame: int) -> bool:
        """Goes one step of the shortest way to `frame`; says whether it stands there now."""
        if self._frame == frame:
            return True
        nearest = min(frame // STRIDE, len(self._saved) - 1)
        if frame < self._frame or nearest * STRIDE > self._frame:
            saved, self._state = self._saved[nearest]
            self._method = self._method.restored(saved)
            self._frame = nearest * STRIDE
        else:
            self._advance()
        return self._frame == frame

    def seek(self, frame: int) -> Any:
        """The state of `frame`, the same bits in whatever order frames are asked for."""
        while not self.approach(frame):
            pass
        return self._state

    def _advance(self) -> None:
        following = self.clip[self._frame + 1]
        self._state = self._method.advance(following.positions, following.time)
        self._frame = following.index
        if self._frame == len(self._saved) * STRIDE:
            self._saved.append((self._method.save(), self._state))
