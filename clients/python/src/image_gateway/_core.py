"""What both clients do, as flows that they run."""

from __future__ import annotations

import json
import os
import re
import secrets
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, Union
from urllib.parse import quote

from ._decode import decode
from ._flow import Call, Flow, Reply, Sleep, Unanswered, get_pause, read_data, repeat
from ._inputs import Image, find_type, read_base_url, read_image, read_key
from ._shape import HEAD_BYTES, choose_ratio, measure, read_head
from .errors import ApiError, DeadlineError, ErrorDetails, TaskFailedError
from .types import FullTask, Model, Task, TaskCompleted, TaskFailed, UploadedFile

T = TypeVar("T")
TaskFinished = Union[TaskCompleted, TaskFailed]
OnTask = Callable[[Task], object]

# Seconds that one request waits for the end of a task: proxies and load balancers often cut after 30.
WAIT_SECONDS = 25
# An answer that comes sooner did not wait.
NOT_WAITED_SECONDS = 1.0
# Time of one attempt to send or fetch an image.
IMAGE_SECONDS = 120.0


@dataclass(frozen=True)
class Answer(Generic[T]):
    data: T
    request_id: str | None


@dataclass
class Pages(Generic[T]):
    """State of a list that is read page by page."""

    path: str
    kind: Any
    params: dict[str, Any]
    bound: str
    """Parameter that ends the list at a moment, so that what is added meanwhile moves nothing."""
    page: int | None = 1
    former: frozenset[str] = frozenset()

    def accept(self, data: Any) -> list[T]:
        items = data["items"]
        if self.page == 1 and items and self.params.get(self.bound) is None:
            self.params[self.bound] = _just_after(items[0]["created_at"])
        is_last = not items or self.page is None or self.page >= data["pagination"]["total_pages"]
        self.page = None if is_last or self.page is None else self.page + 1
        # Items that came in the same millisecond as the newest one may still move others to the next page.
        fresh = [decode(self.kind, one) for one in items if one["id"] not in self.former]
        self.former = frozenset(one["id"] for one in items)
        return fresh


