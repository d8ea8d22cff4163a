"""The settings of a sweep on truths: how far each has their folds, and whether it can be told from simulated cloth."""

import hashlib
import io
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pucker import farm
from pucker.method import method_named, start
from pucker.metrics.compare import Against, Folds, Telling
from pucker.metrics.compare.by_statistics import within
from pucker.metrics.compare.by_truth import OnTruth, holds_truths, takes_of, title
from pucker.metrics.compare.scene import scenes_of
from pucker.metrics.told_apart import ToldApart, Weight
from pucker.metrics.truth import Truth

from .grid import Grid
from .points import run_all
from .ranking import labels
from .store import Row, Store
from .table import frame_of

Features = Mapping[str, npt.NDArray[np.float64]]

# Parameters that are lengths in the unit of the sweep's clips: on a truth they would be something else.
_LENGTHS: Final = ("min_width", "shape.clearance", "fabric.length")
# Folders in that of a sweep; what begins so is no part of a Parquet dataset.
_POINTS, _TOLD = "_truths", "_told"
# Seconds that it takes to tell a patch, on a core of 2.5 GHz.
_TELLING: Final = 3e-3
_MINUTE: Final = 60.0
# Features that say what gives a setting away.
_FEATURES: Final = 3


@dataclass(frozen=True)
class JudgedSettings:
    """What truths say of the settings of a sweep.

    Attributes:
        by_truth: A row a setting, seed and truth, with the columns of a sweep's rows; ``clip`` is scene and fabric, and
            the measures are those of `SUITE`.
        told: A row a setting, seed and scene, ``clip``; ``told`` is the share in % of the patches of that scene, simulated ones and
            the setting's, that a classifier recognises which was trained on the other scenes. Empty of fewer than two scenes.
        given_away: By what each setting is recognised, by the name that a ranking has for it.
    """

    by_truth: pd.DataFrame
    told: pd.DataFrame
    given_away: Mapping[str, str]

    def after(self, frame: pd.DataFrame) -> pd.DataFrame:
        """All rows in one table, after those of the sweep."""
        return pd.concat([frame, self.by_truth, self.told], ignore_index=True)


@dataclass(frozen=True)
class _Measured:
    summary: Mapping[str, float]
    kept: Mapping[str, bytes]
    seconds: Mapping[str, float] = field(default_factory=dict)


class _TruthGrid(Grid):
    """The settings of a grid, with truths in the place of its clips."""

    def __init__(self, grid: Grid, truths: Mapping[str, Truth], contents: Mapping[str, str]) -> None:
        super().__init__(
            grid.parameters, {name: truth.clip for name, truth in truths.items()}, grid.seeds, method=grid.method
        )
        self._contents = contents

    def content(self, clip: str) -> str:
        """As `Grid.content`, with the folds."""
        return f"{super().content(clip)} {self._contents[clip]}"


