"""Sphinx configuration."""

from importlib.metadata import version as package_version

project = "pucker"
copyright = "2026, the pucker authors"
author = "the pucker authors"
release = package_version("pucker")

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
# docs/notebooks is a link to the notebooks, which are kept with their outputs; the tests execute them.
nb_execution_mode = "off"
# Without a kernel a widget shows nothing; the picture kept beside it does.
nb_mime_priority_overrides = [("html", "application/vnd.jupyter.widget-view+json", None)]
exclude_patterns = ["_build", "**/.ipynb_checkpoints"]
autodoc_member_order = "bysource"
autodoc_typehints = "description"
# Members of enumerations and attributes of classes share names ("edges"), which makes references to them ambiguous.
suppress_warnings = ["ref.python"]

html_theme = "furo"
html_title = "pucker"
