"""What several commands let a user choose: what of a file is cloth, how it wrinkles, how finely it is divided."""

import functools
import re
import shlex
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from pucker.cli.common import InputFile, rare_option, split_names
from pucker.cli.errors import printable

if TYPE_CHECKING:
    import pucker
    from pucker.io import IsolatedSource

R = TypeVar("R")
_PICTURES: Final = re.compile(r"\.(png|jpe?g|tga|bmp|gif|tiff?|dds|webp|psd|exr|ktx2)")


WITHOUT_TRIANGLES: Final = "has no triangle, at most points or lines, and only triangles wrinkle"


def in_words(facets: "pucker.io.Facets") -> str:
    """What speaks for showing cloth smooth, or against it."""
    return (
        f"neighbouring triangles turn by {facets.turn:.0f}° and half of the edges are longer than "
        f"{100.0 * facets.edge:.1f} % of the height"
    )


# Triangles from which setting up alone takes minutes on two cores.
_MINUTES: Final = 500_000


@dataclass(frozen=True)
class Cloth:
    """What of a file is loaded, as the options of `choice_of_cloth` say."""

    clip: str | None
    parts: list[str] | None
    fps: float
    loops: int
    motion: Path | None = None
    # None: as `pucker.io.facets_of` says.
    smooth: int | None = None
    # Whether the garment keeps its mesh where nobody chose how smooth it is to be, and only the body is made smooth.
    keeps_garment: bool = False

    def completed(self, file: Path, *, quiet: bool = False) -> "Cloth":
        """With what was not chosen filled in, which it says in one line: the liveliest clip, the parts `pucker info` suggests."""
        if self.clip is not None and self.parts is not None:
            return self
        with self.opened(file, quiet=True) as source:
            return self.completed_in(source, file, quiet=quiet)

    def completed_in(self, source: "IsolatedSource", file: Path, *, quiet: bool = False) -> "Cloth":
        """As `completed`, of the file that is open as `source`."""
        from pucker.cli.suggestion import choose, limb_warning

        clip, parts = choose(source, self.clip, self.parts, self.fps)
        chosen = [
            f"--{name} {shlex.quote(value)}"
            for name, value, own in (("clip", clip, self.clip), ("parts", parts and ",".join(parts), self.parts))
            if own is None and value
        ]
        if chosen and not quiet:
            told = limb_warning(parts or []) if self.parts is None else ""
            sentence = f"{file}: taking {' '.join(chosen)}, as pucker info suggests{told and ', '}{told}"
            click.echo(printable(sentence), err=True)
        return replace(self, clip=clip, parts=parts)

    def as_it_is(self) -> "Cloth":
        """With the mesh of the file where nobody chose how smooth it is to be."""
        return replace(self, smooth=self.smooth or 0)

    def load(
        self, file: Path, *, quiet: bool = False, pictures: bool = True, frames: int | None = None
    ) -> "pucker.Clip":
        """The clip of a file, `completed`; made smooth, all or its body, where nobody chose and facets would be seen, which it says in
        one line.

        In another it says which `pictures` are missing, unless what is made of the clip shows none. If no more than the first
        `frames` are of use, the clip may end there.
        """
        from pucker.cli.beginning import load_beginning
        from pucker.cli.deformation import holds_pose, keeps_shape
        from pucker.io import facets_of

        with self.opened(file, quiet=quiet) as source:
            chosen = self.completed_in(source, file, quiet=quiet)
            clip = (frames and load_beginning(chosen, source, frames)) or chosen.loaded_from(source)
            if not quiet and holds_pose(clip):
                lent = "; --motion takes the clips of another file" if source.inspect().joints else ""
                still = f"nothing moves in {clip.name}, and only what moves wrinkles{lent}"
                click.echo(printable(f"{file}: {still}"), err=True)
            elif not quiet and keeps_shape(clip):
                rigid = f"made of rigid pieces, which keep their shape in {clip.name}"
                click.echo(printable(f"{file}: {rigid}, and only what is squeezed wrinkles"), err=True)
        if pictures and not quiet:
            _tell_missing_pictures(file, clip)
        if self.smooth is not None:
            return clip
        facets = facets_of(clip)
        bare = clip.body_positions.shape[1] == 0
        if facets.smooth > 0 and not quiet and not (self.keeps_garment and bare):
            what = " for all but the cloth" if self.keeps_garment else ""
            click.echo(printable(f"{file}: taking --smooth {facets.smooth}{what}, as {in_words(facets)}"), err=True)
        return clip.with_smooth_body(facets.smooth) if self.keeps_garment else clip.smoothed(facets.smooth)

    def loaded_from(self, source: "IsolatedSource", beginning: int | None = None) -> "pucker.Clip":
        """The clip of the file that is open as `source`, or its `beginning`, as smooth as was chosen.

        Raises ValueError for a file without triangles.
        """
        clip = source.load(
            clip=self.clip,
            parts=self.parts,
            fps=self.fps,
            loops=self.loops,
            smooth=self.smooth or 0,
            beginning=beginning,
        )
        if not len(clip.faces):
            raise ValueError(f"{source.path} {WITHOUT_TRIANGLES}")
        return clip

    def opened(self, file: Path, *, quiet: bool = False) -> "IsolatedSource":
        """The file, of which clips can be loaded; what of it is read otherwise than it says, that its cloth is wrinkled already,
        and which names its `motion` has for the joints, is told in one line each.
        """
        from pucker.io import open_source

        source = open_source(file, motion=self.motion, isolated=True)
        for note in () if quiet else source.notes:
            click.echo(printable(note), err=True)
        if not quiet and source.is_baked():
            click.echo(printable(f"{file}: its cloth has wrinkles already, as pucker bake wrote it"), err=True)
        if self.smooth and not quiet and (made := source.inspect().triangles * 4**self.smooth) > _MINUTES:
            told = f"--smooth {self.smooth} makes {made} triangles, and minutes pass before the first frame; --smooth {self.smooth - 1}"
            click.echo(printable(f"{file}: {told} makes a quarter of them"), err=True)
        prefixes = None if self.motion is None or quiet else source.inspect().prefixes
        if prefixes is not None:
            own, other = prefixes
            whose = f"the joints of {self.motion} are found" if other else f"its joints are found in {self.motion}"
            its_own = f", its own without {own!r}" if own and other else ""
            click.echo(printable(f"{file}: {whose} by their names without {(other or own)!r}{its_own}"), err=True)
        return source


