"""What docs/security.md says of the network and of pickles."""

import ast
import json
import pickle
import re
from pathlib import Path

import pytest

import pucker
from pucker.examples import squeezed_sheet

ROOT = Path(__file__).parent.parent
NETWORK = {
    "socket",
    "ssl",
    "urllib",
    "http",
    "ftplib",
    "smtplib",
    "requests",
    "httpx",
    "aiohttp",
    "websockets",
}
# What makes a browser fetch: of a tag, of a style, of a script.
FETCHES = re.compile(
    r"""(?:\b(?:src|srcset|data|poster)\s*=\s*|<link[^>]*\bhref\s*=\s*|url\(|@import\s+|\bfetch\(|\bimport\()\s*["']?\s*(?:https?:)?//""",
    re.IGNORECASE,
)


def imported(path: Path) -> set[str]:
    """The packages that a module imports; urllib.parse takes addresses apart and opens nothing."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module)
    return {name.partition(".")[0] for name in names - {"urllib.parse"}}


def test_no_module_imports_what_opens_connections() -> None:
    modules = sorted((ROOT / "python").rglob("*.py"))
    assert len(modules) > 50
    offending = {str(path.relative_to(ROOT)): imported(path) & NETWORK for path in modules}
    assert {path: names for path, names in offending.items() if names} == {}


def test_what_would_be_fetched_is_found() -> None:
    for text in ('<img src="https://a.b/c">', "<script src='//a.b'>", "url(http://a.b)", "fetch('https://a.b')"):
        assert FETCHES.search(text), text
    for text in (
        '<a href="https://a.b">',
        '<img src="data:image/png;base64,//a">',
        'xmlns="http://www.w3.org/2000/svg"',
    ):
        assert not FETCHES.search(text), text


def test_kept_notebooks_and_web_files_fetch_nothing() -> None:
    notebooks = sorted((ROOT / "notebooks").glob("*.ipynb"))
    assert notebooks
    for path in notebooks:
        for cell in json.loads(path.read_text())["cells"]:
            for output in cell.get("outputs", []):
                for kind, content in output.get("data", {}).items():
                    if kind.startswith("image/") and kind != "image/svg+xml":
                        continue
                    text = "".join(content) if isinstance(content, list) else json.dumps(content)
                    assert not FETCHES.search(text), f"{path.name}: {kind}"
    for path in (ROOT / "python").rglob("*"):
        if path.suffix in {".js", ".css", ".html"}:
            assert not FETCHES.search(path.read_text()), path.name


@pytest.mark.parametrize("make", [
    lambda clip: pucker.Wrinkler(clip.mesh, pucker.Params(min_width=0.02)),
    lambda clip: pucker.waves.WaveField(clip.mesh, clip.positions[0], pucker.waves.Params(), height=1.0),
])  # fmt: skip
def test_the_state_of_a_pickled_run_is_checked_as_saved_bytes_are(make) -> None:
    clip = squeezed_sheet(4, 4)
    run = make(clip)
    run.advance(clip.positions[0], 0.0)
    saved = run.save()
    text = pickle.dumps(run)
    assert saved in text
    damaged = text.replace(saved, saved[:100] + bytes([saved[100] ^ 1]) + saved[101:])
    with pytest.raises(pucker.Error, match=r"damaged|checksum|cut short|holds"):
        pickle.loads(damaged)
