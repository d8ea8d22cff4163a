"""The examples on the documentation pages of the stages run as they stand there."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"


@pytest.mark.parametrize(
    "page", ["frames", "stretch", "glyphs", "reference", "shape", "curve", "packing", "io", "export", "plot", "metrics"]
)
def test_the_example_of_a_page_runs(page, capsys):
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    exec(compile(example, f"docs/{page}.md", "exec"), {})
    assert capsys.readouterr().out


def test_the_first_ten_minutes_run_as_they_stand_there(tmp_path, monkeypatch, capsys):
    (tmp_path / "out").mkdir()
    (tmp_path / "data").symlink_to(DOCS.parent / "data")
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    exec(compile("\n".join(blocks), "docs/tutorial.md", "exec"), {})
    assert "wrinkles, the longest" in capsys.readouterr().out
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["kimono.png", "lifelines.png"]
