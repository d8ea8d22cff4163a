"""``pucker train --scene``: cloth made in code, which MuJoCo simulates, coarse and fine."""

import time
from pathlib import Path

import click

from pucker.cli.train_sources import progress, write_clip
from pucker.cli.train_summary import Recording, summarise
from pucker.io.files import make_folder


def train_scene(name: str, output: Path, poses: int, recordings: Path | None, *, quiet: bool, as_json: bool) -> None:
    """Simulates and learns; the coarse clips of all motions lie with the recording, to be played."""
    from pucker.byexample import scenes

    scene = scenes.SCENES[name]()
    folder = output.with_suffix("") if recordings is None else recordings
    begin = time.perf_counter()
    with progress(name, quiet=quiet) as report:
        recording = scenes.record(scene, "train", recordings=folder, progress=report)
    make_folder(folder)
    for motion in scene.motions:
        clip = scenes.coarse(scene, motion)
        write_clip(folder / f"{name}-{motion}.npz", clip)
    spent = time.perf_counter() - begin
    training = scenes.learn(
        scene,
        recording,
        poses=poses,
        progress=lambda pose, error: None if quiet else click.echo(f"{pose} poses, error {error:.4g}", err=True),
    )
    training.trained.rounded().save(output)
    summarise(
        training,
        [Recording(recording.clip.name, recording.clip, recording.fine)],
        output,
        spent,
        quiet=quiet,
        as_json=as_json,
    )
