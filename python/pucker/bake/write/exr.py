"""OpenEXR pictures."""

from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

# Lines that OpenEXR's ZIP compresses together.
_ZIP_LINES: Final = 16


def write_exr(path: Path, values: npt.NDArray[np.floating]) -> None:
    """Numbers (h, w) in 32 bits, or (h, w, 3) in 16; the first row is the upper one."""
    import OpenEXR  # noqa: PLC0415 - of an extra

    channels = {"Y": values.astype(np.float32)} if values.ndim == 2 else {"RGB": values.astype(np.float16)}
    header = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}
    try:
        OpenEXR.File(header, channels).write(str(path))
    except RuntimeError as error:
        raise OSError(0, str(error), str(path)) from error
    # What goes wrong when it closes the file OpenEXR does not tell.
    if not _is_whole_exr(path.read_bytes(), len(values)):
        raise OSError(0, "it came out incomplete, as on a full disk", str(path))


def _is_whole_exr(content: bytes, height: int) -> bool:
    """Whether the last chunk of lines that the header's table knows ends with the file."""
    try:
        at = 8
        while content[at]:
            size_at = content.index(0, content.index(0, at) + 1) + 1
            at = size_at + 4 + int.from_bytes(content[size_at : size_at + 4], "little")
        chunks = -(-height // _ZIP_LINES)
        last = int(np.frombuffer(content, "<u8", chunks, at + 1)[-1])
    except (IndexError, ValueError):
        return False
    return last + 8 + int.from_bytes(content[last + 4 : last + 8], "little") == len(content)
