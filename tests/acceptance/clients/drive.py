"""Calls the Python client as lines on standard input say, one call a line, and prints one line for each outcome.

With ``async`` as the last argument it is the client for ``async`` and ``await``.
"""

import asyncio
import dataclasses
import hashlib
import json
import sys
import threading
import warnings
from typing import Any
from urllib.parse import urlsplit

from image_gateway import AsyncImageGateway, ImageGateway, ImageGatewayError

base_url, api_key, kind = sys.argv[1:4]
said: list[str] = []
warnings.simplefilter("always")
warnings.showwarning = lambda message, *_: said.append(str(message))


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {name: one for name, one in fields.items() if one is not None}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    return value


def describe(error: ImageGatewayError) -> Any:
    return {
        "name": type(error).__name__,
        "code": error.code,
        "details": plain(error.details),
        "status": error.status,
        "request_id": error.request_id,
        "task": plain(error.task),
        "idempotency_key": error.idempotency_key,
        "message": str(error),
    }


def show(nr: int, outcome: Any) -> None:
    told = {"said": [said.pop() for _ in range(len(said))]} if said else {}
    sys.stdout.write(json.dumps({"nr": nr, **outcome, **told}) + "\n")
    sys.stdout.flush()


def options_of(args: Any) -> Any:
    return {"base_url": base_url, "api_key": api_key, **args.get("options", {})}


def run_sync(args: Any) -> Any:
    with ImageGateway(**options_of(args)) as gateway:
        call, request = args["call"], args.get("request", {})
        if call == "submit":
            return gateway.submit(idempotency_key=args.get("key"), **request)
        if call == "subscribe":
            task = gateway.subscribe(idempotency_key=args.get("key"), timeout=args.get("timeout"), **request)
            urls = [base_url + urlsplit(url).path for url in task.output.urls]
            return {"task": task, "images": [sha256(gateway.files.download(url)) for url in urls]}
        if call == "wait":
            return gateway.tasks.wait(args["id"], timeout=args.get("timeout"))
        if call == "get":
            return gateway.tasks.get(args["id"], view=args.get("view"))
        if call == "events":
            return list(gateway.tasks.events(args["id"]))
        if call == "cancel":
            return gateway.tasks.cancel(args["id"])
        if call == "delete":
            return gateway.tasks.delete(args["id"])
        if call == "list":
            return [task.id for task in gateway.tasks.list(**args.get("filters", {}))]
        if call == "usage":
            return [record.cost for record in gateway.usage(**args.get("filters", {}))]
        if call == "summary":
            return gateway.usage_summary()
        if call == "upload":
            uploaded = gateway.files.upload(args["file"])
            with open(args["file"], "rb") as file:
                copy = gateway.files.upload(file)
            image = gateway.files.download(f"{base_url}/v1/files/{uploaded.id}")
            return {"uploaded": uploaded, "copy": copy, "sha256": sha256(image)}
        if call == "listFiles":
            return [file.id for file in gateway.files.list(per_page=1).files]
        if call == "uploadPath":
            return gateway.files.upload(args["file"])
        if call == "deleteFile":
            return gateway.files.delete(args["id"])
        if call == "quote":
            return gateway.quote(**request)
        if call == "unwrap":
            return gateway.webhooks.unwrap(args["body"], args["headers"], args["secret"])
        return {"models": gateway.models, "account": gateway.account}[call]()


async def run_async(args: Any) -> Any:
    async with AsyncImageGateway(**options_of(args)) as gateway:
        call, request = args["call"], args.get("request", {})
        if call == "submit":
            return await gateway.submit(idempotency_key=args.get("key"), **request)
        if call == "subscribe":
            task = await gateway.subscribe(idempotency_key=args.get("key"), timeout=args.get("timeout"), **request)
            urls = [base_url + urlsplit(url).path for url in task.output.urls]
            images = await asyncio.gather(*(gateway.files.download(url) for url in urls))
            return {"task": task, "images": [sha256(image) for image in images]}
        if call == "wait":
            return await gateway.tasks.wait(args["id"], timeout=args.get("timeout"))
        if call == "get":
            return await gateway.tasks.get(args["id"], view=args.get("view"))
        if call == "events":
            return [task async for task in gateway.tasks.events(args["id"])]
        if call == "cancel":
            return await gateway.tasks.cancel(args["id"])
        if call == "delete":
            return await gateway.tasks.delete(args["id"])
        if call == "list":
            return [task.id async for task in gateway.tasks.list(**args.get("filters", {}))]
        if call == "usage":
            return [record.cost async for record in gateway.usage(**args.get("filters", {}))]
        if call == "summary":
            return await gateway.usage_summary()
        if call == "upload":
            uploaded = await gateway.files.upload(args["file"])
            with open(args["file"], "rb") as file:
                copy = await gateway.files.upload(file.read())
            image = await gateway.files.download(f"{base_url}/v1/files/{uploaded.id}")
            return {"uploaded": uploaded, "copy": copy, "sha256": sha256(image)}
        if call == "listFiles":
            return [file.id for file in (await gateway.files.list(per_page=1)).files]
        if call == "uploadPath":
            return await gateway.files.upload(args["file"])
        if call == "deleteFile":
            return await gateway.files.delete(args["id"])
        if call == "quote":
            return await gateway.quote(**request)
        if call == "unwrap":
            return gateway.webhooks.unwrap(args["body"], args["headers"], args["secret"])
        return await {"models": gateway.models, "account": gateway.account}[call]()


def answer_sync(args: Any) -> None:
    try:
        show(args["nr"], {"value": plain(run_sync(args))})
    except ImageGatewayError as error:
        show(args["nr"], {"error": describe(error)})


async def answer_async(args: Any) -> None:
    try:
        show(args["nr"], {"value": plain(await run_async(args))})
    except ImageGatewayError as error:
        show(args["nr"], {"error": describe(error)})


async def main_async() -> None:
    running = []
    while line := await asyncio.to_thread(sys.stdin.readline):
        running.append(asyncio.create_task(answer_async(json.loads(line))))
    await asyncio.gather(*running)


if kind == "async":
    asyncio.run(main_async())
else:
    threads = []
    for line in sys.stdin:
        threads.append(threading.Thread(target=answer_sync, args=(json.loads(line),)))
        threads[-1].start()
    for thread in threads:
        thread.join()
