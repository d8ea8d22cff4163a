"""Sphinx configuration."""

from importlib.metadata import version as package_version

project = "pucker"
copyright = "2026, the pucker authors"
author = "the pucker authors"
release = package_version("pucker")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
autodoc_member_order = "bysource"
autodoc_typehints = "description"
# Members of enumerations and attributes of classes share names ("edges"), which makes references to them ambiguous.
suppress_warnings = ["ref.python"]

html_theme = "furo"
html_title = "pucker"
