# Written by the tests from the OpenAPI document: RECORD_INTERFACE=1 npm test -- --only client-types
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict, Union


class _GenerateRequest(TypedDict):
    model: str
    """Model ID."""
    prompt: str
    """What to generate; for edits, what to change."""


class GenerateRequest(_GenerateRequest, total=False):
    negative_prompt: str | None
    """What to avoid."""
    aspect_ratio: Literal["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"] | None
    """Default: `16:9`. What a model takes: `GET /v1/models`."""
    num_outputs: int | None
    """How many images to make. Default: `1`."""
    resolution: Literal["1k", "2k", "4k"] | None
    """Default: `1k`. What a model takes: `GET /v1/models`."""
    image_urls: Sequence[str] | None
    """Images to edit, each as a URL, a data URL in base64, or the ID or URL of a file (`POST /v1/files`). Their presence makes the task an edit."""
    webhook_url: str | None
    """Called when the task has completed or failed."""
    duration: int | None
    """Accepted and stored; it has no effect on images."""
    quality: Literal["auto", "low", "medium", "high", "xhigh", "max"] | None
    """Has its own price. Models with one price draw at their own quality. What a model takes: `GET /v1/models`."""
    seed: int | None
    """Of the first image; the next ones have the next seeds. What a model takes: `GET /v1/models`."""
    output_format: Literal["png", "jpeg", "webp"] | None
    """Format of the images. What a model takes: `GET /v1/models`."""
    background: Literal["auto", "opaque", "transparent"] | None
    """`transparent` goes with `png` and `webp` only. What a model takes: `GET /v1/models`."""
    metadata: dict[str, str] | None
    """Texts of your own, such as who asked. They are in every form of the task and on its usage record."""


@dataclass(frozen=True)
class TaskOutput:
    url: str
    """URL of the first image."""
    urls: list[str]


@dataclass(frozen=True)
class TaskImage:
    url: str
    width: int
    height: int
    bytes: int
    content_type: str
    sha256: str
    """Hexadecimal."""
    seed: int | None = None
    """As the upstream reported it, like the next two."""
    quality: str | None = None
    revised_prompt: str | None = None


@dataclass(frozen=True)
class TaskPending:
    id: str
    status: Literal["pending"]
    model: str
    """Model ID."""
    type: Literal["image_generate", "image_edit"]
    cost: str
    """What was charged; `$0.00` while pending and when failed."""
    created_at: str
    """ISO 8601, UTC, with milliseconds."""
    started_at: str | None = None
    """When processing began."""
    metadata: dict[str, str] | None = None
    """As the request gave it, until the task is erased. Only of a request that gave some."""


@dataclass(frozen=True)
class TaskCompleted:
    id: str
    status: Literal["completed"]
    model: str
    """Model ID."""
    type: Literal["image_generate", "image_edit"]
    output: TaskOutput
    cost: str
    """What was charged; `$0.00` while pending and when failed."""
    created_at: str
    """ISO 8601, UTC, with milliseconds."""
    started_at: str
    """When processing began."""
    completed_at: str
    """When the task completed or failed."""
    metadata: dict[str, str] | None = None
    """As the request gave it, until the task is erased. Only of a request that gave some."""


@dataclass(frozen=True)
class TaskFailed:
    id: str
    status: Literal["failed"]
    model: str
    """Model ID."""
    type: Literal["image_generate", "image_edit"]
    error: str
    """Why the task failed, in plain words. Only when failed."""
    cost: str
    """What was charged; `$0.00` while pending and when failed."""
    created_at: str
    """ISO 8601, UTC, with milliseconds."""
    started_at: str
    """When processing began."""
    completed_at: str
    """When the task completed or failed."""
    metadata: dict[str, str] | None = None
    """As the request gave it, until the task is erased. Only of a request that gave some."""


