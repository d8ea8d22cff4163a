"""Painting wrinkles on a view of waves with the mouse."""

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import ipywidgets

from pucker._core.scene import drag

from .painting import Painting

# Radius at first, as a share of the clip's height.
_RADIUS: Final = 0.06
_NARROW: Final = {"width": "auto"}


class Brush:
    """The brush of a view of waves: while it is `on`, a drag with the left button paints instead of turning the camera.

    Wrinkles come out across the way of the mouse, as if it pushed the cloth together. The view takes them up at the end of the drag,
    as a file that its `params.painting` names; the files last as long as the view, `painting.save` keeps one.

    Args:
        view: Of the wave field; its painting is gone on with.

    Attributes:
        painting: The `pucker.waves.Painting`.
        controls: The widget: on, erase, radius as a share of the height, strength, random, undo.
    """

    def __init__(self, view: Any, clip: Any) -> None:
        self._view, self._clip = view, clip
        rest = clip.positions[0] if clip.rest is None else clip.rest
        file = view.params.painting
        self.painting = Painting.load(file, clip.mesh, rest) if file else Painting(clip.mesh, rest)
        self._folder = TemporaryDirectory(prefix="pucker-painting-")
        self._files = 0
        self._drag: ExitStack | None = None
        self._place = (0.0, 0.0)
        self._on = ipywidgets.ToggleButton(description="paint", icon="paint-brush", layout=_NARROW)
        self._erase = ipywidgets.Checkbox(description="erase", indent=False, layout=_NARROW)
        self._radius = ipywidgets.FloatSlider(
            _RADIUS, min=0.005, max=0.5, step=0.005, description="radius", readout_format=".3f"
        )
        self._strength = ipywidgets.FloatSlider(0.6, min=0.0, max=0.99, step=0.01, description="strength")
        random = ipywidgets.Button(description="random", tooltip="Paint everything anew at random", layout=_NARROW)
        undo = ipywidgets.Button(description="undo", icon="undo", tooltip="Take the last change back", layout=_NARROW)
        random.on_click(lambda _: self.random(self._files))
        undo.on_click(lambda _: self.undo())
        self.controls = ipywidgets.VBox(
            [ipywidgets.HBox([self._on, self._erase, random, undo]), self._radius, self._strength]
        )

    @property
    def on(self) -> bool:
        """Whether a drag paints; may be assigned, as may `erase`, `radius` and `strength`."""
        return bool(self._on.value)

    @on.setter
    def on(self, value: bool) -> None:
        self._on.value = value

    @property
    def erase(self) -> bool:
        """Whether a drag erases."""
        return bool(self._erase.value)

    @erase.setter
    def erase(self, value: bool) -> None:
        self._erase.value = value

    @property
    def radius(self) -> float:
        """As a share of the clip's height."""
        return float(self._radius.value)

    @radius.setter
    def radius(self, value: float) -> None:
        self._radius.value = value

    @property
    def strength(self) -> float:
        """In [0, 1)."""
        return float(self._strength.value)

    @strength.setter
    def strength(self, value: float) -> None:
        self._strength.value = value

    def random(self, seed: int) -> None:
        """Paints everything anew at random, as strong as the brush."""
        self.painting.random(seed, strength=self.strength)
        self._show()

    def undo(self) -> None:
        """Takes the last drag back."""
        if self.painting.undo():
            self._show()

    def down(self, x: float, y: float) -> None:
        """A drag begins at a place of the picture."""
        self._place = x, y
        self._drag = ExitStack()
        self._drag.enter_context(self.painting.together())

    def to(self, x: float, y: float) -> None:
        """The drag goes on to a place."""
        way = x - self._place[0], y - self._place[1]
        snapshot = self._view.shown
        if self._drag is None or snapshot is None or way == (0.0, 0.0):
            return
        self._place = x, y
        drag(
            self.painting,
            self._clip,
            snapshot.frame,
            self._view.camera,
            self._view.size,
            to=self._place,
            way=way,
            erase=self.erase,
            radius=self.radius,
            strength=self.strength,
        )

    def up(self) -> None:
        """The drag ends."""
        if self._drag is not None:
            self._drag.close()
            self._drag = None
            self._show()

    def close(self) -> None:
        """Removes the files."""
        self._folder.cleanup()

    def _show(self) -> None:
        """Has the view take the painting up; each in a file of its own, so that parameters say which it is."""
        path = Path(self._folder.name) / f"{self._files}.npz"
        self._files += 1
        self.painting.save(path)
        self._view.params = self._view.params.replace(painting=str(path))
