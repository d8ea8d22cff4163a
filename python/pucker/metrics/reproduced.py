"""How far another simulation of the same sheet has the same folds: what says which of them a truth can be judged by."""

from dataclasses import dataclass
from typing import Final, Self

from .bands import BandAgreement

PLACE: Final = 0.9
"""Correlation with the next finer mesh from which a band is judged by place."""
SIZE: Final = 0.1
"""How far the size of its heights may be from that on the next finer mesh."""


@dataclass(frozen=True)
class Reproduced:
    """How far another simulation of the same sheet has the folds of a truth.

    Attributes:
        of: Which simulation: `finer`, `coarser` (the next mesh), `again` (another take), or the name of another solver.
        correlation: (k,) of the folds in each band with the truth's, each without its own lag.
        rms: (k,) size of the folds in each band over that of the truth's.
        lag: Its own, drag over hold a frame (`fitted_lag`).
    """

    of: str
    correlation: tuple[float, ...]
    rms: tuple[float, ...]
    lag: float = 0.0

    @classmethod
    def of_rows(cls, of: str, rows: list[BandAgreement], lag: float = 0.0) -> Self:
        """Of what `band_agreement` returns."""
        return cls(of, tuple(row.correlation for row in rows), tuple(row.rms for row in rows), lag)
