"""The ground-truth bench: wrinkles on a coarse copy of a fine clip, measured against the fine surface.

`coarsen` makes the coarse copy, `compare` measures, `write_report` puts tables and pictures on disk.
"""

from pucker.extras import needing

with needing("metrics,render", "pucker.compare"):
    from .bench import CURVATURE_RINGS, MEASURES, Row, compare, fold_width, narrowest_fold, surfaces_of
    from .coarse import Places, closest_places, coarsen
    from .report import in_words, means, sheet, summary, table, write_report

__all__ = [
    "CURVATURE_RINGS",
    "MEASURES",
    "Places",
    "Row",
    "closest_places",
    "coarsen",
    "compare",
    "fold_width",
    "in_words",
    "means",
    "narrowest_fold",
    "sheet",
    "summary",
    "surfaces_of",
    "table",
    "write_report",
]
