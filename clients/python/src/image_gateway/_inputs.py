"""What callers hand over: addresses, keys and images, checked before anything is sent."""

from __future__ import annotations

import io
import os
import re
from typing import Any, BinaryIO, Protocol, Union
from urllib.parse import urlsplit

from .errors import ImageGatewayError


class PillowImage(Protocol):
    """An image of Pillow."""

    def save(self, fp: Any, format: str | None = None) -> None: ...


Image = Union[bytes, bytearray, memoryview, str, "os.PathLike[str]", BinaryIO, PillowImage]

_TYPES = ((b"\x89PNG", "image/png"), (b"\xff\xd8\xff", "image/jpeg"))


def read_base_url(given: str | None) -> str:
    """Return the address of the gateway without the paths of its APIs, which people copy with it."""
    url = (given or os.environ.get("IMAGE_GATEWAY_URL") or "").strip()
    if not url:
        raise ImageGatewayError("Give the address of the gateway: base_url, or IMAGE_GATEWAY_URL.")
    if not re.match(r"https?://[^/?#\s]+[^?#\s]*$", url, re.IGNORECASE) or not _has_port(url):
        # Its text stays unnamed: it may be the key, in the wrong place.
        raise ImageGatewayError("base_url is no http or https URL, such as https://images.example.com.")
    return re.sub(r"(/openai)?/v1$", "", url.rstrip("/")).rstrip("/")


def _has_port(url: str) -> bool:
    try:
        return urlsplit(url).port != 0
    except ValueError:
        return False


def read_key(given: str | None) -> str | None:
    """Return the API key without the line end of a file; refuse what no header can carry, without naming it."""
    key = (given or os.environ.get("IMAGE_GATEWAY_KEY") or "").strip()
    if re.search(r"[^!-~]", key):
        raise ImageGatewayError("api_key is no API key: it has blanks, line ends or characters that no key has.")
    return key or None


def hide_secrets(url: str) -> str:
    """Return a URL without what may be secret: user, password and query."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def read_image(image: Image) -> bytes:
    """Return the bytes of an image."""
    if isinstance(image, (bytes, bytearray, memoryview)):
        return bytes(image)
    if isinstance(image, (str, os.PathLike)):
        with open(image, "rb") as file:
            return file.read()
    return _read_object(image)


def _read_object(image: Any) -> bytes:
    content: object = None
    if hasattr(image, "read"):
        content = image.read()
        # Who has just written the file stands at its end.
        if content == b"" and image.seekable():
            image.seek(0)
            content = image.read()
    elif hasattr(image, "save"):
        buffer = io.BytesIO()
        # PNG has no CMYK.
        (image.convert("RGB") if image.mode == "CMYK" else image).save(buffer, format="PNG")
        content = buffer.getvalue()
    if not isinstance(content, bytes):
        raise ImageGatewayError("An image is bytes, a path, a file opened in binary mode, or an image of Pillow.")
    return content


def find_type(content: bytes) -> str:
    """Find the type of an image by its first bytes."""
    for start, kind in _TYPES:
        if content.startswith(start):
            return kind
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    raise ImageGatewayError("This is no PNG, JPEG or WebP image." if content else "The image is empty.")
