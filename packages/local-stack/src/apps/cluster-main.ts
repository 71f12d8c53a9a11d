// Runs a server program in several processes that share its port. Arguments: the metrics ports with commas between them, "move" if
// others will do where these are in use, the program, and its own arguments. Reports its processes over its channel after every change.
import cluster, { type Worker } from 'node:cluster';
import { findFreePort } from '../net/ports.js';
import { getRestartDelay } from '../process/restart-delay.js';
import type { ClusterReport } from './start-app.js';

const [ports = '', moves = '', program = '', ...args] = process.argv.slice(2);
const metricsPorts = ports.split(',').map(Number);
const workers = new Map<number, Worker>();
let stopping = false;
let served = false;

const report = (): void => {
  const pids = metricsPorts.flatMap((_port, place) => workers.get(place)?.process.pid ?? []);
  process.send?.({ pids, metricsPorts } satisfies ClusterReport);
};

/** Starts the process of a place; another program may have taken its port since it was chosen. */
async function fork(place: number, delayMs: number): Promise<void> {
  const others = metricsPorts.filter((_port, other) => other !== place);
  if (moves === 'move') {
    metricsPorts[place] = await findFreePort(metricsPorts[place], new Set(others));
  }
  if (stopping) {
    return;
  }
  const started = performance.now();
  const worker = cluster.fork({ METRICS_PORT: String(metricsPorts[place]) });
  workers.set(place, worker);
  report();
  worker.once('exit', (code) => {
    workers.delete(place);
    // Wrong settings end every process: the cluster ends with the exit code of the program.
    if (!served && code) {
      process.exit(code);
    }
    if (stopping && workers.size === 0) {
      process.exit(0);
    }
    if (stopping) {
      return;
    }
    report();
    const next = getRestartDelay(delayMs, performance.now() - started);
    setTimeout(() => void fork(place, next), next);
  });
}

const stop = (): void => {
  stopping = true;
  for (const worker of workers.values()) {
    worker.process.kill('SIGTERM');
  }
  if (workers.size === 0) {
    process.exit(0);
  }
};

cluster.setupPrimary({ exec: program, args });
cluster.on('listening', () => {
  served = true;
});
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
for (const place of metricsPorts.keys()) {
  void fork(place, 0);
}
