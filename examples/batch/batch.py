"""Draws every prompt of a CSV file (columns id and prompt) into a folder. Stop it and start it again: nothing is bought twice."""

from __future__ import annotations

import csv
import hashlib
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from image_gateway import ImageGateway, ImageGatewayError, TaskCompleted, TaskFailed

MODEL = os.environ.get("MODEL", "nanobanana")
FORMATS = {".png", ".jpg", ".webp"}
AT_A_TIME = int(os.environ.get("AT_A_TIME", "8"))


@dataclass(frozen=True)
class Row:
    id: str
    prompt: str

    @property
    def key(self) -> str:
        """Idempotency key: the same row gets the same task for 24 hours."""
        return hashlib.sha256(f"{MODEL}\0{self.id}\0{self.prompt}".encode()).hexdigest()


class Journal:
    """Task of every row that was submitted, on disk before the row is waited for."""

    def __init__(self, file: Path) -> None:
        lines = file.read_text().splitlines() if file.exists() else []
        # A line that a crash cut short is left out: its row is submitted again, with the same key.
        self._tasks = {line[0]: line[1] for line in csv.reader(lines) if len(line) == 3 and line[2] == "."}
        self._file = file.open("a", newline="")
        self._lock = threading.Lock()
        if file.stat().st_size > 0:
            self._file.write("\n")

    def find(self, row: Row) -> str | None:
        return self._tasks.get(row.key)

    def keep(self, row: Row, task_id: str) -> None:
        with self._lock:
            csv.writer(self._file).writerow([row.key, task_id, "."])
            self._file.flush()
            os.fsync(self._file.fileno())


def draw(gateway: ImageGateway, journal: Journal, row: Row, out: Path) -> TaskCompleted | TaskFailed:
    task_id = journal.find(row)
    if task_id is None:
        accepted = gateway.submit(model=MODEL, prompt=row.prompt, idempotency_key=row.key, timeout=600)
        task_id = accepted.id
        journal.keep(row, task_id)
    task = gateway.tasks.wait(task_id)
    if isinstance(task, TaskCompleted):
        # The model chooses the format unless the request does; the URL ends as the format does.
        url = task.output.url
        partial = out / f"{row.id}.part"
        partial.write_bytes(gateway.files.download(url))
        partial.replace(out / f"{row.id}{Path(url).suffix}")
    return task


def main(prompts: Path, out: Path) -> int:
    out.mkdir(parents=True, exist_ok=True)
    with prompts.open(newline="") as file:
        rows = [Row(line["id"], line["prompt"]) for line in csv.DictReader(file)]
    there = {file.stem for file in out.iterdir() if file.suffix in FORMATS}
    missing = [row for row in rows if row.id not in there]
    print(f"{len(rows)} rows, {len(rows) - len(missing)} are there", flush=True)
    journal = Journal(out / "journal.csv")
    failed: list[str] = []
    with ImageGateway() as gateway, ThreadPoolExecutor(AT_A_TIME) as pool:
        running = {pool.submit(draw, gateway, journal, row, out): row for row in missing}
        try:
            for number, future in enumerate(as_completed(running), 1):
                row = running[future]
                try:
                    task = future.result()
                    if isinstance(task, TaskFailed):
                        failed.append(f"{row.id}: {task.error}")
                except ImageGatewayError as error:
                    failed.append(f"{row.id}: {error}")
                print(f"{number} of {len(missing)}", flush=True)
        except KeyboardInterrupt:
            print("Stopping after the rows under way. Start again to go on.", flush=True)
            pool.shutdown(wait=True, cancel_futures=True)
            return 130
    print("\n".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