def _tell_missing_pictures(file: Path, clip: "pucker.Clip") -> None:
    """Says in one line which pictures of materials were not found, as a character without them is plain for no visible reason."""
    named = {each.texture_name: each.name for each in clip.material_list if not each.texture}
    # Shaders of an MD3 have names too, which are no files.
    missing = {name: each for name, each in named.items() if _PICTURES.fullmatch(PureWindowsPath(name).suffix.lower())}
    if not missing:
        return
    picture, material = next(iter(missing.items()))
    # Of a path of another machine only the name is of use.
    name = PureWindowsPath(picture).name
    what = f"{name!r} of material {material!r}"
    found = f"picture {what}, which is" if len(missing) == 1 else f"{len(missing)} pictures, as {what}, which are"
    sentence = f"{file}: drawn without {found} not in the file's folder"
    click.echo(printable(sentence), err=True)


DEFAULT_METHOD: Final = "drape"
"""Of what shows cloth or writes it: needs nothing but a clip, and folds where cloth does."""

WITH_PATHS: Final = "dynamic"
"""The method in place of it where paths of wrinkles are written or measured."""


@dataclass(frozen=True)
class Wrinkles:
    """How cloth wrinkles, as the options of `choice_of_wrinkles` say.

    Attributes:
        method: Name of the method, or of a module that registers one.
        file: Parameters as `Params.to_toml` writes them; those it leaves out have their defaults.
        settings: Parameters by their dotted names, which take the place of the file's.
    """

    method: str
    file: Path | None
    settings: Mapping[str, Any]

    def params(self, width: float | None = None) -> Any:
        """The parameters of the method; `width` is that of the narrowest fold if they say nothing of it."""
        from pucker.method import flat, method_named

        method = method_named(self.method)
        leaves = {} if self.file is None else flat(_toml(self.file))
        if width is not None:
            leaves |= method.folds_of_width(width, {*leaves, *self.settings})
        if {"min_width", "relative_width"} <= self.settings.keys():
            raise ValueError("min_width and relative_width cannot both be given")
        return method.replaced(method.replaced(method.params(), leaves), self.settings)

    def cloth(self, cloth: Cloth) -> Cloth:
        """What of a file is loaded: without parts chosen, those that the parameters are for; the garment as it is if the method needs it."""
        from pucker.method import method_named

        if cloth.parts is not None and cloth.smooth is not None:
            return cloth
        method, params = method_named(self.method), self.params()
        parts = list(method.parts(params)) or None if cloth.parts is None else cloth.parts
        return replace(cloth, parts=parts, keeps_garment=method.keeps_mesh(params))


