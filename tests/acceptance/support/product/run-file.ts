import { readFileSync } from 'node:fs';
import path from 'node:path';

interface Service {
  pid?: number;
  url: string;
}

interface Worker {
  pid: number;
  metricsUrl: string;
}

/** DATA_DIR/run.json as the contract describes it. */
export interface RunFile {
  api: { pid: number; pids?: number[]; url: string; metricsUrl: string };
  generationWorkers: Worker[];
  webhookWorkers: Worker[];
  postgres: Service;
  redis: Service;
  s3: Service & { bucket: string; accessKey: string; secretKey: string };
  dashboard?: { url: string };
  demo: { accountId: string; apiKey: string; email: string; password: string; webhookSecret: string };
  operator?: { email: string; password: string };
}

/** Reads run.json; throws while it is absent. It is replaced by renaming, so it is never half written. */
export function readRunFile(dataDir: string): RunFile {
  return JSON.parse(readFileSync(path.join(dataDir, 'run.json'), 'utf8')) as RunFile;
}

/** Every process id that run.json names. */
export function listPids(run: RunFile): number[] {
  const all = [
    run.api.pid,
    ...(run.api.pids ?? []),
    ...run.generationWorkers.map((worker) => worker.pid),
    ...run.webhookWorkers.map((worker) => worker.pid),
    run.postgres.pid,
    run.redis.pid,
    run.s3.pid,
  ];
  return [...new Set(all.filter((pid) => pid !== undefined))];
}
