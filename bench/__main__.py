"""Runs benchmarks, keeps their samples in build/bench and writes their pages into docs/performance."""

import importlib
import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click

from . import bits, guard, report

ROOT: Final = Path(__file__).resolve().parents[1]
SAMPLES: Final = ROOT / "build" / "bench"
PAGES: Final = ROOT / "docs" / "performance"
# In the order of the documentation; what takes longest comes last.
NAMES: Final = (
    "frames",
    "labels",
    "tracing",
    "persistence",
    "scale",
    "cores",
    "memory",
    "crowd",
    "waves",
    "drape",
    "characters",
    "overhead",
    "render",
    "gpu",
    "load",
    "bake",
    "setup",
    "sweep",
    "farm",
    "mujoco",
    "byexample",
    "published",
    "simulate",
    "bands",
    "told",
    "laws",
    "second",
    "teacher",
    "predict",
    "unseen",
    "believe",
)

# Those that take characters of the caller's.
_WITH_FILES: Final = ("characters", "teacher", "predict")


def _measure(name: str, files: tuple[Path, ...]) -> None:
    begin = time.perf_counter()
    bench = importlib.import_module(f"bench.{name}")
    machine = report.machine()
    samples = {
        "machine": machine,
        "versions": report.versions(*bench.PEERS),
        "date": datetime.now(UTC).date().isoformat(),
        "samples": bench.measure(files) if files else bench.measure(),
        "seconds": time.perf_counter() - begin,
    }
    SAMPLES.mkdir(parents=True, exist_ok=True)
    (SAMPLES / f"{name}.json").write_text(json.dumps(samples), encoding="utf-8")


def _write_page(name: str) -> None:
    bench = importlib.import_module(f"bench.{name}")
    kept = json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    machine = kept["machine"]
    try:
        body = bench.page(kept["samples"])
    except KeyError as error:
        raise click.ClickException(
            f"build/bench/{name}.json, measured on {kept['date']}, lacks {error}: measure anew, ./run bench {name}"
        ) from error
    versions = ", ".join(f"{package} {version}" for package, version in kept["versions"].items())
    foot = (
        f"\nMade by `./run bench {name}` in {kept['seconds']:.0f} s on {kept['date']}: {machine['cores']} cores of "
        f"{machine['processor']}, {machine['system']}, Python {machine['python']}, {versions}. When it began, "
        f"{machine['load']} processes were running or waiting on the machine.\n"
    )
    PAGES.mkdir(exist_ok=True)
    (PAGES / f"{name}.md").write_text(report.wrapped(f"# {bench.TITLE}\n\n{body}{foot}"), encoding="utf-8")
    click.echo(f"\n{bench.TITLE}\n\n{body}")


@click.command()
@click.argument("names", nargs=-1, type=click.Choice([*NAMES, "guard", "bits"]))
@click.option("--pages", is_flag=True, help="Write the pages anew from the samples kept, without measuring.")
@click.option("--keep", is_flag=True, help="guard, bits: keep what is found as what later runs are compared with.")
@click.option(
    "--file",
    "files",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="characters, teacher, predict: a character, or a folder of some, to be played, or trained on, besides those of data/; may be given "
    "several times.",
)
def main(names: tuple[str, ...], pages: bool, keep: bool, files: tuple[Path, ...]) -> None:
    """Measures NAMES (all but guard and bits if none is given); prints the figures and writes docs/performance/NAME.md."""
    if files and names not in [(name,) for name in _WITH_FILES]:
        raise click.UsageError(
            f"--file is for one of {', '.join(_WITH_FILES)} alone: ./run bench characters --file PATH"
        )
    unchanged = True
    for name in names or NAMES:
        if name == "guard":
            unchanged &= guard.check(keep=keep)
        elif name == "bits":
            unchanged &= bits.check(keep=keep)
        else:
            if not pages:
                click.echo(f"{name} …", err=True)
                _measure(name, files)
            _write_page(name)
    if not unchanged:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
