"""The client for ``async`` and ``await``."""

from __future__ import annotations

import asyncio
import time
import weakref
from collections.abc import AsyncIterator, Mapping
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


class _AsyncRunner:
    """Runs flows on an HTTP client of httpx."""

    def __init__(self, core: Core, http: httpx.AsyncClient | None, headers: Mapping[str, str]) -> None:
        self._core = core
        self._given = http
        self._headers = headers
        self._first: httpx.AsyncClient | None = None if http else make_client(httpx.AsyncClient)
        self._made: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient] = (
            weakref.WeakKeyDictionary()
        )

    @property
    def http(self) -> httpx.AsyncClient:
        """The HTTP client of the running loop: connections work in the loop that opened them, and in no other."""
        if self._given is not None:
            return self._given
        loop = asyncio.get_running_loop()
        if loop not in self._made:
            self._made[loop] = self._first or make_client(httpx.AsyncClient)
            self._first = None
        return self._made[loop]

    async def run(self, flow: Flow[T]) -> T:
        try:
            effect = next(flow)
            while True:
                if isinstance(effect, Sleep):
                    await asyncio.sleep(effect.seconds)
                    effect = flow.send(None)
                else:
                    effect = flow.send(await self._exchange(effect))
        except StopIteration as done:
            result: T = done.value
            return result

    async def pages(self, pages: Pages[T], timeout: float | None) -> AsyncIterator[T]:
        while pages.page is not None:
            for item in await self.run(self._core.read_page(pages, timeout)):
                yield item

    async def _exchange(self, call: Call) -> Reply | Lost:
        url, is_own = self._core.locate(call.path)
        key = {"Authorization": f"Bearer {self._core.api_key}"} if is_own and self._core.api_key else {}
        headers = {**(self._headers if is_own else {}), **key, **call.headers}
        content = bytearray()
        ends = min(call.deadline, time.monotonic() + call.attempt)
        limit = max(0.001, ends - time.monotonic())
        try:
            async with self.http.stream(
                call.method,
                url,
                params=call.params or None,
                headers=headers,
                content=call.content,
                timeout=limit,
                follow_redirects=call.method == "GET" and not is_own,
            ) as response:
                async for chunk in response.aiter_bytes():
                    content += chunk
                    if call.until is not None and call.until(bytes(content)):
                        break
                    if time.monotonic() > (ends if call.until is None else call.deadline):
                        return Lost(TimeoutError(f"no answer within {limit:.0f} s"))
                return Reply(response.status_code, response.headers, bytes(content), str(response.url))
        except (httpx.RequestError, httpx.InvalidURL) as error:
            return Lost(error, find_fault(error))


class AsyncTasks:
    """Tasks of the account."""

    def __init__(self, core: Core, runner: _AsyncRunner) -> None:
        self._core = core
        self._runner = runner

    @overload
    async def get(self, task_id: str, *, view: Literal["full"], timeout: float | None = None) -> FullTask: ...
    @overload
    async def get(self, task_id: str, *, view: None = None, timeout: float | None = None) -> Task: ...
    async def get(
        self, task_id: str, *, view: Literal["full"] | None = None, timeout: float | None = None
    ) -> Task | FullTask:
        """Read a task; with ``view="full"`` its request and what is known of each image too."""
        task: Task | FullTask = await self._runner.run(self._core.get_task(task_id, view, timeout))
        return task

    async def wait(self, task_id: str, *, timeout: float | None = None, on_task: OnTask | None = None) -> TaskFinished:
        """Wait for the end of a task, 15 minutes unless told, and return it, completed or failed."""
        return await self._runner.run(self._core.wait(task_id, timeout, on_task))

    async def events(self, task_id: str, *, timeout: float | None = None) -> AsyncIterator[Task]:
        """Iterate over the task as it is and as it ends, over connections that break too."""
        deadline = time.monotonic() + (self._core.subscribe_timeout if timeout is None else timeout)
        task: Task | None = None
        while task is None or task.status == "pending":
            task = await self._runner.run(self._core.next_event(task_id, deadline, task))
            yield task

    async def cancel(self, task_id: str, *, timeout: float | None = None) -> Task:
        """Cancel a task and return it as it now is: calls under way may still deliver images, which are charged."""
        return await self._runner.run(self._core.cancel_task(task_id, timeout))

    async def delete(self, task_id: str, *, timeout: float | None = None) -> None:
        """Erase a finished task with its images."""
        await self._runner.run(self._core.delete_task(task_id, timeout))

    def list(self, *, timeout: float | None = None, **filters: Unpack[TasksQuery]) -> AsyncIterator[Task]:
        """Iterate over tasks, newest first, page by page. What is added meanwhile does not appear."""
        return self._runner.pages(Pages("/v1/tasks", Task, query(filters), "created_before"), timeout)


