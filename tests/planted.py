"""Plants faults, one at a time, and tells which of them the tests notice.

A fault is a line that says something else. It is put into the file, what needs it is built, the tests named beside it are
run, and the line is put back, whatever happens. Tests that were chosen wrongly let a fault live: the list says which
tests should see it, not all that might.
"""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Fault:
    """In a file, the only place that reads `right` reads `wrong`; the tests that should notice."""

    file: str
    right: str
    wrong: str
    tests: str

    def __str__(self) -> str:
        return f"`{self.file}`: `{self.right.strip()}` → `{self.wrong.strip()}`"


def _python(file: str, right: str, wrong: str, tests: str) -> Fault:
    return Fault(f"python/pucker/{file}", right, wrong, tests)


def _core(file: str, right: str, wrong: str, tests: str) -> Fault:
    return Fault(f"cpp/src/{file}", right, wrong, tests)


FAULTS: tuple[Fault, ...] = (
    _python("metrics/surface.py", "return 1.0 - area / total", "return area / total - 1.0", "metrics"),
    _python("metrics/surface.py", "[factor > threshold]", "[factor < threshold]", "metrics"),
    _python("metrics/surface.py", "0.0 < low < high < 0.5 * fps", "0.0 < low < high < fps", "metrics"),
    _python(
        "metrics/agreement.py",
        "return float(product / (sizes[0] * sizes[1]))",
        "return float(product / sizes[0] ** 2)",
        "agreement",
    ),
    _python("metrics/sections.py", "low = np.minimum(up, 0.5 * across)", "low = np.minimum(up, across)", "metrics"),
    _python("metrics/sections.py", "kept += float(spans.sum() * flat)", "kept += float(spans.max() * flat)", "metrics"),
    _python(
        "metrics/bands.py",
        "ratio * found[index - 1]) / (1.0 + ratio)",
        "ratio * found[index - 1]) / (2.0 + ratio)",
        "bands",
    ),
    _python(
        "metrics/bands.py", "return np.array([longer - shorter for", "return np.array([shorter - longer for", "bands"
    ),
    _python(
        "metrics/curvature.py",
        "return 0.5 * (self.largest + self.smallest)",
        "return 0.5 * (self.largest - self.smallest)",
        "metrics",
    ),
    _python("metrics/curvature.py", "np.abs(large) <= np.abs(small)", "np.abs(large) >= np.abs(small)", "metrics"),
    _python("metrics/bends.py", "side = -side", "side = side", "bends"),
    _python("metrics/bends.py", "third = lengths[:, None] / 3.0", "third = lengths[:, None] / 2.0", "bends"),
    _python(
        "metrics/paths.py",
        "np.where(np.any(wanted != 0.0, axis=1)",
        "np.where(np.all(wanted != 0.0, axis=1)",
        "metrics",
    ),
    _python("areas.py", "/ 3.0, 3)", "/ 2.0, 3)", "metrics folds"),
    _python("toml.py", "return str(value).lower()", "return str(value)", "params"),
    _python("sweeps/grid.py", "axes.keys() >= _WIDTHS", "axes.keys() > _WIDTHS", "sweep"),
    _python("sweeps/table.py", "frame[name].nunique() > 1", "frame[name].nunique() > 2", "sweep"),
    _python("bake/atlas.py", "1.0 - uv[:, 1]], axis=1) * self._size", "uv[:, 1]], axis=1) * self._size", "bake_maps"),
    _python("bake/atlas.py", "+ 0.5 - corners[0, 0]", "- corners[0, 0]", "bake_maps"),
    _python("bake/maps.py", "zlib.crc32(name + content)", "zlib.crc32(content)", "bake_maps"),
    _python("byexample/limbs.py", "distances = far - (thick + along * grows)", "distances = far - thick", "scenes"),
    _python(
        "byexample/trained.py",
        "if step and not np.array_equal(",
        "if step < 0.0 and not np.array_equal(",
        "byexample trained",
    ),
    _python("byexample/trained.py", "self.check(mesh)\n", "pass\n", "byexample"),
    _python(
        "io/polygons.py",
        "first + step + 1, first + step + 2",
        "first + step + 2, first + step + 1",
        "io_formats io_scenes",
    ),
    _python(
        "io/polygons.py",
        "corner_uv.reshape(-1, 2) + 0.0",
        "corner_uv.reshape(-1, 2) + 0.1",
        "io_formats io_scenes alembic",
    ),
    _python("io/files.py", 'or each in "-_."', 'or each in "-_./"', "files sweep"),
    _python("cli/suggestion.py", "return None if swapped == name else swapped", "return swapped", "info cli"),
    Fault(
        "cpp/include/pucker/scene/replay.h",
        "frame < frame_ || nearest * kReplayStride > frame_",
        "nearest * kReplayStride > frame_",
        "shown notebook",
    ),
    _python(
        "shading.py", "np.where(share < 1e-4, target, found)", "np.where(share < 1e-4, directions, found)", "shading"
    ),
    _python(
        "render/camera.py",
        "elevation) for k in range(count)",
        "elevation) for k in range(1, count + 1)",
        "render_output",
    ),
    _python(
        "quantity_overlay.py",
        "1.05 * curve.heights[:, None] * normals",
        "-1.05 * curve.heights[:, None] * normals",
        "look",
    ),
    _core(
        "dynamic/persistence_projection.cpp",
        "Vector3(1 - first - second, first, second).cwiseMax(0.0)",
        "Vector3(1 - first - second, first, second)",
        "persistence",
    ),
    _core(
        "dynamic/persistence_projection.cpp",
        "source_from + done * (arc_lengths_[i] - source_from)",
        "source_from",
        "persistence",
    ),
    _core("dynamic/persistence_length.cpp", "std::pow(1 - change, rate)", "std::pow(1 + change, -rate)", "persistence"),
    _core(
        "dynamic/persistence_transport.cpp",
        "const double gap = std::fabs(arc_lengths_[j] - route_.sources[i]);",
        "const double gap = arc_lengths_[j] - route_.sources[i];",
        "persistence clips",
    ),
    _core(
        "dynamic/persistence_energy.cpp",
        "(motion.dt / params_.interval)",
        "(params_.interval / motion.dt)",
        "persistence",
    ),
    _core(
        "dynamic/seeding.cpp",
        "first != second ? first > second : a < b",
        "first != second ? first > second : a > b",
        "tracing",
    ),
    _core(
        "dynamic/seeding.cpp",
        "return distance() / field.compression[std::size_t(triangle)];",
        "return distance() * (field.compression[std::size_t(triangle)] > 0 ? 1 : 2);",
        "tracing",
    ),
    _core(
        "dynamic/path.cpp",
        "point.t = off_the_vertices(0.5 * (point.t + straight));",
        "point.t = off_the_vertices(straight);",
        "tracing",
    ),
    _core(
        "dynamic/seeding.cpp",
        "0.5 * params_.tracing.coherence * params_.flat_width()",
        "2.0 * params_.tracing.coherence * params_.flat_width()",
        "tracing",
    ),
    _core("dynamic/bend.cpp", "side = -side;", "side = +side;", "bends"),
    _core("dynamic/bend.cpp", "kWalkShare * most_ *", "2 * most_ *", "bends"),
    _core(
        "waves/phase_solver.cpp",
        "return {y.re * z.re - y.im * z.im, y.re * z.im + y.im * z.re};",
        "return {y.re * z.re + y.im * z.im, y.re * z.im + y.im * z.re};",
        "relax wave_field",
    ),
)


