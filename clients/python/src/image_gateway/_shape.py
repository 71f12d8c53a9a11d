"""The shape of an edit: that of its first image, as near as the model draws it."""

from __future__ import annotations

import base64
import binascii
import math
import struct
from collections.abc import Sequence

# What is read of an image to learn its size: profiles and previews can stand before it.
HEAD_BYTES = 256 * 1024
_TURNED = (5, 6, 7, 8)
_NO_SIZE = (0xC4, 0xC8, 0xCC)


def read_head(data_url: str) -> bytes:
    """Return the first bytes of a data URL; nothing where it is none in base64."""
    text = data_url.partition(";base64,")[2][: HEAD_BYTES // 3 * 4]
    try:
        return base64.b64decode(text)
    except (binascii.Error, ValueError):
        return b""


def measure(head: bytes) -> tuple[int, int] | None:
    """Return width and height of a PNG, JPEG or WebP image as it is shown; None where its first bytes do not say."""
    try:
        if head.startswith(b"\x89PNG"):
            width, height = struct.unpack_from(">II", head, 16)
            return int(width), int(height)
        if head.startswith(b"\xff\xd8"):
            return _measure_jpeg(head)
        return _measure_webp(head) if head[:4] == b"RIFF" and head[8:12] == b"WEBP" else None
    except (struct.error, IndexError):
        return None


def choose_ratio(ratios: Sequence[str], size: tuple[int, int]) -> str | None:
    """Return the ratio that is nearest to a size; None where two are equally near."""
    near: list[tuple[float, str]] = []
    for ratio in ratios:
        width, _, height = ratio.partition(":")
        near.append((abs(math.log(float(width) / float(height) * size[1] / size[0])), ratio))
    near.sort()
    return None if not near or (len(near) > 1 and near[1][0] - near[0][0] < 1e-9) else near[0][1]


def _measure_jpeg(head: bytes) -> tuple[int, int] | None:
    at, is_turned = 2, False
    while True:
        marker, length = head[at + 1], struct.unpack_from(">H", head, at + 2)[0]
        if head[at] != 0xFF or marker == 0xDA:
            return None
        if marker == 0xE1:
            is_turned = is_turned or _is_turned(head[at + 4 : at + 2 + length])
        if 0xC0 <= marker <= 0xCF and marker not in _NO_SIZE:
            height, width = struct.unpack_from(">HH", head, at + 5)
            return (height, width) if is_turned else (width, height)
        at += 2 + length


def _is_turned(exif: bytes) -> bool:
    """Tell whether the entry for the orientation (0x0112) says that width and height change places."""
    if not exif.startswith(b"Exif\0\0"):
        return False
    tiff = exif[6:]
    order = "<" if tiff[:2] == b"II" else ">"
    try:
        first = struct.unpack_from(f"{order}I", tiff, 4)[0]
        for index in range(struct.unpack_from(f"{order}H", tiff, first)[0]):
            at = first + 2 + 12 * index
            if struct.unpack_from(f"{order}H", tiff, at)[0] == 0x0112:
                return struct.unpack_from(f"{order}H", tiff, at + 8)[0] in _TURNED
    except struct.error:
        return False
    return False


def _measure_webp(head: bytes) -> tuple[int, int] | None:
    kind = head[12:16]
    if kind == b"VP8X":
        return 1 + int.from_bytes(head[24:27], "little"), 1 + int.from_bytes(head[27:30], "little")
    if kind == b"VP8L":
        bits = struct.unpack_from("<I", head, 21)[0]
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", head, 26)
        return width & 0x3FFF, height & 0x3FFF
    return None
