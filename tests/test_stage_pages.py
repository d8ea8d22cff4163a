"""The examples on the documentation pages run as they stand there, and print what stands below them.

Run as a program, this writes what they print into the pages anew.
"""

import contextlib
import io
import math
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pucker.cli import cli

DOCS = Path(__file__).resolve().parents[1] / "docs"
# An example, and below it what it prints.
EXAMPLE = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<printed>.*?)^```\n)?", re.MULTILINE | re.DOTALL)
# Their examples go on from one another; test_guides.py follows them.
FOLLOWED = ("for_researchers",)
NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?")


def page_text(page: str) -> str:
    return (DOCS / f"{page}.md").read_text(encoding="utf-8")


def examples_of(page: str) -> list[re.Match[str]]:
    """The examples of a page below which stands what they print."""
    return [found for found in EXAMPLE.finditer(page_text(page)) if found["printed"]]


PAGES = [path.stem for path in sorted(DOCS.glob("*.md")) if path.stem not in FOLLOWED and examples_of(path.stem)]


def printed_by(page: str, code: str, names: dict[str, Any]) -> str:
    """What an example prints that goes on from those before it on its page, whose `names` it has."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(code, f"docs/{page}.md", "exec"), names)
    return out.getvalue()


def assert_same_text(printed: str, expected: str) -> None:
    """The same but for spaces and for the last digits of numbers."""
    assert NUMBER.sub("#", printed).split() == NUMBER.sub("#", expected).split()
    for number, wanted in zip(NUMBER.findall(printed), NUMBER.findall(expected), strict=True):
        assert math.isclose(float(number), float(wanted), rel_tol=1e-6, abs_tol=1e-9), f"{number} is not {wanted}"


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_print_what_stands_below_them(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").symlink_to(DOCS.parent / "data")
    names: dict[str, Any] = {}
    for example in examples_of(page):
        assert_same_text(printed_by(page, example["code"], names), example["printed"])


def test_every_page_with_outputs_is_looked_at():
    # Of a stage, of a method, of what is around them, and one whose examples stand among others that print nothing.
    assert {"frames", "relax", "regression", "truths", "render"} <= set(PAGES)
    assert {"drape_guide", "lengths", "springs", "balance", "inertia", "contact", "multilevel"} <= set(PAGES)
    assert len(PAGES) >= 40


def test_what_info_prints_of_the_kimono_is_what_its_page_shows(data_dir):
    (block,) = re.findall(
        r"^```text\n(triangles past a compression.*?)^```\n", page_text("io"), re.MULTILINE | re.DOTALL
    )
    told = CliRunner().invoke(cli, ["info", str(data_dir / "kimono_male.gltf"), "--clip", "Walk"])
    assert told.exit_code == 0
    assert_same_text(told.stdout[told.stdout.index("triangles past") :].partition("a video of it")[0], block)


@pytest.mark.parametrize("printed", ["b 1.5 [2. 3.]", "a 1.5001 [2. 3.]", "a 1.5 [2. 3. 4.]", "a -1.5 [2. 3.]", ""])
def test_what_differs_is_found(printed):
    assert_same_text("a 1.5000000001 [2. 3.]\n", "a  1.5\n[2.  3.]")
    with pytest.raises(AssertionError):
        assert_same_text(printed, "a 1.5 [2. 3.]")


def test_the_first_ten_minutes_run_as_they_stand_there(tmp_path, monkeypatch):
    (tmp_path / "out").mkdir()
    (tmp_path / "data").symlink_to(DOCS.parent / "data")
    monkeypatch.chdir(tmp_path)
    printed = printed_by(
        "tutorial", "\n".join(example["code"] for example in EXAMPLE.finditer(page_text("tutorial"))), {}
    )
    assert "wrinkles, the longest" in printed
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["kimono.png", "lifelines.png"]


def write_anew() -> None:
    for page in PAGES:
        path, text = DOCS / f"{page}.md", page_text(page)
        names: dict[str, Any] = {}
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            Path("data").symlink_to(DOCS.parent / "data")
            printed = [printed_by(page, example["code"], names) for example in examples_of(page)]
        for example, words in reversed(list(zip(examples_of(page), printed, strict=True))):
            block = f"```python\n{example['code']}```\n\n```text\n{words}```\n"
            text = text[: example.start()] + block + text[example.end() :]
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_anew()
