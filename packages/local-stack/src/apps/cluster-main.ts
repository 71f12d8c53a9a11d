// Runs a server program in several processes that share its port: arguments are the metrics port of each process (with commas
// between them), the program, and its own arguments.
// Says which processes there are over its channel whenever one is another than before.
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
    // Settings that the program refuses are refused by every process: end, as the program itself does.
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
