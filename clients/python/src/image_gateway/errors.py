"""Errors of this package."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from .types import RefusalDetails, Task, TaskFailed


@dataclass(frozen=True)
class ErrorDetails:
    """What is known of a failure."""

    code: str | None = None
    refusal: RefusalDetails | None = None
    status: int | None = None
    request_id: str | None = None
    task: Task | None = None
    idempotency_key: str | None = None

    def add(self, **known: Any) -> ErrorDetails:
        """Return the details with those that became known."""
        return replace(self, **{name: value for name, value in known.items() if value is not None})


class ImageGatewayError(Exception):
    """Base class of all errors of this package."""

    code: str | None
    """Code of the error table, such as ``INSUFFICIENT_BALANCE``."""
    details: RefusalDetails | None
    """Numbers of a refusal for money (``INSUFFICIENT_BALANCE``)."""
    status: int | None
    """HTTP status of the last response."""
    request_id: str | None
    """``X-Request-Id`` of the last response; name it when you ask the operator for help."""
    idempotency_key: str | None
    """Key of the submit: a repetition with it buys nothing twice for 24 hours."""

    def __init__(self, message: str, details: ErrorDetails = ErrorDetails()) -> None:
        super().__init__(message)
        self.message = message
        self.code = details.code
        self.details = details.refusal
        self.status = details.status
        self.request_id = details.request_id
        self._task = details.task
        self.idempotency_key = details.idempotency_key

    @property
    def task(self) -> Task | None:
        """The task as it was last seen."""
        return self._task


class ApiError(ImageGatewayError):
    """The gateway refused the request; ``code`` and ``status`` say why. Repeating it as it is does not help."""

    is_repeated = False
    """Whether the answer to an earlier attempt was lost."""


class DeadlineError(ImageGatewayError):
    """The deadline was over before the gateway gave its answer.

    Whether a submit was accepted is then unknown: submit again with the ``idempotency_key`` of this error. A task that is
    still pending stands in ``task``: ``tasks.wait`` goes on with it.
    """


class TaskFailedError(ImageGatewayError):
    """The task ended without an image; nothing was charged."""

    def __init__(self, task: TaskFailed, request_id: str | None) -> None:
        super().__init__(task.error, ErrorDetails(task=task, request_id=request_id))
        self._failed = task

    @property
    def task(self) -> TaskFailed:
        """The task with its reason in ``error``."""
        return self._failed


class WebhookError(ImageGatewayError):
    """A webhook whose signature or time is not what the secret says: answer it with 400 and do nothing."""
