"""Webhooks of finished tasks, signed as Standard Webhooks say."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import os
import time
from collections.abc import Mapping

from ._decode import decode
from .errors import WebhookError
from .types import WebhookEvent

TOLERANCE_SECONDS = 300


class Webhooks:
    """Checks webhooks."""

    def __init__(self, secret: str | None) -> None:
        self._secret = secret or os.environ.get("IMAGE_GATEWAY_WEBHOOK_SECRET")

    def unwrap(self, body: bytes | str, headers: Mapping[str, str], secret: str | None = None) -> WebhookEvent:
        """Check the signature and the time of a webhook and return its event.

        ``body`` is the body as it came, not parsed and written again. Raises WebhookError. The same event can arrive more
        than once: ``webhook-id`` tells.
        """
        secret = secret or self._secret
        if secret is None:
            raise WebhookError("Give the secret (whsec_…): webhook_secret of the client, or the argument secret.")
        known = {name.lower(): value for name, value in headers.items()}
        for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
            if name not in known:
                raise WebhookError(f"The header {name} is missing.")
        timestamp = known["webhook-timestamp"]
        if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
            raise WebhookError("The webhook is older or newer than five minutes: is the clock right?")
        content = body.encode() if isinstance(body, str) else body
        signed = f"{known['webhook-id']}.{timestamp}.".encode() + content
        expected = b"v1," + base64.b64encode(hmac.new(_decode_secret(secret), signed, hashlib.sha256).digest())
        for signature in known["webhook-signature"].split():
            if hmac.compare_digest(signature.encode(), expected):
                event: WebhookEvent = decode(WebhookEvent, json.loads(content))
                return event
        raise WebhookError("No signature of the webhook is right: is it the secret of this account?")


def _decode_secret(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.strip().removeprefix("whsec_"), validate=True)
    except binascii.Error:
        key = b""
    if not key:
        raise WebhookError("The secret is not one of the gateway: it begins with whsec_.")
    return key
