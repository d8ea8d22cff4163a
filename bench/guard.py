"""Instructions each stage takes for fixed inputs, counted by callgrind and compared with a kept file.

Times depend on what else a machine does; counts do not, so that a change of a few per cent shows.
"""

import json
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Final

import click

from . import native, scenes

KEPT: Final = Path(__file__).with_name("guard.json")
TOLERANCE: Final = 0.05
# The functions whose instructions, with all they call, are counted.
STAGES: Final = {
    "frame": "pucker::Wrinkler::advance(",
    "local frames": "pucker::local_frames(",
    "motion": "pucker::stretch_sizes(",
    "stretch": "pucker::stretch(",
    "label costs": "pucker::label_costs(",
    "labels": "pucker::Labeller::preview(",
    "reference": "pucker::next_reference(",
    "persistence": "pucker::Persistence::step(",
    "tracing": "pucker::Tracer::grow(",
    "curves": "pucker::path_curve(",
    "shape": "pucker::Shaper::step(",
    "packing": "pucker::Packer::pack(",
    "waves: frame": "pucker::waves::WaveField::advance(",
    "waves: crush": "pucker::waves::Crush::step(",
    "waves: comparison": "pucker::waves::Relax::prepare(",
    "waves: relax": "pucker::waves::Relax::step(",
    "waves: packing": "pucker::waves::pack_waves(",
    "by example: frame": "pucker::byexample::ByExample::advance(",
    "by example: weights": "pucker::byexample::Synthesis::weigh(",
    "by example: surface": "pucker::byexample::Synthesis::blend(",
    "by example: normals": "pucker::vertex_normals(",
    "draped: frame": "pucker::drape::Drape::advance(",
    "draped: guide": "pucker::drape::Guide::step(",
    "draped: balance": "pucker::drape::Balance::solve(",
}
_CALL: Final = re.compile(r"calls=\d+")
_COST: Final = re.compile(r"[-+*\d]")
# A function within one of the stages, which the stage's own count holds already.
_WITHIN: Final = ")::{lambda("


def count(profile: str) -> dict[str, int]:
    """Instructions of each stage, inclusive, from the text of a callgrind profile."""
    names: dict[str, str] = {}
    within: dict[str, int] = {}
    current = ""
    called = ""
    after_call = False
    for line in profile.splitlines():
        if line.startswith(("fn=", "cfn=")):
            key, _, name = line.partition("=")[2].partition(" ")
            if name:
                names[key] = name
            if line.startswith("fn="):
                current = key
            else:
                called = key
        elif _CALL.match(line):
            after_call = True
        elif _COST.match(line):
            cost = int(line.split()[-1])
            # Calls of a function by itself lie within the call from outside.
            if after_call and called != current:
                within[called] = within.get(called, 0) + cost
            after_call = False
    stages = {}
    for stage, prefix in STAGES.items():
        stages[stage] = sum(
            cost for key, cost in within.items() if names[key].startswith(prefix) and _WITHIN not in names[key]
        )
        if stages[stage] == 0:
            raise RuntimeError(f"callgrind has not seen {prefix.rstrip('(')}: has it been inlined?")
    return stages


def measure() -> dict[str, int]:
    """Instructions of each stage of pucker_bench's fixed inputs."""
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "callgrind.out"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", "--compress-pos=no"]
        command += [str(native.PROGRAM), "fixed", str(scenes.DATA)]
        subprocess.run(command, check=True, capture_output=True)
        return count(profile.read_text(encoding="utf-8"))


def check(*, keep: bool) -> bool:
    """Prints the counts and their changes; False if one has grown by more than the tolerance. `keep`: keeps them."""
    found = measure()
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    grown = False
    for stage, instructions in found.items():
        change = instructions / kept[stage] - 1 if stage in kept else 0.0
        mark = "" if abs(change) <= TOLERANCE else "  <- changed"
        grown |= change > TOLERANCE
        click.echo(f"{stage:20} {instructions / 1e6:9.2f} M instructions {100 * change:+6.1f} %{mark}")
    if keep:
        KEPT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return keep or not grown
