"""Where the picture is taken from."""

import json
import os
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from pucker.io.files import replacing

from .appearance import DEFAULT_SIZE, DEFAULTS

Vector = npt.NDArray[np.float64]

# Azimuth and elevation in degrees; y is up and characters look along +z.
VIEWS: Final[dict[str, tuple[float, float]]] = {
    name: (angles[0], angles[1]) for name, angles in DEFAULTS["camera"]["views"].items()
}
DEFAULT_VIEW: Final[str] = DEFAULTS["camera"]["view"]
_FIELD_OF_VIEW: Final[float] = DEFAULTS["camera"]["field_of_view"]


def _unit(vector: Vector) -> Vector:
    return vector / np.linalg.norm(vector)


@dataclass(frozen=True)
class Camera:
    """A perspective camera: `eye` looks at `target`; `field_of_view` is the vertical opening angle in degrees."""

    eye: tuple[float, float, float]
    target: tuple[float, float, float]
    field_of_view: float = _FIELD_OF_VIEW
    near: float = DEFAULTS["camera"]["near"]
    far: float = DEFAULTS["camera"]["far"]

    @classmethod
    def orbit(
        cls,
        target: npt.ArrayLike,
        distance: float,
        azimuth: float,
        elevation: float,
        *,
        field_of_view: float = _FIELD_OF_VIEW,
    ) -> Self:
        """A camera on a sphere round `target`; angles in degrees, azimuth 0 looks from +z, 90 from +x."""
        if not distance > 0.0:
            raise ValueError(f"the distance of a camera must be positive, not {distance}")
        if not -90.0 < elevation < 90.0:
            raise ValueError(f"the elevation of a camera must lie strictly between -90 and 90 degrees, not {elevation}")
        phi, theta = np.radians(azimuth), np.radians(elevation)
        back = np.array([np.sin(phi) * np.cos(theta), np.sin(theta), np.cos(phi) * np.cos(theta)])
        centre = np.asarray(target, dtype=np.float64)
        eye = centre + distance * back
        return cls(
            tuple(eye.tolist()), tuple(centre.tolist()), field_of_view, near=distance / 100.0, far=distance * 10.0
        )

    @classmethod
    def fit(
        cls,
        points: npt.ArrayLike,
        view: str | tuple[float, float] = DEFAULT_VIEW,
        *,
        aspect: float = DEFAULT_SIZE[0] / DEFAULT_SIZE[1],
        field_of_view: float = _FIELD_OF_VIEW,
        margin: float = DEFAULTS["camera"]["margin"],
    ) -> Self:
        """The nearest camera of a view that sees all points (k, 3).

        `view` is a name of `VIEWS` or (azimuth, elevation) in degrees; `aspect` is width over height; `margin` is the
        share by which the picture is wider than what it shows.
        """
        cloud = np.asarray(points, dtype=np.float64).reshape(-1, 3)
        if len(cloud) == 0:
            raise ValueError("a camera needs at least one point to fit")
        azimuth, elevation = _angles(view)
        low, high = cloud.min(axis=0), cloud.max(axis=0)
        size = float(np.linalg.norm(high - low)) or 1.0
        draft = cls.orbit(0.5 * (low + high), size, azimuth, elevation, field_of_view=field_of_view)
        right, up, back = draft.axes
        local = (cloud - np.asarray(draft.target)) @ np.stack([right, up, back], axis=1)
        # The box round the points as the camera sees it is centred before the distance is chosen.
        centre = 0.5 * (local.min(axis=0) + local.max(axis=0))
        local -= centre
        target = np.asarray(draft.target) + centre @ np.stack([right, up, back])
        slope = np.tan(np.radians(0.5 * field_of_view)) / margin
        distance = np.max(np.maximum(np.abs(local[:, 0]) / (slope * aspect), np.abs(local[:, 1]) / slope) + local[:, 2])
        distance = max(float(distance), 1e-6 * size)
        fitted = cls.orbit(target, distance, azimuth, elevation, field_of_view=field_of_view)
        # What is flat to the camera may still be displaced towards it.
        depth = max(float(np.abs(local[:, 2]).max()), 0.1 * size)
        return replace(fitted, near=max(distance - 1.5 * depth, 0.02 * distance), far=distance + 1.5 * depth + size)

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Writes the camera as a JSON object of its fields, which the native viewer reads too."""
        with replacing(path) as temporary:
            temporary.write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")

    @classmethod
    def from_json(cls, path: str | os.PathLike[str]) -> Self:
        """A camera from a file of `to_json`; fields but `eye` and `target` may be left out.

        Raises ValueError for anything else than such an object, and for an eye at its target, an opening angle outside
        (0, 180) degrees, or planes that are not 0 < near < far.
        """
        try:
            values = json.loads(Path(path).read_text(encoding="utf-8"))
        except json.JSONDecodeError as error:
            raise ValueError(f"camera {path} is not JSON: {error}") from error
        known = [item.name for item in fields(cls)]
        if not isinstance(values, dict) or not {"eye", "target"} <= values.keys() <= set(known):
            raise ValueError(f"camera {path} must be an object of {', '.join(known)}, with at least eye and target")
        camera = cls(**{name: _number_or_vector(path, name, value) for name, value in values.items()})
        if camera.eye == camera.target:
            raise ValueError(f"camera {path} must not have its eye at its target {camera.target}")
        if not 0.0 < camera.field_of_view < 180.0:
            raise ValueError(f"camera {path} must have a field_of_view in (0, 180), not {camera.field_of_view}")
        if not 0.0 < camera.near < camera.far:
            raise ValueError(f"camera {path} must have 0 < near < far, not {camera.near} and {camera.far}")
        return camera

    @property
    def axes(self) -> tuple[Vector, Vector, Vector]:
        """Unit vectors to the right, up and towards the viewer."""
        back = _unit(np.asarray(self.eye) - np.asarray(self.target))
        # Looking straight down, "up" is what lies ahead.
        helper = np.array([0.0, 1.0, 0.0]) if abs(back[1]) < 0.9999 else np.array([0.0, 0.0, -np.sign(back[1])])
        right = _unit(np.cross(helper, back))
        return right, np.cross(back, right), back

    def pixel_size(self, picture_height: int) -> float:
        """Length that one pixel covers at the target, in the units of the scene."""
        distance = float(np.linalg.norm(np.asarray(self.eye) - np.asarray(self.target)))
        return 2.0 * distance * float(np.tan(np.radians(0.5 * self.field_of_view))) / picture_height

    def view_projection(self, aspect: float) -> npt.NDArray[np.float64]:
        """World to clip space, (4, 4), for column vectors."""
        view = np.eye(4)
        view[:3, :3] = np.stack(self.axes)
        view[:3, 3] = -view[:3, :3] @ np.asarray(self.eye)
        scale = 1.0 / np.tan(np.radians(0.5 * self.field_of_view))
        projection = np.zeros((4, 4))
        projection[0, 0] = scale / aspect
        projection[1, 1] = scale
        projection[2, 2] = (self.far + self.near) / (self.near - self.far)
        projection[2, 3] = 2.0 * self.far * self.near / (self.near - self.far)
        projection[3, 2] = -1.0
        return projection @ view


def _number_or_vector(path: str | os.PathLike[str], name: str, value: Any) -> Any:
    is_vector = name in ("eye", "target")
    numbers = value if is_vector and isinstance(value, list) else [value]
    valid = all(type(number) in (int, float) and np.isfinite(number) for number in numbers)
    if not valid or len(numbers) != (3 if is_vector else 1):
        raise ValueError(f"camera {path}: {name} must be {'three numbers' if is_vector else 'a number'}, not {value!r}")
    return tuple(float(number) for number in numbers) if is_vector else float(value)


def _angles(view: str | tuple[float, float]) -> tuple[float, float]:
    if not isinstance(view, str):
        return view
    if view not in VIEWS:
        raise ValueError(f'view must be one of {", ".join(VIEWS)}, not "{view}"')
    return VIEWS[view]
