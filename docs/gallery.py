"""Draws the pictures of the documentation: the moving one, plots, and those of the gallery."""

import itertools
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from PIL import Image

import pucker
from pucker import byexample, drape, page, waves
from pucker._core import draw
from pucker.examples import squeezed_sheet
from pucker.io.files import replacing
from pucker.render import Camera, ClipRenderer, Light, captioned, fitted_camera, still
from pucker.render.camera import DEFAULT_VIEW
from pucker.render.output import Picture

ROOT: Final = Path(__file__).resolve().parents[1]
PICTURES: Final = ROOT / "docs" / "gallery"
# Of the mesh whose simulated positions are kept there.
_SIMULATED_LEVELS: Final = 2


@dataclass(frozen=True)
class Scene:
    """A clip of the example data as the gallery shows it."""

    name: str
    file: str
    clip: str | None
    parts: tuple[str, ...]


LIMBS: Final = ("Upper_Arm", "Lower_Arm", "Upper_Leg", "Lower_Leg")
COWBOY_CLOTHES: Final = ("joint:Torso", "joint:Chest", *(f"joint:{limb}_*" for limb in LIMBS))
SCENES: Final = (
    Scene("kimono_run", "kimono_male.gltf", "Run", ("Clothes",)),
    Scene("kimono_sitdown", "kimono_male.gltf", "SitDown", ("Clothes",)),
    Scene("mage", "mage.glb", "Sit_Floor_Down", ("Mage_Body", "Mage_Arm*")),
    Scene("dress", "female_dress.fbx", "HumanArmature|Female_Run", ("Dress",)),
    Scene("cowboy", "cowboy.dae", None, COWBOY_CLOTHES),
    Scene("kyonshi", "kyonshi_upper.md3", "95:131", ("u_torso", "u_sleeve")),
)


def wrinkled(clip: pucker.Clip) -> tuple[pucker.Params, list[pucker.State]]:
    """The parameters that all pictures share, and the states of all frames of a clip."""
    params = pucker.Params()
    return params, list(pucker.run(clip, params))


SIZE: Final = (420, 480)
ELEVATION: Final = 8.0
THREE_QUARTERS: Final = 35.0
METHODS_SIZE: Final = (400, 440)


DRAPED_SIZE: Final = (380, 380)
DRAPED: Final = (
    ("kimono_male.gltf", "SitDown", ("Clothes",), 22, 20.0),
    ("kimono_male.gltf", "Run", ("Clothes",), 13, 200.0),
    ("mage.glb", "Sit_Floor_Down", ("Mage_Body", "Mage_Arm*"), 20, 20.0),
    ("female_dress.fbx", "HumanArmature|Female_Run", ("Dress",), 13, 20.0),
)


INERTIA: Final = {
    "default": {},
    "memory = 0": {"memory": 0.0},
    "swing = 0, lag = 0.05": {"swing": 0.0, "lag": 0.05},
}


def view_of(clip: pucker.Clip, frame: int, azimuth: float, *, margin: float = 1.06) -> Camera:
    """A camera from a side that has the garment of a frame, with so much around it."""
    garment = clip.positions[frame]
    camera = Camera.fit(garment, (azimuth, ELEVATION), aspect=SIZE[0] / SIZE[1], margin=margin)
    return camera.holding(np.concatenate([garment, clip.body_positions[frame]]))


def farthest(clip: pucker.Clip) -> drape.State:
    """The state of the frame in which draped cloth lies farthest from its guide, as a root mean square."""

    def distance(state: drape.State) -> float:
        return float(np.square(state.draped - state.guide).sum(axis=1).mean())

    return max(pucker.run(clip, drape.Params()), key=distance)


def draw_still(scene: Scene) -> None:
    """The frame of a clip that folds most, as it came and with three methods, from the same side of each character."""
    clip = pucker.load(ROOT / "data" / scene.file, clip=scene.clip, parts=scene.parts)
    smooth = clip.smoothed()
    draped = farthest(smooth)
    frame = draped.frame
    camera = view_of(clip, frame, THREE_QUARTERS, margin=1.25)
    cells = []
    for caption, shown, params in (
        ("coarse", clip, None),
        ("draped", smooth, drape.Params()),
        ("waves", smooth, waves.Params()),
        ("dynamic", smooth, pucker.Params()),
    ):
        if caption == "draped":
            state = draped
        else:
            state = None if params is None else next(itertools.islice(pucker.run(shown, params), frame, None))
        with ClipRenderer(shown, SIZE, params=params, camera=camera) as renderer:
            cells.append(captioned(renderer.frame(frame, state), f"{clip.name}, frame {frame}: {caption}"))
    still(PICTURES / f"{scene.name}.png", np.hstack(cells))


