"""What holds for all that the compiled module binds: it takes no null, serves no object half made, and gives away no
memory that may go."""

import ast
import ctypes
import enum
import gc
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from motion import params_for

import pucker
from pucker import _core
from pucker.examples import folded_sheet
from pucker.render import Light, Lines, Mode, Output, Style, shaders

MODULES: list[ModuleType] = [
    _core,
    _core.method,
    _core.profiles,
    _core.sources,
    _core._byexample,
    _core._waves,
    _core.draw,
    _core.scene,
]
STUBS = Path(pucker.__file__).parent / "_core"
DATA = Path(__file__).resolve().parents[1] / "data"
# A function of C's that takes anything, in the place of OpenGL's.
NOTHING = ctypes.cast(ctypes.pythonapi.Py_IsInitialized, ctypes.c_void_p).value


# --- what there is ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Argument:
    name: str
    kind: str
    nullable: bool


@dataclass(frozen=True)
class Call:
    """One signature of the type stubs."""

    module: ModuleType
    owner: str
    name: str
    arguments: tuple[Argument, ...]
    bound: bool

    def __str__(self) -> str:
        return ".".join(filter(None, [self.module.__name__.removeprefix("pucker."), self.owner, self.name]))

    def function(self, instance: object | None = None) -> Callable:
        holder = getattr(self.module, self.owner) if self.owner else self.module
        if self.name == "__init__":
            return holder
        return getattr(instance if self.bound else holder, self.name)


def arguments_of(node: ast.FunctionDef) -> Iterator[Argument]:
    given = node.args
    positional = given.posonlyargs + given.args
    defaults = [None] * (len(positional) - len(given.defaults)) + [ast.unparse(d) for d in given.defaults]
    defaults += [ast.unparse(d) if d else None for d in given.kw_defaults]
    for place, argument in enumerate(positional + given.kwonlyargs):
        if argument.arg == "self":
            continue
        kind = ast.unparse(argument.annotation) if argument.annotation else ""
        nullable = "None" in kind or defaults[place] == "None"
        yield Argument(argument.arg, kind, nullable)


def is_property(node: ast.FunctionDef) -> bool:
    return any(ast.unparse(decorator) == "property" for decorator in node.decorator_list)


def functions_of(module: ModuleType) -> Iterator[tuple[str, ast.FunctionDef]]:
    """All functions of the module's stub with the class they stand in, but the operators."""
    file = STUBS / ("__init__.pyi" if module is _core else f"{module.__name__.rpartition('.')[2]}.pyi")
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        owner = node.name if isinstance(node, ast.ClassDef) else ""
        for function in inner:
            if isinstance(function, ast.FunctionDef) and (
                not function.name.startswith("_") or function.name in {"__init__", "__getitem__", "__setstate__"}
            ):
                yield owner, function


def calls() -> list[Call]:
    found = []
    for module in MODULES:
        for owner, node in functions_of(module):
            decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
            if any(decorator == "property" or decorator.endswith(".setter") for decorator in decorators):
                continue
            bound = bool(owner) and "staticmethod" not in decorators
            if owner and hasattr(getattr(getattr(module, owner), node.name), "__code__"):
                continue  # a function of the package's own, which the core does not bind
            found.append(Call(module, owner, node.name, tuple(arguments_of(node)), bound))
    return found


def properties() -> list[tuple[ModuleType, str, str]]:
    return [(m, owner, node.name) for m in MODULES for owner, node in functions_of(m) if owner and is_property(node)]


def classes() -> list[tuple[ModuleType, str]]:
    """Every class that the module binds, but errors and enumerations of Python's own kind."""
    return [
        (module, name)
        for module in MODULES
        for name, value in vars(module).items()
        if isinstance(value, type)
        and value.__module__ == module.__name__
        and not issubclass(value, Exception | enum.Enum)
    ]


@dataclass(frozen=True)
class _Lines:
    """Lines that nobody has checked."""

    ends: np.ndarray
    colour: tuple[float, float, float] = (0.0, 0.0, 0.0)
    width: float = 1.0


CALLS = [call for call in calls() if call.name != "__setstate__"]


# --- something to call it with ------------------------------------------------------------------------------------


@cache
def skinned() -> pucker.Clip:
    """A stored clip with a skin, read once."""
    return pucker.load(DATA / "kimono_male.gltf", clip="Walk", parts=["Clothes"])


def skin() -> pucker.Skin:
    """Its skin."""
    return skinned().skin


