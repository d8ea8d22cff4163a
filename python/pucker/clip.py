"""Running over the frames of a clip."""

from collections.abc import Iterator

from pucker._core import Clip, Frame


def progress(clip: Clip, *, quiet: bool = False) -> Iterator[Frame]:
    """Every frame of `clip` in order, with a progress bar on the standard error stream unless `quiet`."""
    from tqdm import tqdm  # noqa: PLC0415 - only a run that shows its progress needs it

    with tqdm(total=len(clip), desc=clip.name, unit="frame", disable=quiet) as bar:
        for frame in clip:
            yield frame
            bar.update()
