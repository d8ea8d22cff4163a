"""A garment out of Blender's scene as a clip, or as a source of several."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

import pucker
from pucker._core import facets_of, sources
from pucker.drape.method import StretchedArmsWarning
from pucker.method import method_named

from .actions import beginnings, mover
from .cloth import Floats, Frames, Recorded, Refusal, Topology, check, numbers, posed, record, y_up
from .jobs import section
from .parameters import chosen

# Parts of a clip: the garment, the rest of its object, and another object that it is worn over.
CLOTH, REST, WORN = "cloth", "rest", "worn"


@dataclass(frozen=True)
class Garment:
    """A garment's clip."""

    clip: "pucker.Clip"
    rest: int
    """How many of the clip's body triangles are of the garment's own object; after them come those of another one."""
    smoothed: int = 0
    """How often the object was subdivided because nobody chose and its triangles would be seen."""


Motion = tuple[str, Recorded, Recorded | None]


def read(context: bpy.types.Context, obj: bpy.types.Object) -> Generator[float, None, Garment]:
    """An object's cloth over the scene's frames, and for draped cloth what it is worn over; yields the share that is done.

    Both are as smooth as the object is set to. Raises Refusal as `record`, and for an object that is nothing to wrinkle.
    """
    check(obj)
    if obj.pucker.method == "byexample" and not obj.pucker.byexample.trained:
        raise Refusal("Choose a trained set, or make one by Train in place")
    if obj.pucker.method == "drape" and ":" in obj.pucker.drape.cut:
        raise Refusal(
            f"Cut is rest, first or an .npy here, not '{obj.pucker.drape.cut}': a file has other parts than the object. "
            "Empty, it is an action in which the character stands"
        )
    worn = _worn_over(obj)
    drapes = obj.pucker.method == "drape" and not obj.pucker.drape.cut
    reading = both(context, obj, worn, Frames.of(context.scene), context.scene.name)
    motion = yield from section(reading, 0.0, 0.8 if drapes else 1.0)
    stands = (yield from section(standing(context, obj, [motion]), 0.8, 1.0)) if drapes else []
    clip = source_of(obj, [motion, *stands]).load(clip=motion[0], parts=[CLOTH], fps=motion[1].rate)
    rest = int((~motion[1].topology.cloth).sum())
    levels, chose = levels_of(obj, clip)
    smooth = clip.with_smooth_body(levels) if keeps_mesh(obj, chosen(obj).params()) else clip.smoothed(levels)
    # Triangles that name a vertex twice are left out where a clip is made smooth.
    corners = np.sort(clip.body_faces[:rest], axis=1)
    whole = int((np.diff(corners, axis=1) > 0).all(axis=1).sum()) if levels else rest
    return Garment(smooth, whole * 4**levels, 0 if chose else levels)


def _worn_over(obj: bpy.types.Object) -> bpy.types.Object | None:
    """Another object that draped cloth is kept out of."""
    return obj.pucker.body if obj.pucker.method == "drape" else None


def keeps_mesh(obj: bpy.types.Object, params: Any = None) -> bool:
    """Whether the method that an object is set to takes the mesh as it is, so that *Smooth* is not asked for.

    `params` are those of the run; without them the object's, or the method's defaults where these are refused.
    """
    method = method_named(obj.pucker.method)
    if params is None:
        try:
            params = chosen(obj).params()
        except ValueError:
            params = method.params()
    return method.keeps_mesh(params)


def levels_of(obj: bpy.types.Object, clip: "pucker.Clip") -> tuple[int, bool]:
    """How often an object's clip is to be subdivided before it wrinkles, and whether someone chose that.

    If the method keeps the mesh, what is subdivided is the rest of the object; never another one that it is worn over, which is
    shown as it is.
    """
    if keeps_mesh(obj, chosen(obj).params()):
        return 0 if _worn_over(obj) else facets_of(clip).smooth, True
    if obj.pucker.smooth != "AUTO":
        return int(obj.pucker.smooth), True
    return facets_of(clip).smooth, False


def beside_the_point(obj: bpy.types.Object) -> tuple[type[Warning], ...]:
    """Warnings that say nothing of an object: without an armature it has no arms."""
    return () if mover(obj).type == "ARMATURE" else (StretchedArmsWarning,)


def in_words(obj: bpy.types.Object) -> str:
    """What to tell of an object that was made smooth because nobody chose."""
    return f"{obj.name} is made smooth, as its triangles would be seen; Smooth in the panel changes that"


def both(
    context: bpy.types.Context, obj: bpy.types.Object, worn: bpy.types.Object | None, frames: Frames, name: str
) -> Generator[float, None, Motion]:
    """An object over some frames, and another one that it is worn over, if there is one; raises Refusal as `record`."""
    if worn == obj:
        raise Refusal(f"{obj.name} cannot be worn over itself: choose another body, or none")
    own = yield from section(record(context, obj, frames), 0.0, 1.0 if worn is None else 0.5)
    over = None
    if worn is not None:
        over = yield from section(record(context, worn, frames, worn=True), 0.5, 1.0)
    return name, own, over