class Samples:
    """A valid value for every argument, and an object of every class."""

    def __init__(self, folder: Path) -> None:
        self.clip = clip = folded_sheet(9, 7)
        self.mesh, self.params = clip.mesh, params_for(clip)
        self.wrinkler = pucker.Wrinkler(clip.mesh, self.params)
        for frame in clip:
            self.state = self.wrinkler.advance(frame.positions, frame.time)
            if self.state.wrinkles:
                break
        self.positions = clip.positions[self.state.frame]
        self.field = pucker.CompressionField(self.mesh, self.positions, self.state.stretch)
        self.wrinkle = self.state.wrinkles[0]
        self.character = _core.sources.Character(len(self.positions), clip.faces)
        self.source = _core.sources.from_frames("x", "test", self.character, clip.positions, clip.times)
        curve, samples = pucker.path_curve(self.field, self.wrinkle), pucker.sample_curve(self.field, self.wrinkle)
        persistence = pucker.Persistence(self.mesh, self.params)
        motion = pucker.Motion(self.field, self.positions, self.state.motion, 1 / 30, 0.1)
        surface = pucker.WrinkledSurface(self.mesh)
        waved = _core._waves.WaveField(self.mesh, clip.positions[0], height=1.0)
        waved.advance(self.positions, 0.0)
        unseen = _core._waves.ComputedField(skinned().mesh, skinned().rest, height=1.0)
        on_gpu = unseen.restored(unseen.save())
        on_gpu.advance(skinned().positions[0], 0.0)
        crush, relax = _core._waves.Crush(self.mesh, clip.positions[0], 0.1), _core._waves.Relax(self.mesh)
        relax.prepare(crush.step(self.positions), self.positions)
        painting = _core._waves.PaintingBase(self.mesh, clip.positions[0])
        painting.begin()
        example = _core._byexample
        rest = clip.positions[0]
        poses = np.stack([rest, rest * [0.9, 0.8, 1.0]])
        fine = example.LoopSubdivision(self.mesh, 1).fine.vertex_count
        synthesis = example.Synthesis(self.mesh, 1, rest, poses, np.zeros((2, fine, 3)))
        smooth = example.SmoothSurface(self.mesh, 1, rest)
        regression = example.Regression(
            synthesis.features, poses, [0, 1], np.zeros((2, 2, 3)), np.zeros((2, 3, 1)), width=0.2
        )
        worn = example.GuideCloth(_core._drape.Params(levels=0, contact=False), rest)
        learned = example.ByExample(synthesis, cloth=worn)
        learned.advance(self.positions, 0.0)
        draped = _core._drape.Drape(self.mesh, rest, _core._drape.Params(levels=1))
        draped.advance(self.positions, 0.0)
        drawn_drape = _core._drape.ComputedDrape(self.mesh, rest)
        drawn_drape.advance(self.positions, 0.0)
        balance = _core._drape.Balance(self.mesh, rest, _core._drape.Params(levels=1))
        guide_of_drape = _core._drape.Guide(balance.subdivision)
        guide_of_drape.step(rest)
        camera = _core.draw.Camera((0.0, 0.0, 3.0), (0.0, 0.0, 0.0))
        drawn = _core.draw.Surface(clip.faces, len(self.positions))
        drawn.set_positions(self.positions)
        lines = Lines(np.zeros((1, 2, 3)), (0, 0, 0))
        picture = _core.draw.picture([drawn], camera, Style(wire_width=1.0), (64, 48), Output.shaded, [lines])
        drawn.set_detail(self.state.detail, Mode.both)
        camera.to_json(folder / "camera.json")
        np.save(folder / "factors.npy", np.ones(clip.mesh.vertex_count))
        self.by_name: dict[str, object] = Light().to_dict() | Style().to_dict()
        self.by_name |= {
            "along": 0.5, "anywhere": False, "end_heights": (0.0, 0.01), "authored": True, "base": np.eye(3), "base_normals": np.eye(3),
            "displacements": np.eye(3), "normals": np.eye(3), "feature_size": 0.01, "arc": 2.0, "bytes": self.wrinkler.save(), "character": self.character, "clip": clip,
            "clips": [("still", 1.0, lambda _: self.positions)], "color": [1.0, 1.0, 1.0, 1.0], "compression": 1.5, "flat_width": 0.5,
            "costs": self.state.costs, "current": self.state.frames.matrices, "dt": 1 / 30, "edge_length": 0.1,
            "exponent": 1.0, "alpha_mode": _core.AlphaMode.mask, "alpha_cutoff": 0.5, "trail": 0.0, "falloff": 2.0, "edges": 16, "kernel": "distance", "equal": "refuse", "face_materials": np.zeros(len(clip.faces), int), "faces": clip.faces,
            "face_pieces": np.zeros(len(clip.faces), int), "field": self.field, "format": "test", "fps": 30.0,
            "frame": 0, "frames": self.state.frames, "height": 0.25, "id": 7, "index": 0,
            "influences": ([0], [0], [1.0]), "joints": ["bone"], "labels": self.state.labels, "length": 1.0,
            "levels": 2, "limit": 4, "loops": 1, "smooth": 0, "materials": [_core.Material()], "maximum": self.state.motion.maximum,
            "memory": 10**9, "mesh": self.mesh, "minimum": self.state.motion.minimum, "most": 4, "motion": motion, "name": "x",
            "next_id": 9, "occupied": pucker.SegmentIndex(self.mesh), "packed": self.state.packed,
            "params": self.params, "parts": [], "path": "x", "phase": 0.5, "places": self.positions, "coordinates": "frame", "pieces": [("node", "mesh")], "positions": self.positions,
            "previous_positions": self.positions, "profile": pucker.Profile.bspline, "reference": self.state.reference,
            "rest": self.positions, "rounds": 2, "shared": [0], "rule": pucker.HeightRule.circle, "seed": pucker.Tracer(
                self.mesh, self.params).seed(self.field)[0], "stretch": self.state.stretch, "t": self.wrinkle.t,
            "target_edge": 0.1, "targets": np.ones(len(clip.faces)), "text": "", "texture": b"", "texture_name": "", "threads": 2, "time": 100.0,
            "times": clip.times, "tolerance": 1e-6, "triangle": 0, "triangles": [0], "barycentrics": [[1.0, 0, 0]], "barycentric": [1.0, 0, 0],
            "direction": [1.0, 0, 0], "smoothing": 2, "radius": 0.1, "strength": 0.5,
            "uv": clip.positions[0, :, :2], "value": 0, "vertex": 0, "vertex_count": len(self.positions),
            "vertices": len(self.positions), "wavelength": 0.1, "waves": waved.state.waves, "weld": True, "width": 1.0,
            "bending": 1e-5, "tension": 1.0, "young": 1e6, "thickness": 1e-3, "poisson": 0.3, "wrinkle": self.wrinkle, "runs": [self.wrinkler], "wrinkles": self.state.wrinkles, "x": 0.1,
        }  # fmt: skip
        self.objects: dict[str, object] = {
            "Clip": clip, "ClipReport": clip.report, "Character": self.character, "CompressionField": self.field,
            "Crowd": pucker.Crowd(2), "Facets": _core.facets_of(clip), "CurveSamples": samples, "FileInfo": self.source.inspect(), "Frame": clip[0],
            "Detail": self.state.detail, "PathDetail": self.state.detail, "Method": self.wrinkler, "HeightTable": _core.profiles.HeightTable(pucker.HeightRule.circle, pucker.Profile.bspline),
            "LocalFrames": self.state.frames, "Material": _core.Material(), "Mesh": self.mesh,
            "Labeller": pucker.Labeller(self.mesh, self.params), "MeshReport": self.mesh.report,
            "PackedWrinkles": self.state.packed, "Packer": pucker.Packer(self.mesh), "Params": self.params,
            "ParamField": pucker.Params.fields()[0], "PathCurve": curve, "Persistence": persistence,
            "Motion": motion, "PathEnergy": persistence.energy(self.wrinkle, motion, self.wrinkle.t), "Source": self.source,
            "SharedBorder": pucker.SharedBorder(self.mesh, [0]),
            "ReferenceShape": pucker.ReferenceShape(self.mesh, self.state.frames.matrices, self.params),
            "Seed": self.by_name["seed"], "SegmentIndex": pucker.SegmentIndex(self.mesh),
            "Shaper": pucker.Shaper(self.params), "Skin": skin(), "CutSkin": skin().cut(4), "Skeleton": skinned().skeleton, "State": self.state, "Stretch": self.state.stretch,
            "Subdivision": pucker.Subdivision(self.mesh, 2), "WrinkledSurface": surface,
            "SurfacePoints": surface.evaluate(self.positions, self.state.packed, [0], [[1.0, 0.0, 0.0]]),
            "Tracer": pucker.Tracer(self.mesh, self.params), "Wrinkle": self.wrinkle, "Wrinkler": self.wrinkler,
            "Profile": pucker.Profile.bspline, "Norm": pucker.Norm.one, "HeightRule": pucker.HeightRule.circle,
            "LabelSolver": pucker.LabelSolver.exact, "WalkEnd": pucker.WalkEnd.cap,
            "PersistenceMethod": pucker.PersistenceMethod.edges, "ReferenceStart": pucker.ReferenceStart.rest,
            "LabelParams": self.params.label, "ReferenceParams": self.params.reference,
            "Guide": pucker.Guide(self.mesh, self.params), "GuideParams": self.params.guide, "FabricParams": self.params.fabric, "Seeding": pucker.Seeding.trains,
            "TracingParams": self.params.tracing, "PersistenceParams": self.params.persistence,
            "ShapeParams": self.params.shape,
        }  # fmt: skip
        # Classes of a module of their own, whose names others have too.
        self.objects |= {
            f"_waves.{name}": value
            for name, value in {
                "Compute": _core._waves.Compute.gpu, "ComputedField": unseen, "ComputedState": on_gpu.state,
                "Crush": crush, "CrushParams": _core._waves.CrushParams(), "CrushReport": crush.report,
                "FieldPoints": waved.state.detail.evaluate_field([0], [[1.0, 0.0, 0.0]]), "PhaseReport": relax.solve(),
                "Coordinates": _core._waves.Coordinates.rest, "Gradient": _core._waves.Gradient.full, "Influence": _core._waves.Influence.length, "PaintingBase": painting,
                "Params": waved.params, "PlaneWaves": waved.state.waves, "Pleat": _core._waves.Pleat.pencil,
                "PleatTable": waved.profile, "Relax": relax, "RelaxParams": waved.params.relax,
                "Start": _core._waves.Start.random, "State": waved.state, "WaveDetail": waved.state.detail,
                "WaveField": waved, "WavelengthUnit": _core._waves.WavelengthUnit.clip,
            }.items()
        }  # fmt: skip
        self.objects |= {
            f"_drape.{name}": value
            for name, value in {
                "Balance": balance, "Compute": _core._drape.Compute.gpu, "ComputedDrape": drawn_drape, "ComputedState": drawn_drape.state,
                "Drape": draped, "DrapeDetail": draped.state.detail, "Guide": guide_of_drape,
                "Inertia": _core._drape.Inertia(0.05), "Lengths": draped.lengths,
                "Multilevel": _core._drape.Multilevel(balance.subdivision), "Params": draped.params,
                "Solved": draped.state.solved, "Springs": _core._drape.Springs(self.mesh, rest),
                "State": draped.state,
            }.items()
        }  # fmt: skip
        self.objects |= {
            f"_byexample.{name}": value
            for name, value in {
                "ByExample": learned, "Compute": example.Compute.cpu, "DetailCode": example.DetailCode(self.mesh, 1, rest), "EqualPoses": example.EqualPoses.share, "ExampleDetail": learned.state.detail,
                "Features": synthesis.features, "GuideCloth": worn, "Kernel": example.Kernel.distance,
                "LoopReport": synthesis.subdivision.report, "LoopSubdivision": synthesis.subdivision,
                "Params": learned.params, "PoseSpace": synthesis.pose_space, "SmoothSurface": smooth,
                "Regions": regression.regions, "Regression": regression,
                "LowFrequencyPart": example.LowFrequencyPart(synthesis.subdivision),
                "SparseRows": synthesis.subdivision.matrix, "State": learned.state, "Sway": learned.state.sway,
                "Synthesis": synthesis, "Synthesised": learned.state.surface, "Trail": learned.state.trail,
                "WeightPlaces": example.WeightPlaces.sparse,
            }.items()
        }  # fmt: skip
        # Classes of which one object has properties and another one takes calls that must come before them.
        self.started: dict[str, object] = {"ComputedField": on_gpu}
        self.objects |= {
            "draw.Camera": camera, "draw.Surface": drawn, "draw.Picture": picture, "draw.Step": picture.steps[0], "draw.Batch": picture.batches[0],
            "draw.SurfaceObjects": _core.draw.SurfaceObjects([1], []), "draw.Execution": _core.draw.Execution(lambda _: NOTHING, lambda _: (1, 1)),
            "draw.ShaderLibrary": shaders.library(), "draw.Source": shaders.stages("line")["vertex"],
            "draw.StorageLimits": shaders.library().needed_storage(), "draw.Light": Light(), "draw.Style": Style(),
            "scene.ClipScene": _core.scene.ClipScene(clip, [-1], []),
            "scene.Replay": _core.scene.Replay(clip, pucker.Wrinkler(clip, self.params)),
            "draw.ClipStyle": _core.draw.ClipStyle(drawn, 1.0), "draw.Lines": lines, "draw.Mode": Mode.both, "draw.Output": Output.shaded,
        }  # fmt: skip
        self.by_name |= {
            "aspect": 1.5, "field_of_view": 30.0, "near": 0.01, "far": 100.0, "margin": 1.06, "view": "front", "azimuth": 30.0, "bindings": 16, "camera": camera, "colours": [0.5], "combined": 24,
            "detail": self.state.detail, "distance": 3.0, "elevation": 10.0, "eye": (0.0, 0.0, 3.0), "factor": 1.1,
            "lines": [lines], "log": "0:1(1): error", "mode": Mode.both,
            "needed": shaders.library().needed_storage(), "normals": np.eye(3), "offered": _core.draw.StorageLimits(16, {}, 24),
            "output": Output.shaded, "picture_height": 480, "points": self.positions, "program": "line", "read": lambda _: '{"programs": {}, "programs_of_each_method": {}, "methods": {}}',
            "right": 2.0, "size": (64, 48), "stages": {"vertex": 8}, "style": Style(), "surface": drawn,
            "surfaces": [drawn], "target": (0.0, 0.0, 0.0), "texture_count": 0, "ends": np.zeros((1, 2, 3)), "corners": np.zeros((1, 3, 3)), "colour": (0.0, 0.0, 0.0),
            "other_faces": clip.faces, "other_positions": self.positions, "y": 0.1, "textures": [], "up": 1.0,
            "angle": 70.0, "area_normals": np.eye(3), "cloth": False, "exposure": 1.0, "garment": drawn, "light": Light(), "part": "shadows",
            "to": (32.0, 24.0), "way": (4.0, 0.0), "erase": False,
            "focus": "all", "method": pucker.Wrinkler(clip, self.params), "pictures": [],
            "batch": picture.batches[0], "buffers": [1], "compile": lambda _: (1, 1), "line_ends": [1] * len(picture.line_ends),
            "load": lambda _: NOTHING, "objects": [_core.draw.SurfaceObjects([1], [])], "picture": picture,
        }  # fmt: skip
        # Where a name means something else than elsewhere.
        self.special: dict[tuple[str, str], object] = {
            ("_core.draw.Camera.from_json", "path"): folder / "camera.json",
            ("_core.draw.Camera.to_json", "path"): folder / "camera.json",
            ("_core.draw.ShaderLibrary.expand", "path"): "common/line.vert",
            ("_core.draw.ShaderLibrary.expand", "detail"): "common/plain.glsl",
            ("_core.draw.Execution.run", "steps"): [],
            ("_core.draw.Execution.run_batch", "frames"): 1,
            ("_core.draw.ShaderLibrary.stages", "constants"): {"mode": 1},
            ("_core.draw.vertex_normals", "faces"): clip.faces,
            ("_core.scene.ClipScene.__init__", "textures"): [-1],
            ("_core.scene.drag", "painting"): painting,
            ("_core.Clip.from_arrays", "positions"): clip.positions,
            ("_core.sources.from_frames", "positions"): clip.positions,
            ("_core.Crowd.advance", "positions"): [self.positions],
            ("_core.Crowd.advance", "times"): 100.0,
            ("_core.Labeller.solve_clip", "costs"): self.state.costs[None],
            ("_core.sources.Source.load", "frames"): 1000,
            ("_core.sources.open_file", "frames"): 1000,
            ("_core.sources.open_file", "contents"): {},
            ("_core.sources.read_clip", "frames"): 1000,
            ("_core.Clip.with_texture", "corners"): np.zeros((len(clip.faces), 3, 2)),
            ("_core.Seed.__init__", "barycentrics"): [1.0, 0.0, 0.0],
            ("_core.ReferenceShape.__init__", "current"): self.state.frames.matrices,
            ("_core._drape.Balance.__init__", "cut"): rest,
            ("_core._drape.Balance.__init__", "params"): draped.params,
            ("_core._drape.Balance.evaluate", "fine"): draped.state.draped,
            ("_core._drape.Balance.solve", "fine"): draped.state.draped,
            ("_core._drape.Balance.solve", "iterations"): 3,
            ("_core._drape.Balance.aim", "weight"): 0.5,
            ("_core._drape.Guide.__init__", "subdivision"): balance.subdivision,
            ("_core._drape.Inertia.__init__", "swing"): 0.05,
            ("_core._drape.Inertia.__init__", "shares"): [],
            ("_core._drape.Inertia.__init__", "farthest"): 1.0,
            ("_core._drape.Inertia.pull", "places"): rest,
            ("_core._drape.Inertia.pull", "passed"): 0.1,
            ("_core._drape.Inertia.step", "places"): rest,
            ("_core._drape.Inertia.step", "ended"): rest,
            ("_core._drape.Inertia.step", "passed"): 0.1,
            ("_core._drape.Multilevel.__init__", "subdivision"): balance.subdivision,
            ("_core._drape.Multilevel.aim", "weights"): np.ones(len(draped.state.draped)),
            ("_core._drape.Multilevel.apply", "gradient"): draped.state.draped,
            ("_core._drape.Springs.__init__", "cut"): rest,
            ("_core._drape.Springs.__init__", "creep"): 0.5,
            ("_core._drape.Springs.__init__", "compression"): 1.4,
            ("_core._drape.Springs.__init__", "tightness"): np.ones(len(rest)),
            ("_core._drape.Springs.aim", "guide"): rest,
            ("_core._drape.Springs.evaluate", "fine"): rest,
            ("_core._drape.legend_of", "what"): _core._drape.TriangleQuantity.hold,
            ("_core._drape.tints_of", "state"): draped.state,
            ("_core._drape.tints_of", "what"): _core._drape.TriangleQuantity.strain_after,
            ("_core._drape.triangle_values", "state"): draped.state,
            ("_core._drape.triangle_values", "what"): _core._drape.TriangleQuantity.wavelengths,
            ("_core._drape.Drape.__init__", "cut"): rest,
            ("_core._byexample.GuideCloth.__init__", "cut"): rest,
            ("_core._byexample.GuideCloth.__init__", "params"): worn.params,
            ("_core._drape.Drape.__init__", "params"): draped.params,
            ("_core._drape.Drape.restore", "bytes"): draped.save(),
            ("_core._drape.ComputedDrape.__init__", "cut"): rest,
            ("_core._drape.ComputedDrape.__init__", "params"): drawn_drape.params,
            ("_core._drape.ComputedDrape.restore", "bytes"): drawn_drape.save(),
            ("_core._drape.Params.from_toml", "text"): "lag = 0.01",
            ("_core._byexample.ByExample.__init__", "synthesis"): synthesis,
            ("_core._byexample.ByExample.restore", "bytes"): learned.save(),
            ("_core._byexample.ByExample.__init__", "params"): learned.params,
            ("_core._byexample.Features.metric", "points"): rest,
            ("_core.did_you_mean", "known"): ["y"],
            ("_core._byexample.require_mesh_of_set", "file"): "x.glb",
            ("_core._byexample.read_trained", "path"): str(DATA / "dress.pose.npz"),
            ("_core._byexample.require_rest_of_set", "rest"): rest,
            ("_core._byexample.require_rest_of_set", "set"): synthesis.features,
            ("_core._byexample.require_unit_of_set", "set"): synthesis.features,
            ("_core._byexample.LoopSubdivision.__init__", "levels"): 1,
            ("_core._byexample.Params.from_toml", "text"): "gain = 2.0",
            ("_core._byexample.PoseSpace.__init__", "metric"): synthesis.features.metric(rest),
            ("_core._byexample.Synthesis.spread", "pose_weights"): learned.state.surface.pose_weights,
            ("_core._byexample.GuideCloth.balances", "positions"): self.positions[None],
            ("_core._byexample.GuideCloth.balances", "times"): [0.0],
            ("_core._byexample.PoseSpace.__init__", "poses"): synthesis.pose_space.poses,
            ("_core._byexample.PoseSpace.distances", "features"): synthesis.features.stretch(self.positions),
            ("_core._byexample.PoseSpace.weights", "features"): synthesis.features.stretch(self.positions),
            ("_core._byexample.LowFrequencyPart.__init__", "subdivision"): synthesis.subdivision,
            ("_core._byexample.LowFrequencyPart.of", "displacements"): np.zeros((fine, 3)),
            ("_core._byexample.DetailCode.__init__", "levels"): 1,
            ("_core._byexample.DetailCode.encode", "details"): np.zeros((fine, 3)),
            ("_core._byexample.DetailCode.encode", "step"): 0.1,
            ("_core._byexample.DetailCode.decode", "multiples"): np.zeros((fine, 3)),
            ("_core._byexample.DetailCode.decode", "step"): 0.1,
            ("_core._byexample.SmoothSurface.__init__", "levels"): 1,
            ("_core._byexample.SmoothSurface.add", "detail"): np.zeros((fine, 3)),
            ("_core._byexample.SmoothSurface.detail_of", "fine"): np.zeros((fine, 3)),
            ("_core._byexample.Synthesis.__init__", "details"): np.zeros((2, fine, 3)),
            ("_core._byexample.Synthesis.__init__", "regression"): None,
            ("_core._byexample.Synthesis.step", "before"): rest,
            ("_core._byexample.Synthesis.step", "seconds"): 0.1,
            ("_core._byexample.Synthesis.step", "guide"): rest,
            ("_core._byexample.Regions.__init__", "features"): synthesis.features,
            ("_core._byexample.Regions.__init__", "points"): [0, 1],
            ("_core._byexample.Regression.__init__", "features"): synthesis.features,
            ("_core._byexample.Regression.__init__", "poses"): poses,
            ("_core._byexample.Regression.__init__", "points"): [0, 1],
            ("_core._byexample.Regression.__init__", "velocities"): np.zeros((2, 2, 3)),
            ("_core._byexample.Regression.__init__", "coefficients"): np.zeros((2, 3, 1)),
            ("_core._byexample.Regression.__init__", "width"): 0.2,
            ("_core._byexample.Regression.__init__", "motion"): 0.1,
            ("_core._byexample.Regression.__init__", "displacements"): None,
            ("_core._byexample.Regression.__init__", "displacement"): 0.0,
            ("_core._byexample.Regression.weights", "features"): synthesis.features,
            ("_core._byexample.Regression.weights", "positions"): self.positions,
            ("_core._byexample.Regression.weights", "before"): rest,
            ("_core._byexample.Regression.weights", "seconds"): 0.1,
            ("_core._byexample.Regression.weights", "guide"): rest,
            ("_core._byexample.Synthesis.__init__", "levels"): 1,
            ("_core._byexample.Synthesis.__init__", "places"): "sparse",
            ("_core._byexample.Synthesis.__init__", "poses"): poses,
            ("_core._waves.Crush.__init__", "params"): _core._waves.CrushParams(),
            ("_core._waves.Relax.__init__", "params"): _core._waves.RelaxParams(),
            ("_core._waves.Relax.__init__", "seed"): 7,
            ("_core._waves.Relax.carry_on", "kept"): np.arange(self.mesh.vertex_count) % 2 == 0,
            ("_core._waves.Relax.carry_on_everywhere", "kept"): np.arange(self.mesh.vertex_count) % 2 == 0,
            ("_core._waves.WaveField.__init__", "params"): waved.params.replace(unit="clip"),
            ("_core._waves.WaveField.restore", "bytes"): waved.save(),
            ("_core._waves.ComputedField.__init__", "params"): unseen.params.replace(unit="clip"),
            ("_core._waves.ComputedField.restore", "bytes"): on_gpu.save(),
            ("_core._waves.ComputedField.set_bones", "skin"): skin(),
            ("_core._waves.ComputedField.advance", "positions"): skinned().positions[1],
            ("_core._waves.PleatTable.__init__", "profile"): np.cos(2 * np.pi * np.arange(32) / 32),
            ("_core._waves.Params.from_toml", "text"): "wavelength = 0.1",
            ("_core._waves.PaintingBase.random", "seed"): 3,
            ("_core.Clip.beginning", "frames"): 1,
            ("_core.Mesh.wanted_patches", "wishes"): np.ones(self.mesh.triangle_count),
            ("_core.Mesh.wanted_patches", "borders"): np.ones(len(self.mesh.edges)),
            ("_core.sources.Source.part_numbers", "kind"): "materials",
            ("_core.vertex_factors", "path"): str(folder / "factors.npy"),
            ("_core.vertex_factors", "what"): "stiffness",
        }

    def instance(self, module: ModuleType, owner: str) -> object | None:
        """An object of a class."""
        return self.objects.get(f"{module.__name__.rpartition('.')[2]}.{owner}", self.objects.get(owner))

    def of(self, call: Call, argument: Argument) -> object:
        return self.special.get((str(call), argument.name), self.by_name.get(argument.name))


