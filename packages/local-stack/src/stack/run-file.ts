import fs from 'node:fs';
import path from 'node:path';
import type { RunningApp } from '../apps/start-app.js';
import type { RunningApps } from '../apps/start-apps.js';
import { writePrivateJson } from '../data-dir/private-json.js';
import type { RunningServices } from '../services/start-services.js';
import type { DemoAccount, OperatorUser } from './ensure-logins.js';
import type { StackSettings } from './resolve-settings.js';
import type { StackProviders } from './sync-catalog.js';

/** Settings and processes of a running stack. */
export interface RunState {
  readonly settings: StackSettings;
  readonly env: NodeJS.ProcessEnv;
  readonly services: RunningServices;
  readonly apps: RunningApps;
  readonly providers: StackProviders;
  readonly demo: DemoAccount | null;
  readonly operator: OperatorUser | null;
  /** URL of the dashboard on this machine; null when it is not served. */
  readonly dashboardUrl: string | null;
}

const metricsUrl = (port: number | undefined): string => `http://127.0.0.1:${port}/metrics`;
const worker = (app: RunningApp): object => ({
  pid: app.process.pid(),
  metricsUrl: metricsUrl(app.metricsPorts[0]),
});

/** Builds the content of `run.json`: `pid` is absent for a service that was not started here, `api` when there is none. */
export function buildRunFile(state: RunState): object {
  const { settings, env, services, apps, demo, operator, dashboardUrl } = state;
  const { api, generationWorkers, webhookWorkers } = apps;
  const { postgres, redis, s3 } = services;
  return {
    ...(api && {
      api: {
        pid: api.process.pid(),
        pids: api.pids(),
        url: settings.localUrl,
        metricsUrl: metricsUrl(api.metricsPorts[0]),
        metricsUrls: api.metricsPorts.map(metricsUrl),
      },
    }),
    generationWorkers: generationWorkers.map(worker),
    webhookWorkers: webhookWorkers.map(worker),
    postgres: { pid: postgres?.process.pid(), url: env.DATABASE_URL },
    redis: { pid: redis?.process.pid(), url: env.REDIS_URL },
    s3: {
      pid: s3?.process.pid(),
      url: env.S3_ENDPOINT,
      bucket: env.S3_BUCKET,
      accessKey: env.S3_ACCESS_KEY,
      secretKey: env.S3_SECRET_KEY,
    },
    ...(dashboardUrl !== null && { dashboard: { url: dashboardUrl } }),
    ...(demo && { demo }),
    ...(operator && { operator }),
  };
}

/** Creates the writer of `run.json` of a data folder, which describes the running stack. */
export function createRunFile(dataDir: string): { write(state: RunState): void; remove(): void } {
  const file = path.join(dataDir, 'run.json');
  return {
    write: (state) => writePrivateJson(file, buildRunFile(state)),
    remove: () => fs.rmSync(file, { force: true }),
  };
}
