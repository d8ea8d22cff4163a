"""Sphinx configuration."""

import shutil
import sys
from importlib.metadata import version as package_version
from pathlib import Path

import jupyter_server_mathjax

sys.path.insert(0, str(Path(__file__).parent))
import api_pages

project = "pucker"
copyright = "2026, the pucker authors"
author = "the pucker authors"
release = package_version("pucker")

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
# MathJax comes with the pages, so that they need no network: the copy that Jupyter's server brings, which is version 2.
MATHJAX = Path(jupyter_server_mathjax.__file__).parent / "static"
mathjax_path = "mathjax/MathJax.js"
mathjax2_config = {
    "config": ["TeX-AMS-MML_HTMLorMML-full.js"],
    "tex2jax": {"processClass": "tex2jax_process|mathjax_process|math|output_area"},
    "HTML-CSS": {"availableFonts": [], "preferredFont": None, "webFont": "STIX-Web", "scale": 90},
    "showMathMenu": False,
    "messageStyle": "none",
}
myst_update_mathjax = False
# docs/notebooks is a link to the notebooks, which are kept with their outputs; the tests execute them.
nb_execution_mode = "off"
# Without a kernel a widget shows nothing; the picture kept beside it does.
nb_mime_priority_overrides = [("html", "application/vnd.jupyter.widget-view+json", None)]
# Nor are the scripts that would draw it asked from a foreign server: pages need no network.
nb_ipywidgets_js = {}
exclude_patterns = ["_build", "trust/*", "**/.ipynb_checkpoints"]
autodoc_member_order = "bysource"
autodoc_typehints = "description"
# Members of enumerations and attributes of classes share names ("edges"), which makes references to them ambiguous.
suppress_warnings = ["ref.python"]

html_theme = "furo"
html_title = "pucker"
html_static_path = ["_static"]
html_css_files = ["tables.css"]


def copy_mathjax(app, error):
    if error is None and app.builder.format == "html":
        shutil.copytree(MATHJAX, Path(app.outdir) / "_static" / "mathjax", dirs_exist_ok=True)


def leave_to_the_pages_of_the_core(app, what, name, member, skip, options):
    """Pages of Python's modules hold what is Python's."""
    return True if what == "module" and api_pages.of_core(member) else None


def setup(app):
    api_pages.write()
    app.connect("autodoc-skip-member", leave_to_the_pages_of_the_core)
    app.connect("build-finished", copy_mathjax)