@pytest.fixture
def samples(tmp_path: Path) -> Samples:
    return Samples(tmp_path)


def invoke(call: Call, samples: Samples, instance: object | None, null: str | None = None) -> object:
    """Calls with a valid value for each argument that must be given, None for the one named `null`."""
    words = {}
    for argument in call.arguments:
        if argument.nullable:
            continue
        value = samples.of(call, argument)
        assert value is not None, f"give {argument.name} of {call} a sample"
        value = None if argument.name == null else value
        words[argument.name] = value
    return call.function(instance)(**words)


# --- nulls --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_no_argument_may_be_null(samples, call):
    def instance() -> object | None:
        return samples.instance(call.module, call.owner) if call.bound else None

    if call.name in ("open_file", "read_clip"):
        with pytest.raises(pucker.Error, match="x"):
            invoke(call, samples, instance())
    else:
        invoke(call, samples, instance())  # the rest of the arguments is as it should be
    samples.by_name["time"], samples.special["_core.Crowd.advance", "times"] = 200.0, 200.0
    for argument in call.arguments:
        if not argument.nullable:
            with pytest.raises(TypeError):
                invoke(call, samples, instance(), argument.name)


@pytest.mark.parametrize("name", ["wrinkles", "runs", "materials", "clips", "surfaces", "lines", "objects"])
def test_no_element_of_a_list_may_be_null(samples, name):
    for call in CALLS:
        if any(argument.name == name for argument in call.arguments):
            samples.by_name[name] = [None]
            with pytest.raises(TypeError):
                invoke(call, samples, samples.instance(call.module, call.owner))