@dataclass(frozen=True)
class FullTaskPending:
    id: str
    status: Literal["pending"]
    model: str
    """Model ID."""
    type: Literal["image_generate", "image_edit"]
    cost: str
    """What was charged; `$0.00` while pending and when failed."""
    created_at: str
    """ISO 8601, UTC, with milliseconds."""
    images: list[TaskImage]
    """Empty unless the task is completed."""
    asked: int
    """How many images were asked for."""
    prompt: str
    resolution: str
    started_at: str | None = None
    """When processing began."""
    metadata: dict[str, str] | None = None
    """As the request gave it, until the task is erased. Only of a request that gave some."""
    aspect_ratio: str | None = None
    quality: str | None = None
    seed: int | None = None
    output_format: str | None = None
    background: str | None = None
    output_compression: int | None = None
    """Quality of `jpeg` and `webp` in percent."""
    style: str | None = None
    """Such as `vivid`."""
    moderation: Literal["low"] | None = None
    """How strictly the upstream moderates."""
    input_fidelity: Literal["low", "high"] | None = None
    """How closely an edit follows its images."""
    mask: bool | None = None
    """True for an edit with a mask. Absent otherwise."""
    unused: list[str] | None = None
    """Fields of a request of the facade that the upstream did not use."""
    expires_at: str | None = None
    """When prompt, input URLs and images are erased. Only of a finished task with a retention."""
    refunded: str | None = None
    """What was paid back. Only after a refund."""


@dataclass(frozen=True)
class FullTaskCompleted:
    id: str
    status: Literal["completed"]
    model: str
    """Model ID."""
    type: Literal["image_generate", "image_edit"]
    output: TaskOutput
    cost: str
    """What was charged; `$0.00` while pending and when failed."""
    created_at: str
    """ISO 8601, UTC, with milliseconds."""
    started_at: str
    """When processing began."""
    completed_at: str
    """When the task completed or failed."""
    images: list[TaskImage]
    """Empty unless the task is completed."""
    asked: int
    """How many images were asked for."""
    prompt: str
    resolution: str
    metadata: dict[str, str] | None = None
    """As the request gave it, until the task is erased. Only of a request that gave some."""
    aspect_ratio: str | None = None
    quality: str | None = None
    seed: int | None = None
    output_format: str | None = None
    background: str | None = None
    output_compression: int | None = None
    """Quality of `jpeg` and `webp` in percent."""
    style: str | None = None
    """Such as `vivid`."""
    moderation: Literal["low"] | None = None
    """How strictly the upstream moderates."""
    input_fidelity: Literal["low", "high"] | None = None
    """How closely an edit follows its images."""
    mask: bool | None = None
    """True for an edit with a mask. Absent otherwise."""
    unused: list[str] | None = None
    """Fields of a request of the facade that the upstream did not use."""
    expires_at: str | None = None
    """When prompt, input URLs and images are erased. Only of a finished task with a retention."""
    refunded: str | None = None
    """What was paid back. Only after a refund."""


@dataclass(frozen=True)
class FullTaskFailed:
    id: str
    status: Literal["failed"]
    model: str
    """Model ID."""
    type: Literal["image_generate", "image_edit"]
    error: str
    """Why the task failed, in plain words. Only when failed."""
    cost: str
    """What was charged; `$0.00` while pending and when failed."""
    created_at: str
    """ISO 8601, UTC, with milliseconds."""
    started_at: str
    """When processing began."""
    completed_at: str
    """When the task completed or failed."""
    images: list[TaskImage]
    """Empty unless the task is completed."""
    asked: int
    """How many images were asked for."""
    prompt: str
    resolution: str
    metadata: dict[str, str] | None = None
    """As the request gave it, until the task is erased. Only of a request that gave some."""
    aspect_ratio: str | None = None
    quality: str | None = None
    seed: int | None = None
    output_format: str | None = None
    background: str | None = None
    output_compression: int | None = None
    """Quality of `jpeg` and `webp` in percent."""
    style: str | None = None
    """Such as `vivid`."""
    moderation: Literal["low"] | None = None
    """How strictly the upstream moderates."""
    input_fidelity: Literal["low", "high"] | None = None
    """How closely an edit follows its images."""
    mask: bool | None = None
    """True for an edit with a mask. Absent otherwise."""
    unused: list[str] | None = None
    """Fields of a request of the facade that the upstream did not use."""
    expires_at: str | None = None
    """When prompt, input URLs and images are erased. Only of a finished task with a retention."""
    refunded: str | None = None
    """What was paid back. Only after a refund."""


@dataclass(frozen=True)
class Pagination:
    page: int
    per_page: int
    total: int
    total_pages: int
    """0 for an empty list."""


@dataclass(frozen=True)
class ModelPricesValue:
    low: str | None = None
    """Dollars, such as `$0.0100`; `$0.00` for nothing."""
    medium: str | None = None
    """Dollars, such as `$0.0100`; `$0.00` for nothing."""
    high: str | None = None
    """Dollars, such as `$0.0100`; `$0.00` for nothing."""
    xhigh: str | None = None
    """Dollars, such as `$0.0100`; `$0.00` for nothing."""
    max: str | None = None
    """Dollars, such as `$0.0100`; `$0.00` for nothing."""


