"""The examples on the documentation pages of the stages run as they stand there."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"


@pytest.mark.parametrize("page", ["frames", "stretch", "glyphs", "reference", "shape", "curve", "packing"])
def test_the_example_of_a_page_runs(page, capsys):
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    exec(compile(example, f"docs/{page}.md", "exec"), {})
    assert capsys.readouterr().out