def test_a_pose_may_not_be_null(samples):
    samples.by_name["clips"] = [("still", 1.0, None)]
    with pytest.raises(TypeError, match="pose"):
        invoke(next(call for call in CALLS if call.name == "from_poses"), samples, None)


# --- objects half made --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("module", "name"), classes(), ids=lambda value: str(getattr(value, "__name__", value)))
def test_an_object_that_was_not_initialised_serves_no_call(samples, module, name):
    half_made = getattr(module, name)
    for call in CALLS:
        if (call.module, call.owner) == (module, name) and call.bound and call.name != "__init__":
            with pytest.raises(TypeError, match="__init__"):
                invoke(call, samples, half_made.__new__(half_made))
    for holder, owner, attribute in properties():
        if owner == name and holder is module:
            with pytest.raises(TypeError, match="__init__"):
                getattr(half_made.__new__(half_made), attribute)
    if "__repr__" in vars(half_made):
        with pytest.raises(TypeError, match="__init__"):
            repr(half_made.__new__(half_made))


def class_named(module: ModuleType, kind: str) -> type | None:
    """The bound class that an annotation in the stub of a module means, None for anything else."""
    found: object = pucker if "." in kind else module
    for name in kind.removeprefix("pucker.").split("."):
        found = getattr(found, name, None)
    return found if isinstance(found, type) and found.__module__.startswith("pucker._core") else None


