"""Measures of a run: of its paths, of the wrinkled surface, and of curvature against another mesh.

`measure` runs a clip and takes all measures that need no other mesh; the functions it calls can be used alone. The
documentation gives the formula of each.
"""

from pucker.extras import needing

with needing("metrics", "pucker.metrics"):
    from pucker.areas import vertex_areas

    from .agreement import correlation, rms
    from .band_statistics import BandStatistics, FoldPattern, FoldPatterns, band_statistics
    from .bands import BandAgreement, Bands, band_agreement, band_names, fitted_lag, heights, lagging, noise_like
    from .bends import sharpest_bends
    from .curvature import Curvature, curvature, curvature_distance, curvature_histogram
    from .folds import Smoothing, fold_births, wavelength, where
    from .long_waves import low_pass
    from .meanings import MEANINGS, Meaning
    from .patches import Patches, patches_of
    from .paths import (
        Survival,
        alive,
        births,
        deaths,
        direction_error,
        length_ratios,
        survival,
        wrinkle_directions,
    )
    from .pictures import flip
    from .relief import relief_features
    from .reproduced import PLACE, SIZE, Reproduced
    from .ridges import Ridges, ridges_of
    from .run import Measures, measure
    from .sections import arc_length_deficit, section_length
    from .surface import (
        BAND,
        MIN_FRAMES,
        Samples,
        area,
        area_deficit,
        band_pass,
        compressed_area,
        flicker,
    )
    from .takes import load_takes, save_takes
    from .told_apart import ToldApart, Weight, told_apart
    from .truth import Truth, storage_error

__all__ = [
    "BAND",
    "MEANINGS",
    "MIN_FRAMES",
    "PLACE",
    "SIZE",
    "BandAgreement",
    "BandStatistics",
    "Bands",
    "Curvature",
    "FoldPattern",
    "FoldPatterns",
    "Meaning",
    "Measures",
    "Patches",
    "Reproduced",
    "Ridges",
    "Samples",
    "Smoothing",
    "Survival",
    "ToldApart",
    "Truth",
    "Weight",
    "alive",
    "arc_length_deficit",
    "area",
    "area_deficit",
    "band_agreement",
    "band_names",
    "band_pass",
    "band_statistics",
    "births",
    "compressed_area",
    "correlation",
    "curvature",
    "curvature_distance",
    "curvature_histogram",
    "deaths",
    "direction_error",
    "fitted_lag",
    "flicker",
    "flip",
    "fold_births",
    "heights",
    "lagging",
    "length_ratios",
    "load_takes",
    "low_pass",
    "measure",
    "noise_like",
    "patches_of",
    "relief_features",
    "ridges_of",
    "rms",
    "save_takes",
    "section_length",
    "sharpest_bends",
    "storage_error",
    "survival",
    "told_apart",
    "vertex_areas",
    "wavelength",
    "where",
    "wrinkle_directions",
]
