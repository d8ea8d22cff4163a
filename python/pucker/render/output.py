"""Pictures and videos on disk. A file appears under its name only when it is complete."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from fractions import Fraction
from io import BytesIO
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

import imageio_ffmpeg
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from pucker.io.files import replacing

Picture = npt.NDArray[np.uint8]
First = TypeVar("First")
Second = TypeVar("Second")

_INK = (58, 58, 64)
_PAPER = (246, 246, 247)
# Numbers beside a colour bar.
_TICKS = 5


def _rgb(image: npt.ArrayLike) -> Picture:
    pixels = np.asarray(image)
    if pixels.ndim != 3 or pixels.shape[2] not in (3, 4) or pixels.dtype != np.uint8:
        raise ValueError(
            f"a picture must have shape (h, w, 3) or (h, w, 4) of uint8, not {pixels.shape} {pixels.dtype}"
        )
    return np.ascontiguousarray(pixels[..., :3])


def paired_in_full(
    first: Iterable[First], second: Iterable[Second], first_name: str, second_name: str
) -> Iterator[tuple[First, Second]]:
    """Pairs of what two iterables give. Raises ValueError as soon as only one of them has ended."""
    ended: Any = object()
    for count, (a, b) in enumerate(zip_longest(first, second, fillvalue=ended)):
        if a is ended or b is ended:
            fewer, more = (first_name, second_name) if a is ended else (second_name, first_name)
            raise ValueError(f"there must be as many {more} as {fewer}, but there are {count} {fewer} and more {more}")
        yield a, b


def _font(size: int) -> Any:
    return ImageFont.load_default(size=size)


def captioned(image: npt.ArrayLike, text: str) -> Picture:
    """The picture with a line of text in its lower left corner."""
    canvas = Image.fromarray(_rgb(image))
    size = max(10, canvas.height // 36)
    ImageDraw.Draw(canvas).text((size, canvas.height - 2 * size), text, fill=_INK, font=_font(size))
    return np.asarray(canvas)


def with_bar(
    image: npt.ArrayLike,
    name: str,
    limits: tuple[float, float],
    colours: "Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]",
) -> Picture:
    """The picture with a bar at its right that says which colour means what.

    Args:
        image: The picture.
        name: What stands above the bar.
        limits: Numbers of its lower and upper end.
        colours: The sRGB (k, 3) in [0, 1] of numbers (k,).
    """
    canvas = _rgb(image)
    height = len(canvas)
    size = max(10, height // 36)
    bar = Image.new("RGB", (8 * size, height), _PAPER)
    top, bottom = 3 * size, height - 2 * size
    ramp = np.rint(255.0 * colours(np.linspace(limits[1], limits[0], bottom - top))).astype(np.uint8)
    bar.paste(Image.fromarray(np.ascontiguousarray(np.broadcast_to(ramp[:, None], (len(ramp), size, 3)))), (size, top))
    pen = ImageDraw.Draw(bar)
    pen.text((size, size), name, fill=_INK, font=_font(size))
    for share in np.linspace(0.0, 1.0, _TICKS):
        at = round(bottom - 1 + share * (top - bottom + 1))
        pen.line((2 * size, at, 2 * size + size // 3, at), fill=_INK)
        value = limits[0] + share * (limits[1] - limits[0])
        pen.text((2 * size + size // 2, at - size // 2), f"{value:.4g}", fill=_INK, font=_font(size))
    return np.concatenate([canvas, np.asarray(bar)], axis=1)


def straight_alpha(image: Picture) -> Picture:
    """The picture (h, w, 4) with colours undone of their multiplication with alpha, which is how PNG keeps them."""
    alpha = image[..., 3:].astype(np.float64)
    # Where nothing covers a pixel its colour is arbitrary; it stays black.
    colours = np.divide(255.0 * image[..., :3], alpha, out=np.zeros(image[..., :3].shape), where=alpha > 0.0)
    return np.concatenate([np.rint(np.minimum(colours, 255.0)).astype(np.uint8), image[..., 3:]], axis=2)


def still(path: str | os.PathLike[str], image: npt.ArrayLike) -> None:
    """Writes a picture (h, w, 3) or (h, w, 4) of uint8; the format follows from the suffix."""
    pixels = np.asarray(image)
    _rgb(pixels)
    _save(path, Image.fromarray(pixels))


def write_video(
    path: str | os.PathLike[str],
    images: Iterable[npt.ArrayLike],
    *,
    fps: float = 30.0,
    captions: Iterable[str] | None = None,
) -> int:
    """Encodes pictures as H.264 (yuv420p) and returns their number; they may come from a generator.

    All must have the size of the first, which must be even in both directions. `captions` gives one line of text a
    picture. Raises ValueError if a picture has another size, if there is none, or if there are more or fewer captions.
    """
    if not fps > 0.0:
        raise ValueError(f"frames per second must be positive, not {fps}")
    pictures = iter(images)
    first = next(pictures, None)
    if first is None:
        raise ValueError("a video needs at least one picture")
    height, width = _rgb(first).shape[:2]
    if width % 2 or height % 2:
        raise ValueError(f"a video must be even in width and height, not {width} x {height}")
    paired = (
        ((image, None) for image in chain([first], pictures))
        if captions is None
        else paired_in_full(chain([first], pictures), captions, "pictures", "captions")
    )
    count = 0
    with replacing(path) as temporary, _encoder(temporary, (width, height), fps) as encode:
        for image, text in paired:
            pixels = _rgb(image if text is None else captioned(image, text))
            if pixels.shape[:2] != (height, width):
                raise ValueError(
                    f"picture {count} must be {width} x {height}, not {pixels.shape[1]} x {pixels.shape[0]}"
                )
            encode(pixels)
            count += 1
    return count


@contextmanager
def _encoder(path: Path, size: tuple[int, int], fps: float) -> Iterator[Callable[[Picture], None]]:
    """Takes pictures (height, width, 3) one after the other into a video; raises OSError if the encoder failed."""
    command = [
        *(imageio_ffmpeg.get_ffmpeg_exe(), "-y", "-v", "error"),
        *("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}"),
        *("-r", str(Fraction(fps).limit_denominator()), "-i", "-"),
        # CRF 17 shows no blocks in smooth shading.
        *("-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "17", "-preset", "veryfast", "-movflags", "+faststart"),
        # Else what stands before a colon would be a protocol, and what begins with a dash an option.
        f"file:{path}",
    ]
    # In a group of its own an interruption does not reach it, which would leave what it has so far as if it were all.
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log, process_group=0) as process,
    ):
        pipe = cast("BinaryIO", process.stdin)

        def encode(picture: Picture) -> None:
            pipe.write(picture.data)

        try:
            # The encoder's status says what broke the pipe.
            with suppress(BrokenPipeError):
                yield encode
        except BaseException:
            process.kill()
            raise
        finally:
            with suppress(BrokenPipeError):
                pipe.close()
        if process.wait():
            log.seek(0)
            raise OSError(_cause(process.returncode, log.read().decode(errors="replace")))


def _cause(status: int, log: str) -> str:
    """Why ffmpeg failed: by its last line, as in "[out#0/mp4 @ 0x5a] Error closing file: No space left on device"."""
    if status < 0:
        return f"ffmpeg was ended by {signal.Signals(-status).name}"
    lines = log.split("\n")
    return next((line.rpartition(": ")[2] for line in reversed(lines) if line), f"ffmpeg ended with status {status}")


def contact_sheet(
    path: str | os.PathLike[str],
    rows: Sequence[Sequence[npt.ArrayLike]],
    *,
    column_captions: Sequence[str] = (),
    row_captions: Sequence[str] = (),
    cell_height: int | None = None,
) -> tuple[int, int]:
    """Writes rows of pictures of one size as one picture and returns its (width, height).

    `column_captions` stand above the columns, `row_captions` at the left of the rows; `cell_height` scales the pictures.
    Raises ValueError for rows of different length, pictures of different size, or a wrong number of captions.
    """
    sheet = compose_sheet(rows, column_captions, row_captions, cell_height)
    _save(path, sheet)
    return sheet.size


def _save(path: str | os.PathLike[str], image: Image.Image) -> None:
    # In memory first: Pillow's own errors do not name the cause.
    content = BytesIO()
    image.save(content, _format_of(Path(path)))
    with replacing(path) as temporary:
        temporary.write_bytes(content.getbuffer())


def _format_of(path: Path) -> str:
    formats = Image.registered_extensions()
    if path.suffix.lower() not in formats:
        raise ValueError(f"the name of {path} must end in that of a format of pictures, as .png")
    return formats[path.suffix.lower()]


def compose_sheet(
    rows: Sequence[Sequence[npt.ArrayLike]],
    column_captions: Sequence[str],
    row_captions: Sequence[str],
    cell_height: int | None,
) -> Image.Image:
    """The picture that `contact_sheet` writes."""
    cells = [[_rgb(image) for image in row] for row in rows]
    columns = len(cells[0]) if cells else 0
    if columns == 0 or any(len(row) != columns for row in cells):
        raise ValueError(f"a contact sheet needs rows of one length, at least 1, not {[len(row) for row in cells]}")
    shapes = {cell.shape for row in cells for cell in row}
    if len(shapes) > 1:
        raise ValueError(f"the pictures of a contact sheet must have one size, not {sorted(shapes)}")
    for name, captions, count in (("column", column_captions, columns), ("row", row_captions, len(cells))):
        if captions and len(captions) != count:
            raise ValueError(f"a contact sheet of {count} {name}s needs {count} {name} captions, not {len(captions)}")
    full_height, full_width = cells[0][0].shape[:2]
    height = cell_height or full_height
    width = max(1, round(full_width * height / full_height))
    text = max(11, height // 22)
    gap, left, top = max(2, height // 80), 2 * text if row_captions else 0, 2 * text if column_captions else 0
    size = (left + columns * (width + gap) + gap, top + len(cells) * (height + gap) + gap)
    sheet = Image.new("RGB", size, _PAPER)
    draw = ImageDraw.Draw(sheet)
    for column, caption in enumerate(column_captions):
        x = left + gap + column * (width + gap) + width // 2
        draw.text((x, top // 2), caption, fill=_INK, font=_font(text), anchor="mm")
    for row, pictures in enumerate(cells):
        y = top + gap + row * (height + gap)
        if row_captions:
            sheet.paste(_upright(row_captions[row], height, left, text), (0, y))
        for column, picture in enumerate(pictures):
            image = Image.fromarray(picture)
            scaled = image if image.size == (width, height) else image.resize((width, height), Image.Resampling.LANCZOS)
            sheet.paste(scaled, (left + gap + column * (width + gap), y))
    return sheet


def _upright(caption: str, length: int, breadth: int, size: int) -> Image.Image:
    """A caption that reads from bottom to top."""
    strip = Image.new("RGB", (length, breadth), _PAPER)
    ImageDraw.Draw(strip).text((length // 2, breadth // 2), caption, fill=_INK, font=_font(size), anchor="mm")
    return strip.transpose(Image.Transpose.ROTATE_90)
