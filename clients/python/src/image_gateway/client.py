"""The client that blocks."""

from __future__ import annotations

import time
import weakref
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import httpx

from ._core import Core, OnTask, Pages, TaskFinished, query
from ._flow import Call, Flow, Lost, Reply, Sleep
from ._http import find_fault, make_client
from ._inputs import Image
from .types import (
    Account,
    FileList,
    FullTask,
    GenerateRequest,
    Model,
    Quote,
    Task,
    TaskCompleted,
    TasksQuery,
    UploadedFile,
    UsageQuery,
    UsageRecord,
    UsageSummaryEntry,
    UsageSummaryQuery,
)
from .webhooks import Webhooks

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")


class _Runner:
    """Runs flows on an HTTP client of httpx."""

    def __init__(self, core: Core, http: httpx.Client, headers: Mapping[str, str]) -> None:
        self._core = core
        self.http = http
        self._headers = headers

    def run(self, flow: Flow[T]) -> T:
        try:
            effect = next(flow)
            while True:
                if isinstance(effect, Sleep):
                    time.sleep(effect.seconds)
                    effect = flow.send(None)
                else:
                    effect = flow.send(self._exchange(effect))
        except StopIteration as done:
            result: T = done.value
            return result

    def pages(self, pages: Pages[T], timeout: float | None) -> Iterator[T]:
        while pages.page is not None:
            yield from self.run(self._core.read_page(pages, timeout))

    def _exchange(self, call: Call) -> Reply | Lost:
        url, is_own = self._core.locate(call.path)
        key = {"Authorization": f"Bearer {self._core.api_key}"} if is_own and self._core.api_key else {}
        headers = {**(self._headers if is_own else {}), **key, **call.headers}
        content = bytearray()
        ends = min(call.deadline, time.monotonic() + call.attempt)
        limit = max(0.001, ends - time.monotonic())
        try:
            with self.http.stream(
                call.method,
                url,
                params=call.params or None,
                headers=headers,
                content=call.content,
                timeout=limit,
                follow_redirects=call.method == "GET" and not is_own,
            ) as response:
                for chunk in response.iter_bytes():
                    content += chunk
                    if call.until is not None and call.until(bytes(content)):
                        break
                    if time.monotonic() > (ends if call.until is None else call.deadline):
                        return Lost(TimeoutError(f"no answer within {limit:.0f} s"))
                return Reply(response.status_code, response.headers, bytes(content), str(response.url))
        except (httpx.RequestError, httpx.InvalidURL) as error:
            return Lost(error, find_fault(error))


class Tasks:
    """Tasks of the account."""

    def __init__(self, core: Core, runner: _Runner) -> None:
        self._core = core
        self._runner = runner

    @overload
    def get(self, task_id: str, *, view: Literal["full"], timeout: float | None = None) -> FullTask: ...
    @overload
    def get(self, task_id: str, *, view: None = None, timeout: float | None = None) -> Task: ...
    def get(
        self, task_id: str, *, view: Literal["full"] | None = None, timeout: float | None = None
    ) -> Task | FullTask:
        """Read a task; with ``view="full"`` its request and what is known of each image too."""
        task: Task | FullTask = self._runner.run(self._core.get_task(task_id, view, timeout))
        return task

    def wait(self, task_id: str, *, timeout: float | None = None, on_task: OnTask | None = None) -> TaskFinished:
        """Wait for the end of a task, 15 minutes unless told, and return it, completed or failed."""
        return self._runner.run(self._core.wait(task_id, timeout, on_task))

    def events(self, task_id: str, *, timeout: float | None = None) -> Iterator[Task]:
        """Iterate over the task as it is and as it ends, over connections that break too."""
        deadline = time.monotonic() + (self._core.subscribe_timeout if timeout is None else timeout)
        task: Task | None = None
        while task is None or task.status == "pending":
            task = self._runner.run(self._core.next_event(task_id, deadline, task))
            yield task

    def cancel(self, task_id: str, *, timeout: float | None = None) -> Task:
        """Cancel a task and return it as it now is: calls under way may still deliver images, which are charged."""
        return self._runner.run(self._core.cancel_task(task_id, timeout))

    def delete(self, task_id: str, *, timeout: float | None = None) -> None:
        """Erase a finished task with its images."""
        self._runner.run(self._core.delete_task(task_id, timeout))

    def list(self, *, timeout: float | None = None, **filters: Unpack[TasksQuery]) -> Iterator[Task]:
        """Iterate over tasks, newest first, page by page. What is added meanwhile does not appear."""
        return self._runner.pages(Pages("/v1/tasks", Task, query(filters), "created_before"), timeout)