TAKEN = {
    bound: None
    for call in CALLS
    for argument in call.arguments
    if not argument.nullable
    and (bound := class_named(call.module, argument.kind))
    and not issubclass(bound, IntEnum)  # an object of one is a member of it
}


@pytest.mark.parametrize("bound", TAKEN, ids=lambda bound: f"{bound.__module__}.{bound.__name__}")
def test_an_object_that_was_not_initialised_is_no_argument(samples, bound):
    for call in CALLS:
        for argument in call.arguments:
            if class_named(call.module, argument.kind) is bound and not argument.nullable:
                samples.special[str(call), argument.name] = bound.__new__(bound)
                with pytest.raises(TypeError):
                    invoke(call, samples, samples.instance(call.module, call.owner))
                del samples.special[str(call), argument.name]


@pytest.mark.parametrize(
    "enumeration",
    [
        pucker.Norm,
        pucker.LabelSolver,
        pucker.PersistenceMethod,
        pucker.Profile,
        pucker.HeightRule,
        pucker.ReferenceStart,
        pucker.Seeding,
        pucker.WalkEnd,
        _core._byexample.EqualPoses,
        _core._byexample.Kernel,
        _core._byexample.WeightPlaces,
        _core._waves.Coordinates,
        _core._waves.Gradient,
        _core._waves.Influence,
        _core._waves.Pleat,
        _core._waves.Start,
        _core._waves.WavelengthUnit,
    ],
)
def test_an_enumeration_has_its_members_only(enumeration):
    members = enumeration.__members__.values()
    for number, member in enumerate(members):
        assert enumeration(number) == member
        assert pickle.loads(pickle.dumps(member)) == member
    for number in (-1, len(members), 99, 2**31 - 1):
        with pytest.raises(ValueError, match=rf"{number} is no {enumeration.__name__}"):
            enumeration(number)
        with pytest.raises(ValueError, match=rf"{number} is no {enumeration.__name__}"):
            enumeration.__new__(enumeration).__setstate__(number)