def draw_run() -> None:
    """Two rounds of a run as it came and draped, of which the second is shown, so that the picture goes on where it began."""
    clip = pucker.load(ROOT / "data" / "kimono_male.gltf", clip="Run", parts=["Clothes"], loops=2)
    smooth, params, size = clip.smoothed(), drape.Params(), (400, 430)
    camera = fitted_camera(clip, DEFAULT_VIEW, size)
    frames = []
    with (
        ClipRenderer(clip, size, camera=camera) as plain,
        ClipRenderer(smooth, size, params=params, camera=camera) as draped,
    ):
        # The last frame is the first of the round.
        for state in itertools.islice(pucker.run(smooth, params), len(clip) // 2, len(clip) - 1):
            cells = [plain.frame(state.frame), draped.frame(state.frame, state)]
            frames.append(Image.fromarray(np.hstack(list(map(captioned, cells, ("coarse", "draped"))))))
    with replacing(PICTURES / "run.webp") as temporary:
        frames[0].save(temporary, save_all=True, append_images=frames[1:], duration=33, loop=0, quality=80, method=6)


def draw_ends() -> None:
    """The highest short wrinkle of a frame at grazing light, as in the theses and with round ends, joined to no other."""
    clip = pucker.load(ROOT / "data" / "kyonshi_lower.md3", parts=["l_lower", "l_dress"])
    frame = 60
    cells = []
    for verbatim, caption in ((True, "verbatim"), (False, "round ends")):
        params = pucker.Params.ridges().replace(
            min_width=0.0075 * clip.height,
            verbatim=verbatim,
            tracing={"bridge": 0.0, "min_length": 4.0},
            shape={"junctions": 0.0, "slenderness": 4.0},
        )
        wrinkler = pucker.Wrinkler(clip, params)
        for shown in itertools.islice(clip, frame + 1):
            state = wrinkler.advance(shown.positions, shown.time)
        high = [w for w in state.wrinkles if w.alive and 6 < w.length / params.min_width < 10]
        highest = max(high, key=lambda wrinkle: float(wrinkle.knot_heights.max()))
        middle = highest.points.mean(axis=0)
        normals = pucker.vertex_normals(clip.mesh, clip.positions[frame])
        outward = normals[clip.faces[highest.triangles[len(highest.triangles) // 2]]].sum(axis=0)
        outward /= np.linalg.norm(outward)
        along = highest.points[-1] - highest.points[0]
        along /= np.linalg.norm(along)
        across = np.cross(outward, along)
        distance = 28 * params.min_width
        camera = Camera(tuple(middle + distance * outward), tuple(middle), near=0.1 * distance, far=100 * distance)
        with ClipRenderer(clip, (420, 300), params=params, camera=camera) as renderer:
            light = Light(key_direction=tuple(0.3 * outward + 0.8 * along + 0.5 * across))
            renderer.style = draw.PLAIN_STYLE.replace(light=light, least_edge=0.0)
            cells.append(captioned(renderer.frame(frame, state), caption))
    still(PICTURES / "ends.png", np.hstack(cells))


def draw_creases() -> None:
    """Frames with wrinkles as ridges, as creases, and draped."""
    rows = []
    for file, name, parts, frame, azimuth in DRAPED[:2]:
        clip = pucker.load(ROOT / "data" / file, clip=name, parts=parts)
        smooth = clip.smoothed()
        camera = Camera.fit(clip.positions[frame], (azimuth, ELEVATION), aspect=1.0)
        cells = []
        for caption, shown, params in (
            ("ridges", smooth, pucker.Params.ridges()),
            ("creases", smooth, pucker.Params()),
            ("draped", smooth, drape.Params()),
        ):
            state = next(itertools.islice(pucker.run(shown, params), frame, None))
            with ClipRenderer(shown, DRAPED_SIZE, params=params, camera=camera) as renderer:
                cells.append(captioned(renderer.frame(frame, state), caption))
        rows.append(np.hstack(cells))
    still(PICTURES / "creases.png", np.vstack(rows))


def draw_reference_start() -> None:
    """A clip that begins bent, with reference triangles from its first frame and from its rest pose."""
    clip = pucker.load(ROOT / "data" / "kimono_male.gltf", clip="SitDown", parts=["Clothes"])
    frame = 20
    cells = []
    for start in ("first_frame", "rest"):
        params = pucker.Params(reference={"start": start})
        wrinkler = pucker.Wrinkler(clip, params)
        for shown in itertools.islice(clip, frame + 1):
            state = wrinkler.advance(shown.positions, shown.time)
        with ClipRenderer(clip, SIZE, params=params, camera=view_of(clip, frame, 25.0)) as renderer:
            cells.append(captioned(renderer.frame(frame, state), f'start = "{start}"'))
    still(PICTURES / "reference_start.png", np.hstack(cells))


def draw_plots() -> None:
    """The stretch and the labels of a frame, and what labels cost."""
    clip = pucker.load(ROOT / "data" / "kimono_male.gltf", clip="Walk", parts=["Clothes"])
    params, states = wrinkled(clip)
    corners = clip.positions[10][clip.faces]
    figure = pucker.plot.Figure((8.0, 4.0))
    left, right = figure.subfigures(1, 2)
    pucker.plot.ellipses(corners, states[10].frames, states[10].stretch, threshold=params.threshold, figure=left)
    pucker.plot.labels(corners, states[10].labels, figure=right)
    figure.savefig(PICTURES / "stretch_and_labels.png")
    costs = pucker.plot.Figure((10.0, 3.0))
    pucker.plot.label_costs(figure=costs)
    costs.savefig(PICTURES / "label_costs.png")


def draw_methods() -> None:
    """A frame of a clip that nothing was learned from: without detail, with that of each method as a user's call gives it, and simulated."""
    clip = pucker.load(ROOT / "data" / "kimono_male.gltf", clip="Run", parts=["Clothes"])
    trained = ROOT / "data" / "kimono.pose.npz"
    with np.load(PICTURES / "kimono_run_simulated.npz") as kept:
        frame, simulated = int(kept["frame"]), kept["positions"].astype(np.float64)
    camera = Camera.fit(simulated, (50.0, ELEVATION), aspect=METHODS_SIZE[0] / METHODS_SIZE[1])
    camera = camera.holding(np.concatenate([simulated, clip.body_positions[frame]]))
    runs = {
        "coarse": None,
        "dynamic": pucker.Params(),
        "waves": waves.Params(),
        "by example": byexample.Params(trained=str(trained)),
        "draped": drape.Params(),
    }
    cells = []
    for caption, params in runs.items():
        shown = {"coarse": clip, "by example": clip.with_smooth_body()}.get(caption) or clip.smoothed()
        state = None if params is None else next(itertools.islice(pucker.run(shown, params), frame, None))
        with ClipRenderer(shown, METHODS_SIZE, params=params, camera=camera) as renderer:
            cells.append(captioned(renderer.frame(frame, state), caption))
    cells.append(captioned(worn(clip, frame, simulated, _SIMULATED_LEVELS, camera), "simulated"))
    still(PICTURES / "methods.png", np.vstack([np.hstack(cells[:3]), np.hstack(cells[3:])]))


def draw_draped() -> None:
    """Frames as they came, and draped as a user's own call drapes them."""
    rows = []
    for file, name, parts, frame, azimuth in DRAPED:
        clip = pucker.load(ROOT / "data" / file, clip=name, parts=parts)
        smooth, params = clip.smoothed(), drape.Params()
        state = next(itertools.islice(pucker.run(smooth, params), frame, None))
        camera = Camera.fit(clip.positions[frame], (azimuth, ELEVATION), aspect=1.0)
        with ClipRenderer(clip, DRAPED_SIZE, camera=camera) as renderer:
            plain = renderer.frame(frame)
        with ClipRenderer(smooth, DRAPED_SIZE, params=params, camera=camera) as renderer:
            rows.append(np.hstack([plain, renderer.frame(frame, state)]))
    still(PICTURES / "draped.png", np.vstack([np.hstack(rows[:2]), np.hstack(rows[2:])]))


def draw_drape_stages() -> None:
    """What stages of draped cloth are for: a frame of the kimono, and a sheet whose guide is raised and stops."""
    frame, params = 22, drape.Params()

    def row(name: str, parts: tuple[str, ...], *looks: tuple[str, drape.Params | None, str | None]) -> None:
        clip = pucker.load(ROOT / "data" / "kimono_male.gltf", clip="SitDown", parts=parts)
        camera = Camera.fit(clip.positions[frame], (20.0, ELEVATION), aspect=1.0)
        cells = []
        for caption, chosen, overlay in looks:
            run = () if chosen is None else pucker.run(clip, chosen)
            state = next(itertools.islice(run, frame, None), None)
            with ClipRenderer(clip, DRAPED_SIZE, params=chosen, camera=camera) as renderer:
                picture = renderer.frame(frame, state, overlays=[overlay] if overlay else [])
            cells.append(captioned(picture, caption))
        still(PICTURES / f"{name}.png", np.hstack(cells))

    coat = ("Clothes",)
    guide = ("guide", params.replace(gain=0.0), None)
    row("drape_guide", coat, ("as animated", None, None), guide, ("draped", params, None))
    small, long = params.replace(fold_size=0.1), params.replace(wavelength=0.8)
    row(
        "drape_lengths",
        coat,
        ("fold_size = 0.1", small, None),
        ("default", params, None),
        ("wavelength = 0.8", long, None),
    )
    row(
        "drape_springs",
        coat,
        ("strain of the guide", params, "strain_before"),
        ("of the cloth", params, "strain_after"),
    )
    free = params.replace(contact=False)
    row("drape_contact", (*coat, "Band"), ("without contact", free, None), ("with contact", params, None))

    sheet = squeezed_sheet(6, 6)
    times = np.arange(60) / 120
    rises = np.minimum(times, 0.1)
    axes = (figure := pucker.plot.Figure((6.4, 2.6))).subplots()
    axes.plot(times, 1000 * rises, "k:", label="guide")
    for words, chosen in INERTIA.items():
        run = drape.Drape(sheet.mesh, sheet.positions[0], drape.Params(levels=1, thickness=0.0, depth=10.0, **chosen))
        states = [run.advance(sheet.positions[0] + [0.0, 0.0, z], t) for z, t in zip(rises, times, strict=True)]
        axes.plot(times, [1000 * state.balanced[:, 2].mean() for state in states], label=words)
    axes.set(xlabel="seconds", ylabel="height")
    axes.legend()
    figure.savefig(PICTURES / "drape_inertia.png")


def worn(clip: pucker.Clip, frame: int, simulated: np.ndarray, levels: int, camera: Camera) -> Picture:
    """A frame of a clip in whose garment's place is cloth simulated on its mesh after so many subdivisions, (N, 3)."""
    fine = byexample.LoopSubdivision(clip.mesh, levels).fine
    with ClipRenderer(clip, METHODS_SIZE, camera=camera) as renderer:
        renderer.show(frame)
        exposure = renderer.garment.suitable_exposure()
        body = [surface for surface in renderer.surfaces if surface is not renderer.garment]
        colours = np.repeat(renderer.garment.content.colours, 4**levels, axis=0)
        cloth = renderer.renderer.surface(fine.faces, fine.vertex_count, colours=colours)
        cloth.set_positions(simulated, origin=renderer.garment.origin.tolist())
        cloth.send()
        style = renderer.style.replace(exposure=exposure)
        return np.ascontiguousarray(renderer.renderer.render([*body, cloth], camera, style, [])[..., :3])


def write_page() -> None:
    """A live page of the kimono's run, draped; with a quarter of the triangles, as browsers are to keep up."""
    clip = pucker.load(ROOT / "data" / "kimono_male.gltf", clip="Run", parts=["Clothes"])
    page.write(clip, ROOT / "docs" / "_static" / "kimono_run.html", params=drape.Params(levels=2), live=True)


def draw_architecture() -> None:
    """What depends on what."""
    source = ROOT / "docs" / "architecture.dot"
    with replacing(source.with_suffix(".svg")) as temporary:
        subprocess.run(["dot", "-Tsvg", source, "-o", temporary], check=True)


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    draw_architecture()
    draw_run()
    draw_plots()
    draw_ends()
    draw_creases()
    draw_methods()
    draw_draped()
    draw_drape_stages()
    draw_reference_start()
    write_page()
    for scene in SCENES:
        draw_still(scene)