class OnTruths:
    """A sweep's settings, to be run on truths."""

    def __init__(self, grid: Grid, suite: str | os.PathLike[str], scenes: Sequence[str] | None = None) -> None:
        """Reads the truths and looks whether all settings go with them, before anything runs.

        Args:
            grid: Of which the settings are; its clips do not matter.
            suite: Folder of the truths. Those that are not resolved judge nothing and are left out.
            scenes: File names without ending of the truths to take; all without.

        Raises:
            ValueError: For scenes in the place of truths, truths of which none is resolved or that are named and are not, lengths in
                the unit of the grid's clips, and settings that do not go with a truth.
            pucker.Error: If a file cannot be read, or there is none.
        """
        folder = Path(suite)
        if not holds_truths(folder):
            raise ValueError(f"settings are judged on truths, as those of data/truths, and {folder} holds scenes")
        _require_no_lengths(grid)
        truths: dict[str, Truth] = {}
        contents: dict[str, str] = {}
        self._truths: dict[str, OnTruth] = {}
        for file in scenes_of(folder, scenes):
            truth = Truth.load(file)
            if not truth.resolved:
                if scenes:
                    raise ValueError(f"{file} is not resolved in any band: nothing can be judged by it")
                continue
            name = title(truth)
            if name in truths:
                raise ValueError(f"{folder} has two truths of {name}")
            takes = takes_of(truth, file)
            truths[name] = truth
            contents[name] = _digest(file, *(each for each in [file.parent / "takes" / file.name] if takes))
            self._truths[name] = OnTruth(truth, takes)
        if not truths:
            raise ValueError(f"no truth in {folder} is resolved in any band: nothing can be judged by them")
        self._grid = _TruthGrid(grid, truths, contents)
        self._scenes = {name: truth.name for name, truth in truths.items()}
        self._points = self._grid.points(f"{on_truth.__module__}.{on_truth.__qualname__}")
        self._require_fitting(truths)

    @property
    def scenes(self) -> tuple[str, ...]:
        """Of which there are truths; it takes two to tell settings from simulated cloth."""
        return tuple(dict.fromkeys(self._scenes.values()))

    def expected(self, folder: str | os.PathLike[str], *, retry: bool = False) -> str:
        """How long `run` will take, in a sentence; empty where next to nothing is missing.

        To know it, two runs of those that are missing are made and kept.
        """
        store = Store(Path(folder) / _POINTS)
        store.make()
        todo = store.missing(self._points, retry=retry)
        if len(todo) <= 2:
            return ""
        probes = [point for point in todo if point.clip == todo[0].clip][:2]
        seconds = []
        for point in probes:
            begin = time.perf_counter()
            run_all([point], self._truths, on_truth, store, retry=retry, quiet=True)
            seconds.append(time.perf_counter() - begin)
        left = [point for point in todo if point not in probes]
        # What a truth is judged by is read once, with its first run.
        reading = max(0.0, seconds[0] - seconds[-1])
        total = seconds[-1] * len(left) + reading * len({point.clip for point in left} - {todo[0].clip})
        told = ""
        if len(self.scenes) > 1:
            settings = len(self._points) // len(self._truths)
            patches = len(self._truths) * _patches(store.read(probes[0].id))
            total += settings * patches * _TELLING
            told = f", and {settings} settings to tell from them"
        return f"{len(left)} runs on {len(self._truths)} truths{told}: about {_in_words(total)} of one core"

    def run(
        self,
        folder: str | os.PathLike[str],
        *,
        workers: int | None = 1,
        scheduler: str | None = None,
        retry: bool = False,
        quiet: bool = False,
    ) -> JudgedSettings:
        """Runs every setting on every truth that `folder` does not hold yet; arguments and errors are those of `pucker.sweep`."""
        farm.check_workers(workers)
        store = Store(Path(folder) / _POINTS)
        rows = run_all(
            self._points,
            self._truths,
            on_truth,
            store,
            workers=workers,
            scheduler=scheduler,
            retry=retry,
            quiet=quiet,
        )
        by_truth = frame_of([{name: each for name, each in row.items() if name != _KEPT} for row in rows])
        if len(self.scenes) < 2:
            return JudgedSettings(by_truth, by_truth.iloc[:0].assign(told=[]), {})
        told = self._told(rows, Path(folder) / _TOLD, workers=workers, scheduler=scheduler, quiet=quiet)
        return JudgedSettings(by_truth, *told)

    def _told(
        self, rows: Sequence[Row], folder: Path, *, workers: int | None, scheduler: str | None, quiet: bool
    ) -> tuple[pd.DataFrame, dict[str, str]]:
        """The rows of `JudgedSettings.told`, and what gives settings away."""
        from tqdm import tqdm  # noqa: PLC0415 - only a run that shows its progress needs it

        store = Store(folder)
        store.make()
        count = len(rows) // len(self._truths)
        samples = {_identity(own): own for own in (rows[setting::count] for setting in range(count))}
        whole = {name: own for name, own in samples.items() if all(row["error"] is None for row in own)}
        jobs = [
            farm.Job(name, _tell, ([(self._scenes[str(row["clip"])], row[_KEPT]) for row in own],))
            for name, own in whole.items()
            if name not in store
        ]
        with (
            farm.finished(iter(jobs), workers=workers if jobs else 1, scheduler=scheduler if jobs else None) as results,
            tqdm(total=len(whole), initial=len(whole) - len(jobs), unit="setting", disable=quiet) as bar,
        ):
            for done in results:
                store.write({"id": done.job.name, "error": None, "told": done.result})
                bar.update()
        found = []
        weights: list[tuple[Weight, ...]] = []
        for name, own in samples.items():
            settings = {key: value for key, value in own[0].items() if key in self._points[0].columns()}
            told = _of_json(str(store.read(name)["told"])) if name in whole else None
            weights += [told.weights if told else ()] * len(self.scenes)
            failed = None if told else "it failed on some of the truths"
            for scene in self.scenes:
                share = 100.0 * told.accuracies[told.scenes.index(scene)] if told else float("nan")
                found.append({**settings, "id": name, "clip": scene, "error": failed, "told": share})
        frame = frame_of(found)
        given_away = {
            label: _in_features(own) for label, own in reversed(list(zip(labels(frame), weights, strict=True))) if own
        }
        return frame, given_away

    def _require_fitting(self, truths: Mapping[str, Truth]) -> None:
        """Raises ValueError for settings with files, as a trained set, that are of another garment than a truth's."""
        method = method_named(self._grid.method)
        seen = set()
        for point in self._points:
            key = point.clip, tuple(method.files(point.params))
            if key in seen:
                continue
            seen.add(key)
            try:
                start(truths[point.clip].clip, point.params)
            except ValueError as error:
                raise ValueError(f"the settings do not go with the truth {point.clip}: {error}") from error


