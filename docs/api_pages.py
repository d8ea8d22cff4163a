"""Pages of the reference, made when the documentation is built, so that no list is kept by hand.

Every header of the core has one: its names in Python, then the header, whose comments are the reference in C++. So has
every module of the packages that have more names than one page can hold.
"""

import importlib
import re
import textwrap
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
HEADERS = ROOT / "cpp" / "include" / "pucker"
BINDINGS = ROOT / "cpp" / "bindings"
PAGES = ROOT / "docs" / "api"
# Where the names of the core are public, by the beginning of the names of the bindings' files.
MODULES = {
    "waves": "pucker.waves",
    "byexample": "pucker.byexample",
    "drape": "pucker.drape",
    "profile": "pucker.profiles",
    "method": "pucker.method",
    "draw": "pucker.render",
    "facets": "pucker.io",
}
# Packages of Python with a page a module.
PACKAGES = {
    "metrics": "pucker.metrics",
    "compare": "pucker.metrics.compare",
    "byexample": "pucker.byexample",
    "render": "pucker.render",
}
ROOMS = {
    "": ("all methods", "What the methods share: how a run is started and stepped, parameters, saved runs, a crowd."),
    "mesh": (
        "mesh",
        "Triangle meshes: connectivity, frames and normals, subdivision, distances, walks over the surface.",
    ),
    "io": ("io", "Clips from files and arrays, with their skins and pictures."),
    "drape": ("drape", "Draped cloth, stage by stage."),
    "byexample": ("byexample", "Detail by example, stage by stage."),
    "waves": ("waves", "The wave field, stage by stage."),
    "dynamic": ("dynamic", "Dynamic wrinkles, stage by stage."),
    "draw": ("draw", "What is to be drawn, as plain data without OpenGL."),
    "scene": ("scene", "A clip with its run and its surfaces, as programs show it."),
}
CLASS = re.compile(r"(?:class_|bind_\w+)<\s*([\w:]+)[^;({]*>\s*(?:\w+\s*)?\(\s*\w+,\s*\"(\w+)\"")
FUNCTION = re.compile(r"\b(?:m|method|profiles|waves|drape|byexample)\.def\(\s*\"(\w+)\"")
INCLUDE = re.compile(r"#include \"pucker/([\w/]+\.h)\"")


# What no header declares by a name like that in Python.
HOMES = {
    ("pucker", "Error"): "errors.h",
    ("pucker", "Frame"): "io/clip.h",
    ("pucker", "Label"): "dynamic/label.h",
    ("pucker", "Profile"): "dynamic/profile.h",
    ("pucker.byexample", "SparseRows"): "mesh/loop.h",
    ("pucker.waves", "PaintingBase"): "waves/painting.h",
}


class Bound(NamedTuple):
    """A name in Python, and the header that declares what it stands for."""

    module: str
    name: str
    header: str


def headers() -> list[str]:
    """The public headers, as they are included."""
    return sorted(path.relative_to(HEADERS).as_posix() for path in HEADERS.rglob("*.h"))


def of_core(thing: object) -> bool:
    """Whether the core made it."""
    return str(getattr(thing, "__module__", "")).startswith("pucker._core")


def public(module: str) -> set[str]:
    """The names of the core that a module shows."""
    shown = importlib.import_module(module)
    names = getattr(shown, "__all__", None) or [name for name in dir(shown) if not name.startswith("_")]
    return {name for name in names if of_core(getattr(shown, name))}


def declares(header: str, name: str) -> bool:
    """Whether a header defines a type, or declares a function, of this name."""
    text = re.sub(r"//.*", "", (HEADERS / header).read_text(encoding="utf-8"))
    return bool(re.search(rf"^(?:\w+ )*?(?:struct|class) {name}\b[^;]*{{|^[\w:<>&, ]+ {name}\(", text, re.MULTILINE))


def home(binding: Path, included: list[str], names: tuple[str, str]) -> str:
    """The header that declares one of the names, of those that a binding includes, or else that of its own stem."""
    stem = binding.stem.rpartition("_")[2]
    first = sorted(included, key=lambda header: Path(header).stem not in (binding.stem, stem))
    near = [header for header in headers() if Path(header).parent == Path(first[0]).parent]
    for name in names:
        for header in dict.fromkeys([*first, *near, *headers()]):
            if declares(header, name):
                return header
    return first[0]


def bound() -> list[Bound]:
    """Every public name of the core, once a module that shows it."""
    found = dict(HOMES)
    shown = {module: public(module) for module in ["pucker", *MODULES.values()]}
    for binding in sorted(BINDINGS.glob("*.cpp")):
        text = binding.read_text(encoding="utf-8")
        own = BINDINGS / f"{binding.stem.partition('_')[0]}.h"
        included = INCLUDE.findall(text) + (INCLUDE.findall(own.read_text(encoding="utf-8")) if own.exists() else [])
        own_module = next((module for start, module in MODULES.items() if binding.stem.startswith(start)), "pucker")
        pairs = [(kind.rpartition("::")[2], name) for kind, name in CLASS.findall(text)]
        pairs += [(name, name) for name in FUNCTION.findall(text)]
        for kind, name in pairs:
            if name in shown[own_module] and (own_module, name) not in found:
                found[own_module, name] = home(binding, included, (kind, name))
    return [Bound(module, name, header) for (module, name), header in found.items()]