@pytest.mark.parametrize(
    ("name", "changed", "told"),
    [
        ("picture", {"size": (0, 48)}, "at least 1 pixel wide and high, not 0 x 48"),
        ("picture", {"output": 7}, r"output must be .*Output, got 7"),
        ("Style.__init__", {"mode": 9}, r"mode must be .*Mode, got 9"),
        ("Style.__init__", {"background": (0.0, "a", 0.0)}, r"background must be .*, got \(0\.0, 'a', 0\.0\)"),
        ("Lines.__init__", {"ends": np.zeros((3, 3))}, r"ends of lines must have shape \(any, 2, 3\), got \(3, 3\)"),
        ("Surface.set_detail", {"mode": -1}, r"mode must be .*Mode, got -1"),
        ("Surface.exposure", {"textures": [(-2, -2, bytes(16))]}, "a texture of -2 x -2 pixels cannot have 16 bytes"),
        ("Surface.exposure", {"textures": [(0, 0, b"")]}, "a texture of 0 x 0 pixels cannot have 0 bytes"),
        ("Surface.report", {"target_edge": -1.0}, "the target edge of a surface must be at least 0, not -1"),
        ("Surface.__init__", {"faces": [["a", "b", "c"]]}, "faces must hold real numbers"),
        ("Camera.fit", {"view": (1.0, 2.0, 3.0)}, r"view must have shape \(2,\), got \(3,\)"),
        ("vertex_normals", {"weld": [10**6] * 80}, "weld must lie in"),
        ("scene.ClipScene.__init__", {"textures": [0, 0]}, "textures must have 1 entries, one a material, not 2"),
        ("scene.ClipScene.show", {"frame": -1}, r"frame must lie in \[0, "),
        ("scene.Replay.seek", {"frame": 10**6}, r"frame must lie in \[0, "),
        ("scene.cloth_at", {"frame": -1}, r"frame must lie in \[0, "),
        ("scene.drag", {"frame": 10**6}, r"frame must lie in \[0, "),
        ("scene.fitted_camera", {"focus": "face"}, "focus must be one of cloth, all, not 'face'"),
        ("linear_from_srgb", {"colours": "white"}, "colours must hold real numbers"),
    ],
)
def test_drawing_refuses_what_it_would_read_beyond(samples, name, changed, told):
    full = f"_core.{name}" if name.startswith("scene.") else f"_core.draw.{name}"
    call = next(call for call in CALLS if str(call) == full)
    words = {a.name: samples.of(call, a) for a in call.arguments if not a.nullable} | changed
    with pytest.raises((ValueError, TypeError), match=told):
        call.function(samples.instance(call.module, call.owner))(**words)


