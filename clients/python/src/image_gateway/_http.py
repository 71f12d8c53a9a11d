"""What both clients know of httpx."""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable
from typing import TypeVar

import httpx

from .errors import ImageGatewayError

C = TypeVar("C", httpx.Client, httpx.AsyncClient)

_PROXY_VARIABLES = ("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


def make_client(kind: Callable[[], C]) -> C:
    """Make an HTTP client; where httpx cannot read the proxies of the environment, the error names them and a way out."""
    try:
        return kind()
    except (httpx.InvalidURL, ValueError, ImportError) as error:
        names = [name for name in _PROXY_VARIABLES if os.environ.get(name) or os.environ.get(name.lower())]
        if not names:
            raise
        # The values can hold passwords.
        raise ImageGatewayError(
            f"httpx cannot read the proxies of the environment ({', '.join(names)}; {type(error).__name__}). Correct them "
            "(NO_PROXY takes ::1 without brackets), or give http_client=, such as httpx.Client(trust_env=False)."
        ) from None


def find_fault(error: Exception) -> str | None:
    """Say what is wrong on this side of the connection; None for what a repetition may fix."""
    if isinstance(error, httpx.LocalProtocolError):
        return "a header is not valid; look at headers of the client."
    if isinstance(error, httpx.UnsupportedProtocol):
        return "its URL is no http or https URL."
    if isinstance(error, httpx.TooManyRedirects):
        return "it was redirected too often."
    if isinstance(error, httpx.InvalidURL):
        return "its URL is not valid."
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"the certificate of the server is not trusted ({cause.verify_message}). SSL_CERT_FILE names your own authority."
        cause = cause.__cause__ or cause.__context__
    return None
