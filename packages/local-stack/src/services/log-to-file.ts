import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const MAX_BYTES = 10_000_000;

/** Appends the output of a service to a log file; a file over 10 MB is renamed at the start. */
export function logToFile(file: string): (child: ChildProcess) => void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  if (fs.existsSync(file) && fs.statSync(file).size > MAX_BYTES) {
    fs.renameSync(file, `${file}.old`);
  }
  return (child) => {
    const stream = fs.createWriteStream(file, { flags: 'a', mode: 0o600 });
    // A full disk must not end the stack; the service itself continues.
    stream.on('error', () => child.stdout?.resume());
    child.stdout?.pipe(stream, { end: false });
    child.stderr?.pipe(stream, { end: false });
    child.once('close', () => stream.end());
  };
}
