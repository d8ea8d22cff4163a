"""The documentation as pages: formulas typeset without a network, tables inside their column, an API of this package."""

import ast
import importlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

import pucker

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))
import api_pages

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PACKAGE = ROOT / "python" / "pucker"
TYPESET = (
    "window.MathJax && MathJax.Hub && document.querySelectorAll('.MathJax').length > 0 && !MathJax.Hub.queue.pending"
)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built pages; any warning is an error."""
    pytest.importorskip("sphinx", reason="pages need the extra pucker[docs]; ./run docs installs it")
    folder = tmp_path_factory.mktemp("docs")
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", str(DOCS), str(folder)]
    subprocess.run(command, check=True)
    return folder


@pytest.mark.slow
def test_formulas_are_typeset_and_wide_tables_scroll_without_a_network(pages: Path) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--allow-file-access-from-files"]
        )
        page = browser.new_page(viewport={"width": 500, "height": 900})
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        for name in ("notation", "labelling", "metrics", "persistence", "profile"):
            page.goto((pages / f"{name}.html").as_uri())
            page.wait_for_function(TYPESET)
            page.wait_for_timeout(500)
            formulas = page.locator("article .math").count() - page.locator("article .math .math").count()
            assert page.locator("article .MathJax[role=presentation], article .MathJax").count() >= formulas // 2 > 2
            assert page.locator(".MathJax_Error, .merror").count() == 0
            # Nothing is wider than the window but what scrolls in itself.
            assert page.evaluate("document.documentElement.scrollWidth") <= 500
        browser.close()
    assert not [url for url in asked if url.startswith("http")]


@pytest.mark.slow
def test_the_pages_of_the_api_are_of_this_package_alone(pages: Path) -> None:
    for page in (pages / "api").glob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert "ModuleType" not in text, page.name


@pytest.mark.slow
def test_every_header_has_a_page_with_contents(pages: Path) -> None:
    for header in api_pages.headers():
        text = (pages / "api" / "core" / header).with_suffix(".html").read_text(encoding="utf-8")
        contents = text[text.index('class="toc-tree"') :]
        assert 'href="#in-c"' in contents, header
        for entry in api_pages.bound():
            assert (f'href="#{entry.module}.{entry.name}"' in contents) == (entry.header == header), (header, entry)


def test_every_header_and_every_public_name_of_the_core_is_on_one_page() -> None:
    texts = api_pages.pages()
    listed = "\n".join(text for name, text in texts.items() if Path(name).name.startswith("in_"))
    for header in (path.relative_to(api_pages.HEADERS) for path in api_pages.HEADERS.rglob("*.h")):
        assert f"cpp/include/pucker/{header}\n" in texts[f"core/{header.with_suffix('.md').as_posix()}"]
        assert listed.count(f"]({header.with_suffix('.md')})") == 1
    everything = "\n".join(texts.values())
    shown = {}
    for module in ("pucker", *api_pages.MODULES.values()):
        for name in api_pages.public(module):
            shown.setdefault(id(getattr(importlib.import_module(module), name)), []).append(f"{module}.{name}")
    assert len(shown) > 100
    for names in shown.values():
        asked = "|".join(map(re.escape, names))
        assert len(re.findall(rf"auto(?:class|function):: (?:{asked})$", everything, re.MULTILINE)) == 1, names


def test_every_name_of_a_package_is_on_the_page_of_its_module() -> None:
    texts = api_pages.pages()
    for short, package in api_pages.PACKAGES.items():
        module = importlib.import_module(package)
        for name in module.__all__:
            thing = getattr(module, name)
            if isinstance(thing, type) or (callable(thing) and not api_pages.of_core(thing)):
                pages = [path for path, text in texts.items() if f":: {package}.{name}\n" in text]
                assert len(pages) == 1, name
                if not api_pages.of_core(thing):
                    assert pages == [f"python/{short}/{thing.__module__.rpartition('.')[2]}.md"]
    assert "[folds](python/metrics/folds.md)" in texts["python/metrics.txt"]


def test_pages_of_the_core_say_what_a_header_is_for_and_show_its_names() -> None:
    stretch = api_pages.pages()["core/dynamic/stretch.md"]
    assert stretch.startswith("# dynamic/stretch\n\nPrincipal stretches between two shapes of each triangle")
    assert re.findall(r"auto\w+:: (.*)", stretch) == ["pucker.Stretch", "pucker.stretch"]
    assert "(/stretch.md)" in stretch


def test_pages_of_the_core_lead_to_the_stage_of_their_own_method() -> None:
    texts = api_pages.pages()
    for header, page in {"drape/guide": "drape_guide", "dynamic/guide": "guide", "drape/balance": "balance"}.items():
        assert f"How it works: [{page}](/{page}.md)" in texts[f"core/{header}.md"]


def test_the_notation_gives_what_the_costs_are_made_of() -> None:
    text = (DOCS / "notation.md").read_text(encoding="utf-8")
    for symbol in (r"$c(a, b) =", r"$H = \exp(-\alpha", r"$h = \exp(-\beta"):
        assert symbol in text


def test_the_picture_of_the_architecture_is_drawn_from_its_source_and_names_what_there_is() -> None:
    source = (DOCS / "architecture.dot").read_text(encoding="utf-8")
    picture = (DOCS / "architecture.svg").read_text(encoding="utf-8")
    labels = re.findall(r'\blabel = "([^"]*)"', source)
    drawn = re.findall(r"<text [^>]*>([^<]*)</text>", picture)
    lines = [line for label in labels for line in label.split(r"\n")]
    assert sorted(lines) == sorted(text.replace("&#45;", "-").replace("&amp;", "&") for text in drawn)
    core = source[source.index("cluster_core") : source.index("\n  }\n")]
    folders = set(re.findall(r"^    (\w+) \[", core, re.MULTILINE)) - {"method"}
    have = {path.name for path in (DOCS.parent / "cpp" / "src").iterdir() if path.is_dir()}
    assert folders == have
    assert (DOCS.parent / "cpp" / "include" / "pucker" / "method.h").is_file()


def docstrings() -> Iterator[tuple[str, str]]:
    """Where each docstring of the package stands, and its text."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (text := ast.get_docstring(node)):
                yield f"{path.relative_to(PACKAGE)}: {getattr(node, 'name', 'module')}", text


