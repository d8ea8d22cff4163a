"""What the numbers of a run say: in words, with unit, and which way is better."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True)
class Meaning:
    """What a measure says."""

    text: str
    """What is measured."""
    unit: str
    """"1" for a share or a ratio; "unit" is the clip's own unit of length."""
    better: str
    """"more", "less", "nearer to 0", "nearer to 1", "nearer to 50", or "neither" where a number alone is not good or bad."""

    def sentence(self) -> str:
        """All of it, for a reader."""
        unit = {"1": "a ratio", "unit": "in the clip's unit of length"}.get(self.unit, f"in {self.unit}")
        judged = "neither more nor less is better" if self.better == "neither" else f"{self.better} is better"
        return f"{self.text}, {unit}; {judged}."


MEANINGS: Final[Mapping[str, Meaning]] = MappingProxyType(
    {
        "alive": Meaning("Wrinkles that live, mean of a frame", "wrinkles", "neither"),
        "births": Meaning("Wrinkles that form during the clip", "wrinkles", "neither"),
        "deaths": Meaning("Wrinkles that are given up during the clip", "wrinkles", "less"),
        "survival": Meaning("Mean lifetime of a wrinkle", "seconds", "more"),
        "length_ratio": Meaning("Length of a path over that a frame before, geometric mean", "1", "nearer to 1"),
        "length_ratio_least": Meaning("Strongest shortening of a path in a frame", "1", "nearer to 1"),
        "length_ratio_most": Meaning("Strongest lengthening of a path in a frame", "1", "nearer to 1"),
        "direction_error": Meaning(
            "Mean angle between paths and the field they follow (45 if they did not)", "degrees", "less"
        ),
        "arc_length_deficit": Meaning("Cloth that cross-sections lack of their length", "1", "nearer to 0"),
        "area_deficit": Meaning("Area that the wrinkled surface lacks of the reference", "1", "nearer to 0"),
        "area_deficit_coarse": Meaning("Area that the coarse mesh lacks of the reference", "1", "neither"),
        "area_restored": Meaning("Compressed area that the wrinkles give back", "1", "nearer to 1"),
        "offset": Meaning("Displacement, root mean square over surface and frames", "unit", "neither"),
        "flicker": Meaning("Displacement that trembles, root mean square in the flicker band", "unit", "less"),
        "flicker_share": Meaning("Flicker over displacement", "1", "less"),
    }
)
"""Of every measure in `Measures.summary`, by its name."""
