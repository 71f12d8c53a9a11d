"""Client of image-gateway: submits images, waits for them, and never buys one twice."""

from ._core import TaskFinished
from .async_client import AsyncImageGateway
from .client import ImageGateway
from .errors import (
    ApiError,
    DeadlineError,
    ErrorDetails,
    ImageGatewayError,
    TaskFailedError,
    WebhookError,
)
from .types import (
    Account,
    FileList,
    FullTask,
    GenerateRequest,
    Model,
    Quote,
    RefusalDetails,
    Task,
    TaskCompleted,
    TaskFailed,
    TaskPending,
    UploadedFile,
    UsageRecord,
    UsageSummaryEntry,
    WebhookEvent,
)

__all__ = [
    "Account",
    "ApiError",
    "AsyncImageGateway",
    "DeadlineError",
    "ErrorDetails",
    "FileList",
    "FullTask",
    "GenerateRequest",
    "ImageGateway",
    "ImageGatewayError",
    "Model",
    "Quote",
    "RefusalDetails",
    "Task",
    "TaskCompleted",
    "TaskFailed",
    "TaskFailedError",
    "TaskFinished",
    "TaskPending",
    "UploadedFile",
    "UsageRecord",
    "UsageSummaryEntry",
    "WebhookError",
    "WebhookEvent",
]