@dataclass(frozen=True)
class ModelAccepts:
    """Optional fields that can be asked for, and their values."""
    background: list[Literal["opaque", "transparent"]]
    quality: list[Literal["low", "medium", "high", "xhigh", "max"]] | None = None
    seed: int | None = None
    """Greatest seed."""
    output_format: list[Literal["png", "jpeg", "webp"]] | None = None
    mask: bool | None = None


@dataclass(frozen=True)
class Model:
    id: str
    """Value of `model` in a request."""
    name: str
    types: list[Literal["image_generate", "image_edit"]]
    price: dict[Literal["1k", "2k", "4k"], str]
    """Price of an image by resolution, of a request without `quality`. A resolution without a price is not offered."""
    aspect_ratios: list[str]
    max_inputs: int
    """Input images of one request, at most."""
    max_outputs: int
    """Output images of one request, at most."""
    accepts: ModelAccepts
    """Optional fields that can be asked for, and their values."""
    family: str | None = None
    """Name of the model family. Only when it has one."""
    prices: dict[Literal["1k", "2k", "4k"], ModelPricesValue] | None = None
    """Price of an image by quality. Only the resolutions whose price depends on it."""


@dataclass(frozen=True)
class UploadedFile:
    id: str
    """Can stand in `image_urls`."""
    url: str
    """The same; needs a key to be fetched."""
    content_type: Literal["image/png", "image/jpeg", "image/webp"]
    bytes: int
    width: int
    """Pixels as they are stored."""
    height: int
    sha256: str
    expires_at: str
    """Until when it is kept, unless a task uses it."""


@dataclass(frozen=True)
class FileList:
    files: list[UploadedFile]
    pagination: Pagination
    bytes: int
    """Of all files together."""
    max_files: int
    """Files that the account may keep."""
    max_bytes: int
    """Bytes of files that the account may keep together."""


@dataclass(frozen=True)
class Quote:
    model: str
    type: Literal["image_generate", "image_edit"]
    units: int
    """Output images."""
    unit_cost: str
    """Price of an image."""
    cost: str
    """What a submit holds."""
    affordable: bool
    """The balance and the caps of the key reach for it now."""
    ignored: list[str] | None = None
    """Fields of the body that other APIs know and that have no effect here. Absent where there are none."""


@dataclass(frozen=True)
class Cap:
    limit: str
    """Dollars, such as `$0.0100`; `$0.00` for nothing."""
    used: str
    """Spent and held."""


@dataclass(frozen=True)
class AccountKeyCapsDayPer:
    """Daily cap of each value of a key of metadata, which requests must give."""
    key: str
    limit: str
    """Dollars, such as `$0.0100`; `$0.00` for nothing."""


@dataclass(frozen=True)
class AccountKeyCaps:
    """Caps of a day and a month in UTC, and in total. Only when limited."""
    day: Cap | None = None
    month: Cap | None = None
    total: Cap | None = None
    day_per: AccountKeyCapsDayPer | None = None
    """Daily cap of each value of a key of metadata, which requests must give."""


@dataclass(frozen=True)
class AccountKey:
    id: str
    name: str
    prefix: str
    scopes: list[Literal["generate", "read", "delete"]]
    models: list[str] | None = None
    """Models that the key may use. Only when limited."""
    allowed_cidrs: list[str] | None = None
    """Networks that it may be used from. Only when limited."""
    caps: AccountKeyCaps | None = None
    """Caps of a day and a month in UTC, and in total. Only when limited."""


@dataclass(frozen=True)
class Account:
    id: str
    key: AccountKey
    balance: str | None = None
    """Only with the scope `read`, as `held` and `available`."""
    held: str | None = None
    """What open tasks hold."""
    available: str | None = None
    """The balance less what is held."""


@dataclass(frozen=True)
class StatementItem:
    id: str
    kind: Literal["topup", "capture", "refund", "adjust"]
    """Captures are what tasks cost: one line a UTC day, which stands last in its day."""
    amount: str
    """Dollars; negative when it left the account."""
    balance: str
    """Of the account after this line."""
    by: Literal["you", "operator", "system"]
    """Who acted."""
    created_at: str
    """ISO 8601, UTC, with milliseconds."""
    tasks: int | None = None
    """Completed tasks of a day of captures."""
    task_id: str | None = None
    """Task whose cost a refund gave back."""
    reference: str | None = None
    reason: str | None = None
    """Of an adjustment only where the operator shows it."""


