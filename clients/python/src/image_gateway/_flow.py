"""One request that is repeated until it is answered, without input or output: flows yield what a client has to do."""

from __future__ import annotations

import email.utils
import json
import random
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, Union
from urllib.parse import urljoin, urlsplit

from ._decode import decode
from ._inputs import hide_secrets
from .errors import ApiError, DeadlineError, ErrorDetails, ImageGatewayError
from .types import RefusalDetails

T = TypeVar("T")

ATTEMPT_SECONDS = 30.0
FIRST_PAUSE_SECONDS = 0.25
LONGEST_PAUSE_SECONDS = 5.0
# Statuses of proxies whose gateway is away for a moment; repeated where the body is no envelope.
AWAY = (502, 503, 504)
MOVED = (301, 302, 303, 307, 308)
# After these, a browser would send a submit as a plain read.
MADE_GET = (301, 302, 303)
MOST_REDIRECTS = 5


@dataclass(frozen=True)
class Call:
    """One request."""

    method: str
    path: str
    """Below the base URL, or an absolute URL, which gets no key."""
    deadline: float
    """Moment of ``time.monotonic()`` at which repeating ends."""
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    content: bytes | None = None
    attempt: float = ATTEMPT_SECONDS
    """Seconds of one attempt; of a stream, seconds without a byte."""
    until: Callable[[bytes], bool] | None = None
    """Ends the reading of a stream once it returns true for what was read."""
    details: ErrorDetails = ErrorDetails()


@dataclass(frozen=True)
class Reply:
    """A response that was read to its end."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    url: str

    @property
    def request_id(self) -> str | None:
        return self.headers.get("x-request-id")


@dataclass(frozen=True)
class Lost:
    """A request without a response."""

    error: Exception
    fault: str | None = None
    """What is wrong on this side, so that repeating does not help."""


@dataclass(frozen=True)
class Sleep:
    """A pause."""

    seconds: float


Flow = Generator[Union[Call, Sleep], Union[Reply, Lost, None], T]


class Unanswered(Exception):
    """An attempt that can be repeated safely."""

    def __init__(self, message: str, retry_after: float = 0.0, **known: Any) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.known = known


def get_pause(failures: int) -> float:
    """Return the pause before a repetition: 0.25 s, doubled up to 5 s, less up to a half by chance."""
    longest = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2.0 ** min(failures, 10))
    return longest * (0.5 + random.random() / 2)


def repeat(call: Call, read: Callable[[Reply], T]) -> Flow[T]:
    """Send a request until ``read`` has read its successful response."""
    failures = redirects = 0
    asked = call
    while True:
        outcome = yield asked
        try:
            if isinstance(outcome, Lost) and outcome.fault is not None:
                # The cause stays out: its text can hold headers, and so the key.
                raise ImageGatewayError(f"{call.method} {hide(call.path)} was not sent: {outcome.fault}", call.details) from None
            if isinstance(outcome, Reply):
                if outcome.status in MOVED and "location" in outcome.headers:
                    redirects += 1
                    asked = _follow(asked, outcome, redirects)
                    continue
                _check(outcome, call.details)
                return read(outcome)
            error = outcome.error if isinstance(outcome, Lost) else None
            raise Unanswered(str(error) or type(error).__name__) from error
        except ApiError as error:
            error.is_repeated = failures > 0
            raise
        except Unanswered as error:
            pause = max(get_pause(failures), error.retry_after + random.random() * FIRST_PAUSE_SECONDS)
            if time.monotonic() + pause >= call.deadline:
                message = f"{call.method} {hide(call.path)} got no answer in time: {error}"
                raise DeadlineError(message, call.details.add(**error.known)) from error
        failures += 1
        asked = call
        yield Sleep(pause)


def hide(path: str) -> str:
    """Return a path or URL as errors may name it."""
    return path if path.startswith("/") else hide_secrets(path)


def _follow(call: Call, reply: Reply, redirects: int) -> Call:
    """Return the call at its new place, on the same server and as the same request. The key goes nowhere else."""
    target = urljoin(reply.url, reply.headers["location"])
    now, then = urlsplit(reply.url), urlsplit(target)
    is_kept = call.method == "GET" or reply.status not in MADE_GET
    if is_kept and now[:2] == then[:2] and redirects <= MOST_REDIRECTS:
        # The parameters of the call are in the new address already.
        return replace(call, path=target, params={})
    path = urlsplit(call.path).path
    whole = hide_secrets(target)
    base = whole[: -len(path)] if whole.endswith(path) else f"{then.scheme}://{then.netloc.rpartition('@')[2]}"
    message = f"{hide_secrets(reply.url)} has moved to {whole} (status {reply.status}): set base_url to {base}."
    raise ApiError(message, call.details.add(status=reply.status, request_id=reply.request_id))


def read_data(reply: Reply) -> Any:
    """Return ``data`` of the envelope."""
    body = _parse(reply.content)
    if isinstance(body, dict) and "data" in body:
        return body["data"]
    if "json" in reply.headers.get("content-type", ""):
        raise Unanswered("the answer was cut", request_id=reply.request_id)
    raise ApiError(
        f"{hide_secrets(reply.url)} answered with something else than the gateway's JSON: check base_url.",
        ErrorDetails(status=reply.status, request_id=reply.request_id),
    )


def _parse(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None


def _check(reply: Reply, known: ErrorDetails) -> None:
    if 200 <= reply.status < 300:
        return
    body = _parse(reply.content)
    error = body.get("error") if isinstance(body, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    message = error.get("message") if isinstance(error, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    refusal = decode(RefusalDetails, details) if isinstance(details, dict) else None
    said = message or f"The answer was {reply.status}."
    is_away = reply.status in AWAY and (reply.status == 503 or code is None)
    is_cut = body is None and "json" in reply.headers.get("content-type", "")
    found = {"status": reply.status, "request_id": reply.request_id, "code": code}
    if reply.status == 429 or is_away or is_cut:
        raise Unanswered(said, _read_retry_after(reply.headers.get("retry-after")), **found)
    raise ApiError(said, known.add(**found, refusal=refusal))


def _read_retry_after(value: str | None) -> float:
    """Read seconds or a date (RFC 9110) as seconds from now."""
    if value is None:
        return 0.0
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return 0.0