class Files:
    """Images to edit, and images of tasks."""

    def __init__(self, core: Core, runner: _Runner) -> None:
        self._core = core
        self._runner = runner

    def upload(self, image: Image, *, timeout: float | None = None) -> UploadedFile:
        """Upload a PNG, JPEG or WebP image of at most 10 MiB: bytes, a path, a binary file or an image of Pillow.

        Its ``url`` stands in ``image_urls`` of a submit.
        """
        return self._runner.run(self._core.upload(image, timeout))

    def download(self, url: str, *, timeout: float | None = None) -> bytes:
        """Fetch the bytes of a result, or of an uploaded file."""
        return self._runner.run(self._core.download(url, timeout))

    def list(
        self, *, page: int | None = None, per_page: int | None = None, timeout: float | None = None
    ) -> FileList:
        """Read a page of the files of the account, newest first, with what all of them take of what it may keep."""
        found: FileList = self._runner.run(
            self._core.read("/v1/files", FileList, timeout, {"page": page, "per_page": per_page})
        )
        return found

    def delete(self, file: str, *, timeout: float | None = None) -> None:
        """Remove an uploaded file, by its URL or its id."""
        self._runner.run(self._core.delete_file(file, timeout))


class ImageGateway:
    """Client of a gateway.

    Every call is repeated until its deadline where that is safe, and a repetition never buys an image twice. Timeouts are
    seconds: ``submit_timeout`` holds for every call but ``subscribe``, ``wait`` and ``events``.
    """

    tasks: Tasks
    files: Files
    webhooks: Webhooks

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        webhook_secret: str | None = None,
        submit_timeout: float = 60.0,
        subscribe_timeout: float = 900.0,
        headers: Mapping[str, str] | None = None,
        http_client: httpx.Client | None = None,
    ) -> None:
        self._core = Core(base_url, api_key, submit_timeout, subscribe_timeout)
        http = http_client or make_client(httpx.Client)
        self._runner = _Runner(self._core, http, headers or {})
        if http_client is None:
            # Connections of a client that nobody closes end with it.
            weakref.finalize(self, http.close)
        self.tasks = Tasks(self._core, self._runner)
        self.files = Files(self._core, self._runner)
        self.webhooks = Webhooks(webhook_secret)

    def submit(
        self,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        **request: Unpack[GenerateRequest],
    ) -> Task:
        """Submit a generation or an edit and return the task as it was accepted."""
        return self._runner.run(self._core.submit(request, idempotency_key, timeout))

    def subscribe(
        self,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        on_task: OnTask | None = None,
        **request: Unpack[GenerateRequest],
    ) -> TaskCompleted:
        """Submit, wait for the end and return the completed task. Raises TaskFailedError where it failed."""
        return self._runner.run(self._core.subscribe(request, idempotency_key, timeout, on_task))

    def quote(self, *, timeout: float | None = None, **request: Unpack[GenerateRequest]) -> Quote:
        """Price a request without submitting it."""
        found: Quote = self._runner.run(self._core.quote(request, Quote, timeout))
        return found

    def models(self, *, timeout: float | None = None) -> list[Model]:
        """List the models on offer with their prices."""
        found: list[Model] = self._runner.run(self._core.read("/v1/models", list[Model], timeout))
        return found

    def account(self, *, timeout: float | None = None) -> Account:
        """Read the balance and the limits of the key."""
        found: Account = self._runner.run(self._core.read("/v1/account", Account, timeout))
        return found

    def usage(self, *, timeout: float | None = None, **filters: Unpack[UsageQuery]) -> Iterator[UsageRecord]:
        """Iterate over usage records, newest first, page by page. What is added meanwhile does not appear."""
        return self._runner.pages(Pages("/v1/usage", UsageRecord, query(filters), "to"), timeout)

    def usage_summary(
        self, *, timeout: float | None = None, **filters: Unpack[UsageSummaryQuery]
    ) -> list[UsageSummaryEntry]:
        """Sum up usage, by model unless ``group_by`` says otherwise."""
        kind: Any = list[UsageSummaryEntry]
        found: list[UsageSummaryEntry] = self._runner.run(
            self._core.read("/v1/usage/summary", kind, timeout, query(filters))
        )
        return found

    def close(self) -> None:
        """Close the connections."""
        self._runner.http.close()

    def __enter__(self) -> ImageGateway:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