def summary(header: str) -> str:
    """The first sentence of a header."""
    lines = (HEADERS / header).read_text(encoding="utf-8").splitlines()
    comment: list[str] = []
    for line in lines:
        if not (match := re.match(r"(?:///|/?\*) ?(?!/)(.*)", line)):
            break
        comment.append(match[1].strip(" */"))
    text = " ".join(comment)
    return re.split(r"(?<! [A-Z])(?<! al)\.(?: |$)", text)[0].rstrip(":.") + "."


def documented(module: str, name: str) -> str:
    """What has Sphinx take the docstrings of a name."""
    kind = "class" if isinstance(getattr(importlib.import_module(module), name), type) else "function"
    options = "\n   :members:" if kind == "class" else ""
    return f"```{{eval-rst}}\n.. auto{kind}:: {module}.{name}{options}\n```\n"


def modules(package: str) -> dict[str, list[str]]:
    """The names that a package shows of each of its modules, by the modules' own names."""
    shown = importlib.import_module(package)
    found: dict[str, list[str]] = defaultdict(list)
    for name in shown.__all__:
        thing = getattr(shown, name)
        home = getattr(thing, "__module__", None)
        if home is not None and not of_core(thing):
            found[home].append(name)
    return dict(sorted(found.items(), key=lambda each: each[0].rpartition(".")[2]))


def package_pages(short: str, package: str) -> dict[str, str]:
    """A page for each module of a package, and the table that the package's own page includes."""
    texts, rows = {}, []
    for module, names in modules(package).items():
        stem = module.rpartition(".")[2]
        about = textwrap.fill((importlib.import_module(module).__doc__ or "").strip().split("\n\n")[0], 120)
        entries = "\n".join(documented(package, name) for name in names)
        texts[f"python/{short}/{stem}.md"] = f"# {short}/{stem}\n\n{about}\n\n{entries}"
        rows.append(f"| [{stem}](python/{short}/{stem}.md) | {', '.join(f'`{name}`' for name in names)} |")
    table = "\n".join(["| module | |", "|---|---|", *rows])
    tree = "\n".join(name.removesuffix(".md") for name in texts)
    return texts | {f"python/{short}.txt": f"{table}\n\n```{{toctree}}\n:hidden:\n\n{tree}\n```\n"}


def sections(header: str, names: list[Bound]) -> Iterator[str]:
    """The parts of the page of a header."""
    path = Path(header)
    yield f"# {path.with_suffix('').as_posix()}\n\n{textwrap.fill(summary(header), 120)}\n"
    # Where two methods have a stage of the same name, a page has that of its method before it.
    for page in (f"{path.parent.name}_{path.stem}", path.stem):
        if (ROOT / "docs" / f"{page}.md").exists():
            yield f"How it works: [{page}](/{page}.md).\n"
            break
    if names:
        yield "## In Python\n"
    for entry in names:
        yield documented(entry.module, entry.name)
    up = "../" * (len(path.parts) + 2)
    listing = (
        f"```{{literalinclude}} {up}cpp/include/pucker/{header}\n:language: {'c' if header == 'pucker.h' else 'cpp'}"
    )
    yield f'## In C++\n\n`#include "pucker/{header}"`\n\n{listing}\n```\n'


def pages() -> dict[str, str]:
    """The text of every page, by its path below docs/api."""
    of: dict[str, list[Bound]] = defaultdict(list)
    for entry in bound():
        of[entry.header].append(entry)
    texts = {f"core/{header.removesuffix('.h')}.md": "\n".join(sections(header, of[header])) for header in headers()}
    for room, (title, purpose) in ROOMS.items():
        inside = [header for header in headers() if Path(header).parent == Path(room)]
        rows = [
            f"| [{Path(header).stem}]({header.removesuffix('.h')}.md) | {summary(header)} | "
            f"{', '.join(f'`{entry.name}`' for entry in of[header])} |"
            for header in inside
        ]
        table = "\n".join(["| header | | in Python |", "|---|---|---|", *rows])
        tree = "\n".join(header.removesuffix(".h") for header in inside)
        texts[f"core/in_{room or 'all'}.md"] = (
            f"# {title}\n\n{purpose}\n\n{table}\n\n```{{toctree}}\n:hidden:\n\n{tree}\n```\n"
        )
    for short, package in PACKAGES.items():
        texts |= package_pages(short, package)
    return texts


def write() -> None:
    """Brings the pages up to date; what has not changed stays, so that it is not built anew."""
    texts = pages()
    for old in [*(PAGES / "core").rglob("*.md"), *(PAGES / "python").rglob("*.*")]:
        if old.relative_to(PAGES).as_posix() not in texts:
            old.unlink()
    for name, text in texts.items():
        page = PAGES / name
        page.parent.mkdir(parents=True, exist_ok=True)
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")
