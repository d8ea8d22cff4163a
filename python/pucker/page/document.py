"""The text of a page."""

import json
import re
import zlib
from collections.abc import Mapping
from importlib.metadata import distribution
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import jupyter_threejs_sage

import pucker
from pucker.render.shaders import shader_dir

from .numbers import as_text

# The build of three.js that the package brings, with its orbit controls.
THREE: Final = "r130"
_SCRIPTS: Final = ("archive.js", "surface.js", "programs.js", "scene.js")
_LIVE_SCRIPTS: Final = ("pose.js", "live.js", "gltf.js", "character.js", "own.js", "drop.js")
_INCLUDE: Final = re.compile(r"^#include .*$", re.MULTILINE)
_PLACE: Final = re.compile(r"/\*\{(\w+)\}\*/")


def document(head: Mapping[str, Any], content: bytes, core: bytes = b"") -> str:
    """A page of what `head` tells, in JSON, the deflated bytes of an `Archive`, and of a live page the core's WebAssembly."""
    here = files("pucker.page")
    # Light is that of all other pictures: the same lines, which find what does not change in uniforms of the same names.
    lighting = _INCLUDE.sub("", (shader_dir() / "common" / "lighting.glsl").read_text(encoding="utf-8"))
    parts = {
        "title": _escaped(str(head["title"])),
        "licence": _licence() + (_without_dashes((here / "core.txt").read_text(encoding="utf-8")) if core else ""),
        "style": (here / "page.css").read_text(encoding="utf-8"),
        "head": json.dumps({**head, "three": THREE, "version": pucker.__version__}).replace("<", "\\u003c"),
        "content": as_text(content),
        "core": as_text(zlib.compress(core, 9)) if core else "",
        "wasm_policy": " 'wasm-unsafe-eval'" if core else "",
        "three": as_text(zlib.compress(_three().read_bytes(), 9)),
        "lighting": json.dumps(lighting).replace("<", "\\u003c"),
        "script": "".join(
            (here / name).read_text(encoding="utf-8")
            for name in (*_SCRIPTS, *(_LIVE_SCRIPTS if core else ()), "page.js")
        ),
    }
    template = (here / "page.html").read_text(encoding="utf-8")
    return _PLACE.sub(lambda found: parts[found[1]], template)


def _three() -> Path:
    return Path(jupyter_threejs_sage.__file__).parent / "static" / THREE / "three.min.js"


def _licence() -> str:
    """That of three.js, whose copies must have it."""
    text = distribution("jupyter-threejs-sage").read_text("LICENSE") or ""
    return _without_dashes(text)


def _without_dashes(text: str) -> str:
    """Text that may stand in a comment of HTML."""
    return text.replace("--", "- -")


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