class AsyncFiles:
    """Images to edit, and images of tasks."""

    def __init__(self, core: Core, runner: _AsyncRunner) -> None:
        self._core = core
        self._runner = runner

    async def upload(self, image: Image, *, timeout: float | None = None) -> UploadedFile:
        """Upload a PNG, JPEG or WebP image of at most 10 MiB: bytes, a path, a binary file or an image of Pillow.

        Its ``url`` stands in ``image_urls`` of a submit.
        """
        return await self._runner.run(self._core.upload(image, timeout))

    async def download(self, url: str, *, timeout: float | None = None) -> bytes:
        """Fetch the bytes of a result, or of an uploaded file."""
        return await self._runner.run(self._core.download(url, timeout))

    async def list(
        self, *, page: int | None = None, per_page: int | None = None, timeout: float | None = None
    ) -> FileList:
        """Read a page of the files of the account, newest first, with what all of them take of what it may keep."""
        found: FileList = await self._runner.run(
            self._core.read("/v1/files", FileList, timeout, {"page": page, "per_page": per_page})
        )
        return found

    async def delete(self, file: str, *, timeout: float | None = None) -> None:
        """Remove an uploaded file, by its URL or its id."""
        await self._runner.run(self._core.delete_file(file, timeout))


class AsyncImageGateway:
    """Client of a gateway.

    Every call is repeated until its deadline where that is safe, and a repetition never buys an image twice. Timeouts are
    seconds: ``submit_timeout`` holds for every call but ``subscribe``, ``wait`` and ``events``.
    """

    tasks: AsyncTasks
    files: AsyncFiles
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
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        self._core = Core(base_url, api_key, submit_timeout, subscribe_timeout)
        self._runner = _AsyncRunner(self._core, http_client, headers or {})
        self.tasks = AsyncTasks(self._core, self._runner)
        self.files = AsyncFiles(self._core, self._runner)
        self.webhooks = Webhooks(webhook_secret)

    async def submit(
        self,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        **request: Unpack[GenerateRequest],
    ) -> Task:
        """Submit a generation or an edit and return the task as it was accepted."""
        return await self._runner.run(self._core.submit(request, idempotency_key, timeout))

    async def subscribe(
        self,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        on_task: OnTask | None = None,
        **request: Unpack[GenerateRequest],
    ) -> TaskCompleted:
        """Submit, wait for the end and return the completed task. Raises TaskFailedError where it failed."""
        return await self._runner.run(self._core.subscribe(request, idempotency_key, timeout, on_task))

    async def quote(self, *, timeout: float | None = None, **request: Unpack[GenerateRequest]) -> Quote:
        """Price a request without submitting it."""
        found: Quote = await self._runner.run(self._core.quote(request, Quote, timeout))
        return found

    async def models(self, *, timeout: float | None = None) -> list[Model]:
        """List the models on offer with their prices."""
        found: list[Model] = await self._runner.run(self._core.read("/v1/models", list[Model], timeout))
        return found

    async def account(self, *, timeout: float | None = None) -> Account:
        """Read the balance and the limits of the key."""
        found: Account = await self._runner.run(self._core.read("/v1/account", Account, timeout))
        return found

    def usage(self, *, timeout: float | None = None, **filters: Unpack[UsageQuery]) -> AsyncIterator[UsageRecord]:
        """Iterate over usage records, newest first, page by page. What is added meanwhile does not appear."""
        return self._runner.pages(Pages("/v1/usage", UsageRecord, query(filters), "to"), timeout)

    async def usage_summary(
        self, *, timeout: float | None = None, **filters: Unpack[UsageSummaryQuery]
    ) -> list[UsageSummaryEntry]:
        """Sum up usage, by model unless ``group_by`` says otherwise."""
        kind: Any = list[UsageSummaryEntry]
        found: list[UsageSummaryEntry] = await self._runner.run(
            self._core.read("/v1/usage/summary", kind, timeout, query(filters))
        )
        return found

    async def close(self) -> None:
        """Close the connections of the running loop."""
        await self._runner.http.aclose()

    async def __aenter__(self) -> AsyncImageGateway:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