def standing(
    context: bpy.types.Context, obj: bpy.types.Object, motions: Sequence[Motion]
) -> Generator[float, None, list[Motion]]:
    """The first frame of each further action that can move an object: one may be the pose that its clothes are cut for.

    Left out are those in which the object, or what it is worn over, does not consist of what it does in the motions.
    """
    _, own, over = motions[0]
    names, found = {name for name, _, _ in motions}, []
    for share, name in beginnings(context, obj):
        now = posed(context, obj, own)
        worn = None if over is None else posed(context, obj.pucker.body, over)
        if name not in names and now is not None and (over is None) == (worn is None):
            found.append((name, now, worn))
        yield share
    return found


def source_of(obj: bpy.types.Object, motions: Sequence[Motion]) -> sources.Source:
    """A source with the parts `CLOTH`, `REST` and `WORN` and a clip of each motion.

    A motion is its name, what the object was, and what another one was that it is worn over, if there is one. Raises Refusal for
    motions of which the object consists of something else.
    """
    name, first, over = motions[0]
    own, worn = first.topology, over and over.topology
    for other, recorded, over in motions:
        for have, now in ((own, recorded.topology), (worn, over and over.topology)):
            if have is not None and not np.array_equal(have.corners, now.corners):
                raise Refusal(f"{obj.name} changes: its faces in {other} are not those in {name}")
    character = _character(own, worn)
    stored = [_stored(recorded, over) for _, recorded, over in motions]
    base = _base(obj, own, np.concatenate([recorded.keys for _, recorded, _ in motions]))
    if base is not None and worn is not None:
        base = np.concatenate([base, stored[0][0, len(base) :]])
    return sources.from_poses(
        obj.name,
        "blender",
        character,
        stored[0][0] if base is None else base,
        [
            (each, (len(poses) - 1) / recorded.rate, _at(poses, recorded.rate))
            for (each, recorded, _), poses in zip(motions, stored, strict=True)
        ],
        bind_pose=base,
    )


def _at(poses: Floats, rate: float) -> Any:
    return lambda time: poses[round(time * rate)]


def _stored(recorded: Recorded, over: Recorded | None) -> Floats:
    """(frames, N, 3) of all stored vertices."""
    own = recorded.positions[:, recorded.topology.clip_vertices]
    if over is None:
        return own
    return np.concatenate([own, over.positions[:, over.topology.clip_vertices]], axis=1)


def _character(own: Topology, worn: Topology | None) -> sources.Character:
    """An object, and behind it the one that it is worn over."""
    both = [own] if worn is None else [own, worn]
    count = [len(each.clip_vertices) for each in both]
    materials = []
    for made in (slot for each in both for slot in each.slots):
        colour = {} if made is None else {"name": made.name, "color": list(made.diffuse_color)}
        materials.append(pucker.Material(**colour))
    pieces = [np.where(own.cloth, 0, 1)] + [np.full(len(each.faces), 2) for each in both[1:]]
    coordinates = [np.zeros((k, 2)) if each.uv is None else each.uv for each, k in zip(both, count, strict=True)]
    normals = [np.zeros((k, 3)) if each.normals is None else each.normals for each, k in zip(both, count, strict=True)]
    numbered = [each.materials + min(k * len(own.slots), max(len(materials) - 1, 0)) for k, each in enumerate(both)]
    return sources.Character(
        sum(count),
        np.concatenate([each.faces + k * count[0] for k, each in enumerate(both)]).astype(np.int32),
        uv=None if all(each.uv is None for each in both) else np.concatenate(coordinates),
        normals=np.concatenate(normals),
        face_pieces=np.concatenate(pieces).astype(np.int32),
        pieces=[(CLOTH, CLOTH), (REST, REST)] + [(WORN, WORN) for _ in both[1:]],
        face_materials=np.concatenate(numbered).astype(np.int32) if materials else None,
        materials=materials,
    )


def _base(obj: bpy.types.Object, topology: Topology, keys: Floats) -> Floats | None:
    """The stored vertices (N, 3) of the mesh before its modifiers, which the cloth was made as; None if these add vertices.

    keys: (frames, k) values of its shape keys. Those that never change are part of how the cloth was made.
    """
    if len(obj.data.vertices) != topology.vertices:
        return None
    matrix = np.array(obj.matrix_world)
    points = _with_keys(obj, np.ptp(keys, axis=0) == 0.0)
    return y_up(points @ matrix[:3, :3].T + matrix[:3, 3])[topology.clip_vertices]


def _with_keys(obj: bpy.types.Object, taken: npt.NDArray[np.bool_]) -> Floats:
    """The vertices (n, 3) of an object's mesh, mixed with the shape keys that are taken, as Blender mixes them."""

    def points_of(data: Any) -> Floats:
        return numbers(data, "co", 3, np.float32).astype(np.float64)

    keys = obj.data.shape_keys
    if keys is None or not keys.use_relative:
        return points_of(obj.data.vertices)
    if obj.show_only_shape_key:
        return points_of(obj.active_shape_key.data)
    points = points_of(keys.reference_key.data)
    for key, take in zip(keys.key_blocks, taken, strict=True):
        if take and key != keys.reference_key and not key.mute and key.value != 0.0:
            weights = np.ones(len(points))
            if key.vertex_group in obj.vertex_groups:
                group = obj.vertex_groups[key.vertex_group].index
                weights = np.array(
                    [sum(g.weight for g in vertex.groups if g.group == group) for vertex in obj.data.vertices]
                )
            points += key.value * weights[:, None] * (points_of(key.data) - points_of(key.relative_key.data))
    return points