def passes(tests: str, command: Sequence[str]) -> bool:
    """Whether these tests pass."""
    files = [f"tests/test_{name}.py" for name in tests.split()]
    return (
        subprocess.run(
            [*command, "-m", "pytest", "-q", "-x", *files], cwd=ROOT, check=False, capture_output=True
        ).returncode
        == 0
    )


def lives(fault: Fault, command: Sequence[str]) -> bool:
    """Whether the tests pass with the fault in its place."""
    path = ROOT / fault.file
    content = path.read_text(encoding="utf-8")
    if content.count(fault.right) != 1:
        raise ValueError(f"{fault} must have one place, not {content.count(fault.right)}")
    try:
        path.write_text(content.replace(fault.right, fault.wrong), encoding="utf-8")
        return passes(fault.tests, command)
    finally:
        path.write_text(content, encoding="utf-8")


def main() -> None:
    """Plants those whose file holds the word given, or all; writes the table into docs/trust."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("word", nargs="?", default="")
    parser.add_argument("--python", nargs="+", default=["./run", "python"], help="what runs Python, and builds before")
    parser.add_argument("-o", type=Path, default=ROOT / "docs" / "trust" / "planted.md", help="table")
    chosen = parser.parse_args()
    for tests in sorted({fault.tests for fault in FAULTS if chosen.word in fault.file}):
        if not passes(tests, chosen.python):
            sys.exit(f"these tests fail without a fault, and would tell nothing: {tests}")
    rows = []
    for fault in FAULTS:
        if chosen.word not in fault.file:
            continue
        lived = lives(fault, chosen.python)
        rows.append(f"| {fault} | {'lives' if lived else 'killed'} |")
        sys.stdout.write(rows[-1] + "\n")
        sys.stdout.flush()
    killed = sum("killed" in row for row in rows)
    table = ["| fault | |", "|---|---|", *rows, "", f"{killed} of {len(rows)} killed."]
    chosen.o.write_text("\n".join(table) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
