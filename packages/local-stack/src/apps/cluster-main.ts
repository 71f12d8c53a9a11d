// Runs a server program in several processes that share its port. Arguments: the metrics ports with commas between them, the
// program, and its own arguments. Reports the process ids over its channel after every change.
import cluster, { type Worker } from 'node:cluster';
import { getRestartDelay } from '../process/restart-delay.js';

const [ports = '', program = '', ...args] = process.argv.slice(2);
const metricsPorts = ports.split(',');
const workers = new Map<string, Worker>();
let stopping = false;
let served = false;

const report = (): void => {
  const pids = metricsPorts.flatMap((port) => workers.get(port)?.process.pid ?? []);
  process.send?.({ pids });
};

function fork(metricsPort: string, delayMs: number): void {
  const started = performance.now();
  const worker = cluster.fork({ METRICS_PORT: metricsPort });
  workers.set(metricsPort, worker);
  report();
  worker.once('exit', (code) => {
    workers.delete(metricsPort);
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
    setTimeout(() => fork(metricsPort, next), next);
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
for (const port of metricsPorts) {
  fork(port, 0);
}