def _toml(path: Path) -> dict[str, Any]:
    from pucker.toml import read

    return read(path, "parameter file")


def settings_of(texts: Sequence[str]) -> dict[str, Any]:
    """Values by name of texts like tracing.min_length=3; what is no value of TOML is a text, as arcs."""
    settings: dict[str, Any] = {}
    for text in texts:
        name, given, value = (part.strip() for part in text.partition("="))
        if not name or not given:
            raise click.BadParameter(f"{text!r} is not NAME=VALUE, as in tracing.min_length=3")
        if name in settings:
            raise click.BadParameter(f"{name} is given twice")
        try:
            settings[name] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            settings[name] = value
    return settings


choice_of_settings: Final = click.option(
    "--set",
    "settings",
    multiple=True,
    callback=lambda _ctx, _param, texts: settings_of(texts),
    metavar="NAME=VALUE",
    help="A parameter of the method, as threshold=1.1 or shape.profile=arcs, which pucker params lists; may be given several "
    "times.",
)


def _methods() -> list[str]:
    """The names of the methods, which their folders have; without loading any, so that help is there at once."""
    folders = [path.parent.name for path in Path(__file__).parents[1].glob("*/method.py")]
    return sorted(folders, key=lambda name: (name != DEFAULT_METHOD, name))


def method_with(parameters: Collection[str], overlays: Collection[str] = (), default: str = DEFAULT_METHOD) -> str:
    """The method that has all parameters and overlays of these names, of several `default` or the first.

    Raises ValueError for a parameter that none has, and for names that no single one has.
    """
    if not parameters and not overlays:
        return default
    from pucker._core import did_you_mean
    from pucker.method import methods

    # The native viewer takes the last part of a name alone, too.
    names = {name: [field.name for field in method.params.fields()] for name, method in methods().items()}
    fields = {name: {*own, *(each.rpartition(".")[2] for each in own)} for name, own in names.items()}
    drawn = {name: {each.name for each in method.overlays()} & set(overlays) for name, method in methods().items()}
    every = set().union(*fields.values())
    for name in parameters:
        if name not in every:
            raise ValueError(f"no method has {name!r}{did_you_mean(name, sorted(every, key=len))}")
    # What no method has is drawn over any, or is refused where it is read.
    wanted = {*parameters, *set().union(*drawn.values())}
    having = [name for name in fields if wanted <= fields[name] | drawn[name]]
    if not having:
        of = {each: [name for name in fields if each in fields[name] | drawn[name]] for each in sorted(wanted)}
        told = ", ".join(f"{each} is of {' and '.join(names)}" for each, names in of.items())
        raise ValueError(f"no method has all that is named: {told}")
    return default if default in having else having[0]


def wrinkles_of(
    method: str | None,
    trained: str | None,
    params: Path | None,
    settings: Mapping[str, Any],
    overlays: Collection[str] = (),
    default: str = DEFAULT_METHOD,
) -> Wrinkles:
    """The values of the options of `choice_of_wrinkles` together. Raises click.UsageError for a trained set given twice.

    Without a method it is `method_with` what is named, and raises as that does.
    """
    from pucker.method import flat

    if trained is not None:
        if "trained" in settings:
            raise click.UsageError("trained is given twice, by --set and by --trained")
        settings = {**settings, "trained": trained}
    if method is None:
        named = {*settings, *({} if params is None else flat(_toml(params)))}
        method = method_with(named, overlays, default)
    return Wrinkles(method, params, settings)