def on_truth(on: OnTruth, params: Any) -> _Measured:
    """What a truth says of a run of it: the measures of `ranking.SUITE`, and its patches, by which it is told from the truth."""
    one: Folds = on.folds("setting", params)
    row: Against = on.row(one)
    place = [(r, s) for r, s, judged in zip(row.correlation, row.size, row.judged, strict=True) if judged]
    correlation, size = np.array(place).T
    alike = [within(row, band, on.simulations) for band, judged in enumerate(row.judged[:-1]) if not judged]
    shares = [share for each in alike for share in each.values()]
    summary = {
        # Of folds f beside the truth's t: the mean square of f - t over that of t.
        "suite": float(np.sqrt(np.maximum(1.0 - 2.0 * correlation * size + size**2, 0.0)).mean()),
        "suite.correlation": float(correlation.mean()),
        "suite.size": float(size.mean()),
        "suite.statistics": float(np.mean(shares)) if shares else float("nan"),
    }
    return _Measured(summary, {_KEPT: _packed(on.patches.simulated, on.patches(one.folds))})


_KEPT: Final = "patches"


def _packed(simulated: Features, other: Features) -> bytes:
    content = io.BytesIO()
    samples = [np.stack([*each.values()], axis=1) for each in (simulated, other)]
    np.savez(content, names=np.array([*simulated]), simulated=samples[0], other=samples[1])
    return content.getvalue()


def _unpacked(packed: Any) -> tuple[dict[str, npt.NDArray[np.float64]], dict[str, npt.NDArray[np.float64]]]:
    with np.load(io.BytesIO(packed), allow_pickle=False) as kept:
        names = kept["names"].tolist()
        one, other = (dict(zip(names, kept[name].T, strict=True)) for name in ("simulated", "other"))
    return one, other


def _patches(row: Row) -> int:
    """How many there are in a row; none in one that failed."""
    return len(next(iter(_unpacked(row[_KEPT])[0].values()))) if _KEPT in row else 0


def _tell(patches: Sequence[tuple[str, bytes]]) -> str:
    """What a classifier says of the patches of scenes, as JSON."""
    telling = Telling()
    for scene, packed in patches:
        telling.add_features("setting", scene, *_unpacked(packed))
    return json.dumps(asdict(telling.told()[0].told))


def _of_json(text: str) -> ToldApart:
    kept = json.loads(text)
    weights = tuple(Weight(**each) for each in kept["weights"])
    return ToldApart(tuple(kept["scenes"]), tuple(kept["accuracies"]), tuple(kept["patches"]), weights)


def _in_features(weights: Sequence[Weight]) -> str:
    return "; ".join(
        f"{each.feature}, {abs(each.difference):.1f} σ {'more' if each.difference > 0.0 else 'less'}"
        for each in weights[:_FEATURES]
    )


def _identity(rows: Sequence[Row]) -> str:
    return hashlib.sha256(" ".join(str(row["id"]) for row in rows).encode()).hexdigest()[:24]


def _digest(*files: Path) -> str:
    return hashlib.sha256(b"".join(hashlib.sha256(file.read_bytes()).digest() for file in files)).hexdigest()


def _require_no_lengths(grid: Grid) -> None:
    for name in _LENGTHS:
        if name in grid.parameters:
            instead = ": give relative_width, a share of the height" if name == "min_width" else ""
            raise ValueError(f"{name} is in the unit of the sweep's clips, and truths have their own{instead}")
    if "clip" in map(str, grid.parameters.get("unit", ())):
        raise ValueError(
            "unit = clip is the unit of the sweep's clips, and truths have their own: height goes with all"
        )


def _in_words(seconds: float) -> str:
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    minutes = seconds / _MINUTE
    return f"{minutes:.0f} min" if minutes < _MINUTE else f"{minutes / _MINUTE:.1f} h"