@dataclass(frozen=True)
class Statement:
    balance: str
    """Dollars, such as `$0.0100`; `$0.00` for nothing."""
    held: str
    """What open tasks hold."""
    available: str
    """The balance less what is held."""
    items: list[StatementItem]
    pagination: Pagination


@dataclass(frozen=True)
class RefusalDetails:
    needed: str
    """What the request costs, or at least costs."""
    limit: str | None = None
    """The cap of the key that it would exceed."""
    used: str | None = None
    """What is spent or held of that cap."""
    available: str | None = None
    """What the account has left; for keys with the scope `read`."""
    top_up_url: str | None = None
    """Page where the account is topped up."""


@dataclass(frozen=True)
class UsageRecord:
    id: str
    task_id: str
    model: str
    type: Literal["image_generate", "image_edit", "refund"]
    units: int
    """Output images; 0 for a refund."""
    cost: str
    """Dollars; negative for a refund."""
    created_at: str
    """ISO 8601, UTC, with milliseconds."""
    quality: Literal["low", "medium", "high", "xhigh", "max"] | None = None
    """Only where the price depends on it."""
    metadata: dict[str, str] | None = None
    """Of the task, until it is erased."""


@dataclass(frozen=True)
class UsageSummaryEntry:
    total_units: int
    """Output images."""
    total_cost: str
    """Dollars, less refunds when these are included."""
    request_count: int
    hour: str | None = None
    """Begin of the hour. Only when grouped by hour."""
    day: str | None = None
    """Day in UTC. Only when grouped by day."""
    api_key_id: str | None = None
    """Only when grouped by key."""
    model: str | None = None
    """Only when grouped by model."""
    quality: Literal["low", "medium", "high", "xhigh", "max"] | None = None
    """Only when grouped by quality; absent for usage at plain prices."""
    metadata: dict[str, str] | None = None
    """Only when grouped by a key of metadata; absent for usage without it."""


@dataclass(frozen=True)
class WebhookEvent:
    type: Literal["task.completed", "task.failed"]
    timestamp: str
    """When the task ended."""
    data: Task


class TasksQuery(TypedDict, total=False):
    per_page: int
    """How many items a page has at most. Default: `20`."""
    status: Literal["pending", "completed", "failed"]
    """Only tasks in this status."""
    model: str
    """Only tasks of this model."""
    type: Literal["image_generate", "image_edit"]
    """Only tasks of this type."""
    created_after: str
    """Only tasks created after this time."""
    created_before: str
    """Only tasks created before this time."""
    metadata: dict[str, str]
    """Only tasks with these entries, such as `metadata[user]=42`."""


class UsageQuery(TypedDict, total=False):
    per_page: int
    """How many items a page has at most. Default: `20`."""
    from_: str
    """Only usage recorded at this time or later."""
    to: str
    """Only usage recorded before this time."""
    model: str
    """Only usage of this model."""
    api_key_id: str
    """Only usage of tasks submitted with this API key."""
    metadata: dict[str, str]
    """Only usage of tasks with these entries, such as `metadata[user]=42`."""
    include: Literal["refunds"]
    """Adds refunds, each at its own time. Sums are then net."""


class UsageSummaryQuery(TypedDict, total=False):
    from_: str
    """Only usage recorded at this time or later."""
    to: str
    """Only usage recorded before this time."""
    model: str
    """Only usage of this model."""
    api_key_id: str
    """Only usage of tasks submitted with this API key."""
    metadata: dict[str, str]
    """Only usage of tasks with these entries, such as `metadata[user]=42`."""
    include: Literal["refunds"]
    """Adds refunds, each at its own time. Sums are then net."""
    group_by: str
    """Fields of an entry, comma-separated: hour, day, key, model, quality, and one `metadata:KEY`. Hours and days are UTC. The entry of usage at plain prices has no `quality`, that of usage without the key no `metadata`. Values beyond the 1,000 dearest are one entry with the value `…`. Default: `model`."""


Task = Union[TaskPending, TaskCompleted, TaskFailed]
FullTask = Union[FullTaskPending, FullTaskCompleted, FullTaskFailed]