def test_a_surface_is_not_changed_while_its_detail_is_asked(samples):
    surface = samples.instance(_core.draw, "Surface")

    class Meddling:
        feature_size = 0.1
        feature_sizes = np.full(len(samples.clip.faces), 0.1)
        offset_range = (0.0, 0.0)

        def evaluate(self, triangles: np.ndarray, barycentrics: np.ndarray) -> object:
            surface.set_positions(samples.positions)
            return _core.method.points_of_mesh(samples.mesh, samples.positions, triangles, barycentrics)

    with pytest.raises(pucker.Error, match="Surface"):
        surface.set_detail(Meddling())


# --- memory -------------------------------------------------------------------------------------------------------


def arrays_in(value: object) -> Iterator[np.ndarray]:
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from arrays_in(item)
    elif isinstance(value, dict):
        yield from arrays_in(list(value.values()))


def memory_is_kept(array: np.ndarray) -> bool:
    """Whether the array owns its memory or keeps another object alive for it."""
    base: object = array
    while isinstance(base, np.ndarray):
        if base.flags.owndata:
            return True
        base = base.base
    return base is not None


def test_every_array_owns_its_memory_or_keeps_its_owner(samples):
    seen = 0
    for module, owner, name in properties():
        holder = samples.started.get(owner, samples.instance(module, owner))
        for array in arrays_in(getattr(holder, name)):
            assert memory_is_kept(array), f"{module.__name__}.{owner}.{name}"
            seen += 1
    for call in CALLS:
        # Bones, too, must be there before a frame; neither gives an array.
        if call.name in ("open_file", "read_clip", "set_bones"):
            continue
        for array in arrays_in(invoke(call, samples, samples.instance(call.module, call.owner))):
            assert memory_is_kept(array), str(call)
            seen += 1
        samples.by_name["time"] += 1.0
        samples.special["_core.Crowd.advance", "times"] += 1.0
    for value in samples.objects.values():
        if "__getstate__" in vars(type(value)):
            for array in arrays_in(value.__getstate__()):
                assert memory_is_kept(array), type(value)
                seen += 1
    assert seen > 60


