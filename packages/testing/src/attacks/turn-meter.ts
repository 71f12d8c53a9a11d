// Loaded before a program: measures how late its event loop is, and leaves out the time for which the machine gave it no processor.
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const LOOK_MS = 10;
const WRITE_MS = 100;
const file = path.join(tmpdir(), `image-gateway-turns-${process.pid}`);

/** Time on a processor, and time ready without one, of the main thread. */
function readTimes(): readonly [ranMs: number, waitedMs: number] {
  const [ran = '0', waited = '0'] = readFileSync('/proc/self/schedstat', 'utf8').split(' ');
  return [Number(ran) / 1e6, Number(waited) / 1e6];
}

let last = performance.now();
let [lastRan, lastWaited] = readTimes();
let late: number[] = [];

writeFileSync(file, '');
process.on('exit', () => rmSync(file, { force: true }));
setInterval(() => {
  const now = performance.now();
  const [ran, waited] = readTimes();
  const own = now - last - LOOK_MS - (waited - lastWaited);
  // Threads that a turn waits for may be without a processor too.
  late.push(Math.max(0, Math.min(own, ran - lastRan)));
  [last, lastRan, lastWaited] = [now, ran, waited];
}, LOOK_MS).unref();
setInterval(() => {
  appendFileSync(file, late.map((ms) => `${ms.toFixed(1)}\n`).join(''));
  late = [];
}, WRITE_MS).unref();
