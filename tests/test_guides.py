"""The guides are followed literally: what they tell to type is typed, and prints what stands below it."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from test_stage_pages import EXAMPLE, assert_same_text

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
LISTING = re.compile(r"```python\n(.*?)```", re.DOTALL)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with the example data in it, where everything is typed."""
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_researcher_changes_a_stage_and_measures_the_difference(desk: Path) -> None:
    page = (DOCS / "wrinkler.md").read_text(encoding="utf-8")
    (listing,) = (code for code in LISTING.findall(page) if "class ByHand" in code)
    (desk / "by_hand.py").write_text(listing, encoding="utf-8")
    examples = list(EXAMPLE.finditer((DOCS / "for_researchers.md").read_text(encoding="utf-8")))
    marked = "\nprint('-- next --')\n".join(example["code"] for example in examples)
    (desk / "changed.py").write_text(marked, encoding="utf-8")
    done = subprocess.run([sys.executable, "changed.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    printed = done.stdout.split("-- next --\n")
    assert len(printed) == len(examples) >= 5
    for text, example in zip(printed, examples, strict=True):
        assert_same_text(text, example["printed"] or "")
    assert (desk / "different.png").stat().st_size > 1000


@pytest.mark.slow
def test_an_artist_comes_from_a_character_to_a_baked_file(desk: Path) -> None:
    page = (DOCS / "for_artists.md").read_text(encoding="utf-8")
    lines = re.findall(r"^    (pucker .*)$", page, re.MULTILINE)
    assert len(lines) == 6
    for line in lines:
        _, *words = shlex.split(line)
        done = subprocess.run(
            [Path(sys.executable).parent / "pucker", *words], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{line}: {done.stderr}"
        if "-o" in words:
            assert (desk / words[words.index("-o") + 1]).stat().st_size > 1000, line