def test_docstrings_are_of_one_style() -> None:
    """What ruff does not see: names on lines of their own, and errors in a sentence beside sections."""
    for place, text in docstrings():
        assert not re.search(r"^( *)[a-z_][\w ,]*( \(.*\))?\n\1 {4}\S.*$", text, re.MULTILINE), place
        if re.search(r"^(Args|Attributes):$", text, re.MULTILINE):
            assert not re.search(r"Raises [\w.]*Error", text), place


def test_pages_of_notebooks_ask_no_server(tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    shutil.copy(DOCS.parent / "notebooks" / "1_first_wrinkles.ipynb", source / "index.ipynb")
    conf = (DOCS / "conf.py").read_text(encoding="utf-8")
    (source / "conf.py").write_text(conf.replace('html_static_path = ["_static"]', ""), encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", source, tmp_path / "pages"]
    # The configuration takes a file of the documentation from beside it.
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": str(DOCS)})
    page = (tmp_path / "pages" / "index.html").read_text(encoding="utf-8")
    assert "application/vnd.jupyter.widget" in (source / "index.ipynb").read_text(encoding="utf-8")
    # Links lead elsewhere when they are followed; what a page loads must lie beside it.
    assert re.findall(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="(?:https?:)?//[^"]*"', page) == []


def test_lines_of_pages_are_short() -> None:
    """Tables excepted, and pages that a command writes where its user wants them."""
    written = {DOCS / "compare" / "index.md", DOCS / "sweep-profiles" / "index.md"}
    pages = {*ROOT.glob("*.md"), ROOT / "data" / "README.md", *DOCS.rglob("*.md")} - written - {ROOT / "CHANGELOG.md"}
    assert len(pages) > 90
    long = [
        (page.name, number)
        for page in sorted(pages)
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > 120 and not line.lstrip().startswith("|")
    ]
    assert long == []


def test_contributing_names_every_command():
    usage = (ROOT / "run").read_text(encoding="utf-8").split("<<'END'\n")[1].split("\nEND\n")[0]
    commands = re.findall(r"^  ([a-z]+) ", usage, re.MULTILINE)
    assert len(commands) > 15
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert [name for name in commands if f"./run {name}" not in text] == []


def test_every_version_of_pucker_that_a_page_names_is_this_one():
    pages = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
    found = {
        (page.name, version)
        for page in pages
        for version in re.findall(
            r"pucker(?:-blender)?-(\d+\.\d+\.\d+)|version = \{(\d+\.\d+\.\d+)\}", page.read_text(encoding="utf-8")
        )
    }
    assert {name for name, _ in found} >= {"install.md", "blender.md", "cite.md"}
    assert {version for _, versions in found for version in versions if version} == {pucker.__version__}
    cplusplus = (DOCS / "cplusplus.md").read_text(encoding="utf-8")
    assert f"find_package(pucker {pucker.__version__.rpartition('.')[0]} REQUIRED" in cplusplus


def test_the_program_of_the_page_about_cplusplus_is_as_long_as_it_says():
    (said,) = re.findall(
        r"^## A program of (\d+) lines$", (DOCS / "cplusplus.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    lines = (ROOT / "examples/cpp/wrinkle.cpp").read_text(encoding="utf-8").splitlines()
    assert abs(len(lines) - int(said)) <= 5
