"""The ground-truth bench: wrinkles on a coarse copy of a fine clip, measured against the fine surface.

`coarsen` makes the coarse copy, `compare` measures, `write_report` puts tables and pictures on disk.
"""

from pucker.extras import needing

with needing("metrics,render", "pucker.metrics.compare"):
    from pucker.closest import Places, closest_places
    from pucker.decimation import coarsen
    from pucker.metrics.source import Source

    from .bench import CURVATURE_RINGS, MEASURES, Row, compare, fold_width, narrowest_fold, surfaces_of
    from .by_band import BANDS, EDGES, Heights, correlation_in, size_in
    from .by_statistics import statistics_table
    from .by_truth import (
        Against,
        Folds,
        against,
        folds_on,
        overall_table,
        same_sheet,
        standard_on,
        table_of_truth,
        takes_of,
        write_against,
    )
    from .judged import CONTROLS, Judged, Smoothed
    from .judging import Judge
    from .report import in_words, means, sheet, summary, table, write_report
    from .scene import Scene
    from .suites import standard, suite
    from .telling import Telling, Told, telling_table, weights_table
    from .trained_set import agreement_of_set, set_in_words, write_set
    from .verdict import markdown, markdown_by_band, overall, verdicts, write_verdicts

__all__ = [
    "BANDS",
    "CONTROLS",
    "CURVATURE_RINGS",
    "EDGES",
    "MEASURES",
    "Against",
    "Folds",
    "Heights",
    "Judge",
    "Judged",
    "Places",
    "Row",
    "Scene",
    "Smoothed",
    "Source",
    "Telling",
    "Told",
    "against",
    "agreement_of_set",
    "closest_places",
    "coarsen",
    "compare",
    "correlation_in",
    "fold_width",
    "folds_on",
    "in_words",
    "markdown",
    "markdown_by_band",
    "means",
    "narrowest_fold",
    "overall",
    "overall_table",
    "same_sheet",
    "set_in_words",
    "sheet",
    "size_in",
    "standard",
    "standard_on",
    "statistics_table",
    "suite",
    "summary",
    "surfaces_of",
    "table",
    "table_of_truth",
    "takes_of",
    "telling_table",
    "verdicts",
    "weights_table",
    "write_against",
    "write_report",
    "write_set",
    "write_verdicts",
]