@pytest.mark.parametrize("name", ["Mesh", "Clip", "Params", "Wrinkler", "Profile"])
def test_out_of_band_buffers_of_a_pickle_outlive_the_object(samples, name):
    value = samples.objects[name]
    buffers: list[pickle.PickleBuffer] = []
    stream = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    whole = [bytes(buffer.raw()) for buffer in buffers]
    expected = pickle.dumps(value)
    copy = pickle.loads(stream, buffers=buffers)
    buffers = []
    stream = pickle.dumps(copy, protocol=5, buffer_callback=buffers.append)
    del copy
    gc.collect()
    litter = [np.full(sum(map(len, whole)) // 8 + 8, -1.0) for _ in range(50)]  # takes memory that was given back
    assert [bytes(buffer.raw()) for buffer in buffers] == whole
    assert pickle.dumps(pickle.loads(stream, buffers=buffers)) == expected
    assert len(litter) == 50


# Arguments that may be something else than an array: a number or None, a name or a member, a function, a path.
NO_ARRAYS = {"packed", "kernel", "equal", "places", "seconds", "regression", "profile", "coordinates", "view", "path"}
NO_ARRAYS |= {"clip", "detail", "influences", "method", "other", "arg0", "arg1"}


def test_stubs_say_which_arguments_are_arrays():
    vague, arrays = set(), 0
    for stub in STUBS.glob("*.pyi"):
        for node in ast.walk(ast.parse(stub.read_text(encoding="utf-8"))):
            if isinstance(node, ast.arg) and node.annotation is not None:
                said = ast.unparse(node.annotation)
                arrays += "numpy.typing.ArrayLike" in said
                vague |= {node.arg} if said == "typing.Any" else set()
    assert vague <= NO_ARRAYS
    assert arrays > 150