def choice_of_wrinkles(default: str = DEFAULT_METHOD) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Adds the options that say how cloth wrinkles; the command gets them as `wrinkles`.

    Without --method it is the one that has what the other options name, of several `default`.
    """
    return functools.partial(_with_wrinkles, default)


def _with_wrinkles(default: str, command: Callable[..., R]) -> Callable[..., R]:
    @functools.wraps(command)
    def collected(
        *, method: str | None, trained: str | None, params: Path | None, settings: dict[str, Any], **others: Any
    ) -> R:
        overlays = others.get("overlays") or ()
        return command(wrinkles=wrinkles_of(method, trained, params, settings, overlays, default), **others)

    return _with_options(
        collected,
        click.option(
            "--method",
            show_default=f"{default}, or the one that has what --set, --params and --overlays name",
            metavar="NAME",
            help=f"{', '.join(_methods())}, or a module that brings one.",
        ),
        click.option(
            "--trained", metavar="FILE.npz", help="The trained set, for the method byexample.", show_default="none"
        ),
        choice_of_settings,
        rare_option(
            "--params",
            type=InputFile(),
            metavar="FILE.toml",
            help="All parameters, as Params.to_toml writes them.",
        ),
    )


def choice_of_cloth(command: Callable[..., R]) -> Callable[..., R]:
    """Adds the options that choose what of a file is loaded; the command gets them as `cloth`."""

    @functools.wraps(command)
    def collected(
        *,
        clip: str | None,
        parts: list[str] | None,
        fps: float,
        loops: int,
        motion: Path | None,
        smooth: int | None,
        **others: Any,
    ) -> R:
        return command(cloth=Cloth(clip, parts, fps, loops, motion, smooth), **others)

    return _with_options(
        collected,
        click.option(
            "--clip",
            metavar="NAME",
            help="Name of the clip, or frames FIRST:LAST[@RATE].  [default: the one in which most is compressed]",
        ),
        click.option(
            "--parts",
            callback=split_names,
            metavar="A,B,…",
            help="What is cloth: materials, nodes, joint:NAME or triangles:12-40+55; * at the end of a name stands for any rest, "
            "/ at that of a joint for all below it, and - before a name leaves it out.  "
            "[default: as pucker info suggests]",
        ),
        rare_option("--fps", type=float, default=30.0, help="Frames per second."),
        rare_option("--loops", type=int, default=1, help="How often the clip is run through."),
        rare_option(
            "--motion",
            type=InputFile(),
            metavar="FILE",
            help="Another file whose clips move this one: of the same skeleton, a VRM Animation (.vrma) for a VRM, or "
            "the point cache of an OBJ file.  "
            "[default: the file's own clips]",
        ),
        click.option(
            "--smooth",
            type=click.IntRange(0, 4),
            show_default="1, unless the file's cloth is fine already; all but the cloth if the parameters are for its own mesh, as those of by example",
            help="How often the character is subdivided into a smooth surface before it wrinkles.",
        ),
    )


def choice_of_mesh(shares: str) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """The options that say how finely the cloth is divided, and whether the body comes along.

    Args:
        shares: What `--edge-share` is where nobody chose.
    """
    options = (
        click.option(
            "--levels",
            type=click.IntRange(min=1),
            show_default="as the wrinkles need",
            help="Number of pieces that every edge is divided into.",
        ),
        rare_option(
            "--edge-share",
            type=float,
            show_default=shares,
            help="Length of edges, as a share of the smallest feature there.",
        ),
        click.option("--body/--no-body", default=True, help="The rest of the character too."),
    )
    return lambda command: _with_options(command, *options)


def _with_options(
    command: Callable[..., R], *options: Callable[[Callable[..., R]], Callable[..., R]]
) -> Callable[..., R]:
    """The command with options, which help lists in this order."""
    for option in reversed(options):
        command = option(command)
    return command


def choice_of_workers(
    of: str = "",
    what: str = "Processes of this machine that do the work; 1: this one alone.",
    default: str = "one a core",
    option: Callable[..., Any] = click.option,
) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """The options `workers`, None where nobody chose, and `scheduler`.

    Args:
        of: What their help begins with.
        what: What the workers of this machine are.
        default: How many they are where nobody chose.
        option: `click.option` or `rare_option`.
    """
    options = (
        option("--workers", type=click.IntRange(min=1), show_default=default, help=f"{of}{what}"),
        option(
            "--scheduler",
            metavar="ADDRESS",
            help=f"{of}A dask scheduler whose workers do it, as tcp://127.0.0.1:8786.",
        ),
    )
    return lambda command: _with_options(command, *options)
