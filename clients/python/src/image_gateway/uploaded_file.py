"""An uploaded image."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class UploadedFile:
    """An image to edit, kept for 24 hours after its last use."""

    id: str
    url: str
    """Stands in ``image_urls``; fetching it needs a key."""
    content_type: str
    bytes: int
    width: int
    height: int
    sha256: str
    """Hexadecimal."""
    expires_at: str
    """Later where the file is used again."""
