"""The examples on the documentation pages run as they stand there, and print what stands below them.

Run as a program, this writes what they print into the pages anew.
"""

import contextlib
import io
import math
import re
import tempfile
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = [
    *(
        "frames",
        "stretch",
        "glyphs",
        "reference",
        "buckling",
        "shape",
        "border",
        "curve",
        "packing",
        "subdivision",
        "surface",
    ),
    *("crush", "relax", "wave_field", "computed"),
    *("loop", "features", "pose_space", "synthesis", "computed_surface", "training"),
    *("method", "io", "export", "bake", "look", "page", "plot", "metrics", "bands"),
]
# An example, and below it what it prints.
EXAMPLE = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<printed>.*?)^```\n)?", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?")


def printed_by(page: str, code: str) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(code, f"docs/{page}.md", "exec"), {})
    return out.getvalue()


def assert_same_text(printed: str, expected: str) -> None:
    """The same but for spaces and for the last digits of numbers."""
    assert NUMBER.sub("#", printed).split() == NUMBER.sub("#", expected).split()
    for number, wanted in zip(NUMBER.findall(printed), NUMBER.findall(expected), strict=True):
        assert math.isclose(float(number), float(wanted), rel_tol=1e-6, abs_tol=1e-9), f"{number} is not {wanted}"


@pytest.mark.parametrize("page", PAGES)
def test_the_example_of_a_page_prints_what_stands_below_it(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (example,) = EXAMPLE.finditer((DOCS / f"{page}.md").read_text(encoding="utf-8"))
    assert example["printed"]
    assert_same_text(printed_by(page, example["code"]), example["printed"])


@pytest.mark.parametrize("printed", ["b 1.5 [2. 3.]", "a 1.5001 [2. 3.]", "a 1.5 [2. 3. 4.]", "a -1.5 [2. 3.]", ""])
def test_what_differs_is_found(printed):
    assert_same_text("a 1.5000000001 [2. 3.]\n", "a  1.5\n[2.  3.]")
    with pytest.raises(AssertionError):
        assert_same_text(printed, "a 1.5 [2. 3.]")


def test_the_first_ten_minutes_run_as_they_stand_there(tmp_path, monkeypatch):
    (tmp_path / "out").mkdir()
    (tmp_path / "data").symlink_to(DOCS.parent / "data")
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    printed = printed_by("tutorial", "\n".join(example["code"] for example in EXAMPLE.finditer(text)))
    assert "wrinkles, the longest" in printed
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["kimono.png", "lifelines.png"]


def write_anew() -> None:
    for page in PAGES:
        path = DOCS / f"{page}.md"
        text = path.read_text(encoding="utf-8")
        (example,) = EXAMPLE.finditer(text)
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            printed = printed_by(page, example["code"])
        block = f"```python\n{example['code']}```\n\n```text\n{printed}```\n"
        path.write_text(text[: example.start()] + block + text[example.end() :], encoding="utf-8")


if __name__ == "__main__":
    write_anew()