class Core:
    """The calls of a gateway, as flows."""

    def __init__(self, base_url: str | None, api_key: str | None, submit_timeout: float, subscribe_timeout: float) -> None:
        self.base_url = read_base_url(base_url)
        self.api_key = read_key(api_key)
        self._ratios: dict[str, list[str]] | None = None
        self.submit_timeout = submit_timeout
        self.subscribe_timeout = subscribe_timeout

    def locate(self, path: str) -> tuple[str, bool]:
        """Return the URL of a path, and whether the gateway's key belongs to it."""
        if not re.match(r"https?://", path, re.IGNORECASE):
            return self.base_url + path, True
        return path, path.startswith(f"{self.base_url}/v1/")

    def _send(
        self,
        method: str,
        path: str,
        kind: Any,
        *,
        timeout: float | None = None,
        params: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> Flow[Any]:
        call = Call(
            method,
            path,
            self._deadline(timeout),
            params=_without_none(params or {}),
            **_json(body),
        )
        return repeat(call, lambda reply: decode(kind, read_data(reply)))

    def _deadline(self, timeout: float | None) -> float:
        return time.monotonic() + (self.submit_timeout if timeout is None else timeout)

    def submit(self, request: Mapping[str, Any], key: str | None, timeout: float | None) -> Flow[Task]:
        return (yield from self._submit_until(request, key, self._deadline(timeout))).data

    def _submit_until(self, request: Mapping[str, Any], key: str | None, deadline: float) -> Flow[Answer[Task]]:
        key = key or secrets.token_hex(16)
        sent = _json((yield from self._keep_shape(request, deadline)))
        headers = {**sent["headers"], "Idempotency-Key": key}
        call = Call(
            "POST",
            "/v1/generate",
            deadline,
            headers=headers,
            content=sent["content"],
            details=ErrorDetails(idempotency_key=key),
        )
        return (yield from repeat(call, _read_submitted))

    def _keep_shape(self, request: Mapping[str, Any], deadline: float) -> Flow[Mapping[str, Any]]:
        """Add the ratio that is nearest to the first image of an edit, unless the request has one."""
        urls: Any = request.get("image_urls")
        if request.get("aspect_ratio") is not None or not isinstance(urls, (list, tuple)) or not urls:
            return request
        size = yield from self._measure(urls[0], deadline)
        if size is None:
            return request
        ratios = yield from self._read_ratios(str(request.get("model")), deadline)
        ratio = choose_ratio(ratios, size)
        if ratio is None and ratios:
            _warn(
                f"The first image is as near to each of {', '.join(ratios)}: the result has the default shape of the "
                "model. aspect_ratio chooses one."
            )
        return request if ratio is None else {**request, "aspect_ratio": ratio}

    def _measure(self, url: Any, deadline: float) -> Flow[tuple[int, int] | None]:
        """Find the size of an image that is in the request or at the gateway; that of others stays unknown."""
        if not isinstance(url, str):
            return None
        if url.startswith("data:"):
            return measure(read_head(url))
        path = f"/v1/files/{quote(url, safe='')}" if url.startswith("file_") else url
        if not path.startswith(("/v1/files/", f"{self.base_url}/")):
            return None
        headers = {"Range": f"bytes=0-{HEAD_BYTES - 1}"}
        call = Call("GET", path, deadline, headers=headers, until=lambda content: len(content) >= HEAD_BYTES)
        try:
            return (yield from repeat(call, lambda reply: measure(reply.content)))
        except ApiError:
            # The submit says what is wrong with the image.
            return None

    def _read_ratios(self, model: str, deadline: float) -> Flow[list[str]]:
        if self._ratios is None or model not in self._ratios:
            call = Call("GET", "/v1/models", deadline)
            models: list[Model] = yield from repeat(call, lambda reply: decode(list[Model], read_data(reply)))
            self._ratios = {one.id: one.aspect_ratios for one in models}
        return self._ratios.get(model, [])

    def subscribe(
        self, request: Mapping[str, Any], key: str | None, timeout: float | None, on_task: OnTask | None
    ) -> Flow[TaskCompleted]:
        deadline = time.monotonic() + (self.subscribe_timeout if timeout is None else timeout)
        accepted = yield from self._submit_until(request, key, deadline)
        _tell(on_task, accepted.data)
        ended: Answer[Task] | Answer[TaskFinished] = accepted
        if isinstance(accepted.data, (TaskCompleted, TaskFailed)):
            task: TaskFinished = accepted.data
        else:
            ended = yield from self._wait_until(accepted.data.id, deadline, on_task, accepted.data)
            task = ended.data
        if isinstance(task, TaskFailed):
            raise TaskFailedError(task, ended.request_id)
        return task

    def wait(self, task_id: str, timeout: float | None, on_task: OnTask | None) -> Flow[TaskFinished]:
        deadline = time.monotonic() + (self.subscribe_timeout if timeout is None else timeout)
        return (yield from self._wait_until(task_id, deadline, on_task, None)).data

    def _wait_until(
        self, task_id: str, deadline: float, on_task: OnTask | None, known: Task | None
    ) -> Flow[Answer[TaskFinished]]:
        quick = 0
        while True:
            started = time.monotonic()
            seconds = max(1, min(WAIT_SECONDS, int(deadline - started)))
            call = Call(
                "GET", _task_path(task_id), deadline, params={"wait": seconds}, details=ErrorDetails(task=known)
            )
            answer = yield from repeat(call, _read_task)
            task = known = answer.data
            _tell(on_task, task)
            if isinstance(task, (TaskCompleted, TaskFailed)):
                return Answer(task, answer.request_id)
            # The gateway answers at once while it has too many waiting requests, or restarts.
            quick = quick + 1 if time.monotonic() - started < NOT_WAITED_SECONDS else 0
            pause = get_pause(quick - 1) if quick else 0.0
            if time.monotonic() + pause >= deadline:
                message = f"Task {task_id} has not ended yet; tasks.wait goes on with it."
                raise DeadlineError(message, ErrorDetails(task=task, request_id=answer.request_id))
            yield Sleep(pause)

    def next_event(self, task_id: str, deadline: float, last: Task | None) -> Flow[Task]:
        """Read the task once it is another than ``last``; the gateway sends its present state first."""

        def find(content: bytes) -> Task | None:
            for event in re.split(r"\r?\n\r?\n", content.decode(errors="replace"))[:-1]:
                data = re.search(r"^data: ?(.*)$", event, re.MULTILINE)
                task: Task | None = decode(Task, json.loads(data[1])) if data else None
                if task is not None and task != last:
                    return task
            return None

        def read(reply: Reply) -> Task:
            task = find(reply.content)
            if task is None:
                raise Unanswered("the stream of events was cut")
            return task

        call = Call(
            "GET",
            f"{_task_path(task_id)}/events",
            deadline,
            headers={"Accept": "text/event-stream"},
            until=lambda content: find(content) is not None,
            details=ErrorDetails(task=last),
        )
        return repeat(call, read)

    def get_task(self, task_id: str, view: str | None, timeout: float | None) -> Flow[Any]:
        kind = FullTask if view == "full" else Task
        return self._send("GET", _task_path(task_id), kind, timeout=timeout, params={"view": view})

    def cancel_task(self, task_id: str, timeout: float | None) -> Flow[Task]:
        return self._send("POST", f"{_task_path(task_id)}/cancel", Task, timeout=timeout)

    def delete(self, path: str, timeout: float | None) -> Flow[None]:
        try:
            yield from repeat(Call("DELETE", path, self._deadline(timeout)), lambda _: None)
        except ApiError as error:
            # What is gone after an attempt whose answer was lost was deleted by it.
            if error.status != 404 or not error.is_repeated:
                raise

    def delete_task(self, task_id: str, timeout: float | None) -> Flow[None]:
        return self.delete(_task_path(task_id), timeout)

    def delete_file(self, file: str, timeout: float | None) -> Flow[None]:
        return self.delete(f"/v1/files/{quote(file.rsplit('/', 1)[-1], safe='')}", timeout)

    def read_page(self, pages: Pages[T], timeout: float | None) -> Flow[list[T]]:
        params = _without_none({**pages.params, "page": pages.page})
        call = Call("GET", pages.path, self._deadline(timeout), params=params)
        return (yield from repeat(call, lambda reply: pages.accept(read_data(reply))))

    def upload(self, image: Image, timeout: float | None) -> Flow[UploadedFile]:
        content = read_image(image)
        call = Call(
            "POST",
            "/v1/files",
            self._deadline(timeout),
            headers={"Content-Type": find_type(content)},
            content=content,
            attempt=IMAGE_SECONDS,
        )
        return repeat(call, lambda reply: decode(UploadedFile, read_data(reply)))

    def download(self, url: str, timeout: float | None) -> Flow[bytes]:
        call = Call("GET", url, self._deadline(timeout), attempt=IMAGE_SECONDS)
        return repeat(call, lambda reply: reply.content)

    def quote(self, request: Mapping[str, Any], kind: Any, timeout: float | None) -> Flow[Any]:
        return self._send("POST", "/v1/quote", kind, timeout=timeout, body=request)

    def read(
        self, path: str, kind: Any, timeout: float | None, params: Mapping[str, Any] | None = None
    ) -> Flow[Any]:
        return self._send("GET", path, kind, timeout=timeout, params=params)


def query(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters by the names of the API: ``from`` is a word of Python, and a dictionary is ``name[key]=value``."""
    named: dict[str, Any] = {}
    for name, value in given.items():
        if isinstance(value, dict):
            entries: dict[str, Any] = value
            named.update({f"{name}[{key}]": one for key, one in entries.items()})
        else:
            named[name.rstrip("_")] = value
    return named


def _read_task(reply: Reply) -> Answer[Task]:
    return Answer(decode(Task, read_data(reply)), reply.request_id)


def _read_submitted(reply: Reply) -> Answer[Task]:
    ignored = reply.headers.get("x-gateway-ignored")
    if ignored:
        _warn(f"The gateway does not know these fields, and ignored them: {ignored}.")
    return _read_task(reply)


def _warn(message: str) -> None:
    """Warn at the line outside of this package that made the call."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == os.path.dirname(__file__):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)


def _tell(on_task: OnTask | None, task: Task) -> None:
    if on_task is not None:
        on_task(task)


def _task_path(task_id: str) -> str:
    return f"/v1/tasks/{quote(task_id, safe='')}"


def _json(body: Mapping[str, Any] | None) -> dict[str, Any]:
    if body is None:
        return {}
    return {"content": json.dumps(body).encode(), "headers": {"Content-Type": "application/json"}}


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _just_after(moment: str) -> str:
    from datetime import datetime, timedelta

    return (datetime.fromisoformat(moment.replace("Z", "+00:00")) + timedelta(milliseconds=1)).isoformat()
