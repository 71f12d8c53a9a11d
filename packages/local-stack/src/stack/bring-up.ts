import type { Output } from '../../../../scripts/process/progress.mjs';
import type { AppCommands } from '../apps/app-commands.js';
import { type AppCounts, type RunningApps, startApps } from '../apps/start-apps.js';
import { loadSecrets } from '../data-dir/load-secrets.js';
import type { ServiceName } from '../data-dir/reserve-port.js';
import { migrate } from '../database/migrate.js';
import { requirePort } from '../net/ports.js';
import { waitForHttp } from '../net/wait-for-http.js';
import type { Supervisor } from '../process/supervisor.js';
import { startServices } from '../services/start-services.js';
import { StackError } from '../stack-error.js';
import { buildAppEnvironment } from './build-app-environment.js';
import { createGatewayCommand } from './create-gateway-command.js';
import { ensureDemoAccount, ensureOperator } from './ensure-logins.js';
import type { StackSettings } from './resolve-settings.js';
import type { RunState } from './run-file.js';
import { syncCatalog } from './sync-catalog.js';

/** Settings and dependencies of a stack that starts. */
export interface BringUpOptions {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly cacheDir: string;
  readonly settings: StackSettings;
  readonly counts: AppCounts;
  /** False for an API without the dashboard. */
  readonly dashboard: boolean;
  /** True to apply CATALOG_FILE although an operator's change followed its last version. */
  readonly force: boolean;
  readonly commands: AppCommands;
  readonly supervisor: Supervisor;
  readonly out: Output;
  readonly print: (line: string) => void;
  /** Aborted by a stop signal, or when an app refuses to start (with that error as its reason). */
  readonly controller: AbortController;
  /** Receives the state when the apps have started, and after every change of a process. */
  readonly onState: (state: RunState) => void;
}

const READY_TIMEOUT_MS = 120_000;
const WORKERS_TIMEOUT_MS = 15_000;

async function waitUntilReady(
  apps: RunningApps,
  { settings, print, controller }: BringUpOptions,
): Promise<void> {
  const { signal } = controller;
  const started = performance.now();
  print('Waiting until all processes respond…');
  const workers = [...apps.generationWorkers, ...apps.webhookWorkers];
  const [api, ...others] = await Promise.all([
    apps.api ? waitForHttp(`${settings.localUrl}/healthz`, READY_TIMEOUT_MS, signal) : true,
    ...workers.map(({ metricsPorts }) =>
      waitForHttp(() => `http://127.0.0.1:${metricsPorts[0]}/metrics`, WORKERS_TIMEOUT_MS, signal),
    ),
  ]);
  if (!api) {
    throw new StackError(`The API does not respond at ${settings.localUrl}/healthz.`);
  }
  if (!others.every(Boolean)) {
    print('A worker does not respond on its metrics port yet; the log above may say why.');
  } else {
    print(`All processes respond (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  }
}

/** Starts services, migrates, creates the demo account and the operator, starts the apps, and resolves when the API serves. */
export async function bringUp(options: BringUpOptions): Promise<RunState> {
  const { root, settings, counts, commands, supervisor, out, print, controller, onState } = options;
  const { dataDir, host } = settings;
  const { signal } = controller;
  if (counts.api > 0) {
    await requirePort('PORT', settings.port, host);
  }
  if (settings.metricsPortGiven && counts.api > 0) {
    await requirePort('METRICS_PORT', settings.metricsPort, settings.metricsHost);
  }

  const secrets = loadSecrets(dataDir);
  const missing = { postgres: !settings.databaseUrl, redis: !settings.redisUrl, s3: !settings.s3Endpoint };
  const wanted = new Set((Object.keys(missing) as ServiceName[]).filter((name) => missing[name]));
  const s3Access = {
    bucket: settings.bucket,
    accessKey: options.env.S3_ACCESS_KEY || secrets.s3AccessKey,
    secretKey: options.env.S3_SECRET_KEY || secrets.s3SecretKey,
  };
  const context = {
    dataDir,
    cacheDir: options.cacheDir,
    durable: true,
    supervisor,
    out,
    print,
    signal,
    graceMs: settings.graceMs,
    onLostPort: (error: StackError) => controller.abort(error),
  };
  const services = await startServices(context, wanted, { secrets, s3Access });
  const env = buildAppEnvironment(options.env, settings, services, secrets);
  if (!options.dashboard) {
    env.DASHBOARD = 'false';
  }
  const databaseUrl = env.DATABASE_URL ?? '';
  const commandOptions = { dataDir, databaseUrl, cli: commands.cli, cwd: root, env, signal };
  await migrate({ root, url: databaseUrl, gateway: createGatewayCommand(commandOptions), out, signal });
  const [demo, operator, providers] = await Promise.all([
    settings.demo ? ensureDemoAccount(commandOptions) : null,
    settings.demo ? ensureOperator(commandOptions) : null,
    syncCatalog(commandOptions, { force: options.force, print }),
  ]);

  let state: RunState | undefined;
  let ready = false;
  const apps = await startApps({
    supervisor,
    commands,
    counts,
    env,
    cwd: root,
    metricsPort: settings.metricsPort,
    mayMoveApi: !settings.metricsPortGiven,
    write: (text) => out.write(text),
    onRefusal: (error) => controller.abort(error),
    isReady: () => ready,
    onPid: () => state && onState(state),
  });
  const isServed = counts.api > 0 && !/^(false|0|no|off)$/i.test(env.DASHBOARD ?? '');
  const dashboardUrl = isServed ? `${settings.localUrl}/dashboard` : null;
  state = { settings, env, services, apps, providers, demo, operator, dashboardUrl };
  onState(state);
  await waitUntilReady(apps, options);
  ready = true;
  return state;
}
