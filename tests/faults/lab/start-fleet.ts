import { API_ENV, GENERATION_WORKER_ENV } from '@image-gateway/local-stack';
import { freePort } from '@image-gateway/testing';
import { openWire, type Wire } from './open-wire.js';
import { fastSettings } from './settings.js';
import type { Guard } from './start-guard.js';
import { type LabProcess, startProcess } from './start-process.js';
import type { LogWatch } from './watch-log.js';
import type { WireMode } from './wire-state.js';

/** The services behind the wires. */
export const SERVICES = ['postgres', 'redis', 's3'] as const;

/** One of them. */
export type Service = (typeof SERVICES)[number];

/** The processes of the product under test. */
export const PROCESSES = ['api-1', 'api-2', 'worker-1', 'worker-2', 'webhooks-1'] as const;

/** One of them. */
export type ProcessName = (typeof PROCESSES)[number];

/** The whole product under test: every process, and between each and every service a wire. */
export interface Fleet {
  readonly apiUrls: readonly string[];
  /** Addresses of the metrics of every process. */
  readonly metricsTargets: readonly string[];
  readonly process: (name: ProcessName) => LabProcess;
  readonly all: () => readonly LabProcess[];
  readonly wire: (name: ProcessName, service: Service) => Wire;
  /** Sets the wires to one service, of all processes or of some. */
  readonly setWires: (service: Service, mode: WireMode, names?: readonly ProcessName[]) => void;
  readonly stop: () => Promise<void>;
}

const APPS: Readonly<Record<string, string>> = {
  api: 'api',
  worker: 'generation-worker',
  webhooks: 'webhook-worker',
};

/** Environment that belongs to a program, as its container image sets it. */
const PROGRAM_ENV: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  api: API_ENV,
  'generation-worker': GENERATION_WORKER_ENV,
};

/** Starts two APIs, two generation workers and a webhook worker against these services. */
export async function startFleet(
  deps: { readonly guard: Guard; readonly log: LogWatch },
  services: Readonly<Record<Service, string>>,
  settings: Readonly<Record<string, string>>,
): Promise<Fleet> {
  const ports = new Map<ProcessName, number>();
  const metricsPorts = new Map<ProcessName, number>();
  for (const name of PROCESSES) {
    ports.set(name, await freePort());
    metricsPorts.set(name, await freePort());
  }
  const apiUrls = (['api-1', 'api-2'] as const).map((name) => `http://127.0.0.1:${ports.get(name)}`);
  const wires = new Map<string, Wire>();
  for (const name of PROCESSES) {
    for (const service of SERVICES) {
      wires.set(`${name} ${service}`, await openWire(services[service]));
    }
  }
  const wire = (name: ProcessName, service: Service): Wire => {
    const found = wires.get(`${name} ${service}`);
    if (found === undefined) {
      throw new Error(`there is no wire from ${name} to ${service}`);
    }
    return found;
  };
  const processes = new Map(
    PROCESSES.map((name) => {
      const app = APPS[name.replace(/-\d$/, '')] ?? '';
      const env = {
        ...PROGRAM_ENV[app],
        ...fastSettings,
        BASE_URL: apiUrls[0] ?? '',
        DATABASE_URL: wire(name, 'postgres').url,
        REDIS_URL: wire(name, 'redis').url,
        S3_ENDPOINT: wire(name, 's3').url,
        PORT: String(ports.get(name)),
        METRICS_PORT: String(metricsPorts.get(name)),
        ...settings,
      };
      return [name, startProcess(deps, { name, app, env })] as const;
    }),
  );
  const process = (name: ProcessName): LabProcess => {
    const found = processes.get(name);
    if (found === undefined) {
      throw new Error(`there is no process ${name}`);
    }
    return found;
  };
  return {
    apiUrls,
    metricsTargets: PROCESSES.map((name) => `127.0.0.1:${metricsPorts.get(name)}`),
    process,
    all: () => [...processes.values()],
    wire,
    setWires: (service, mode, names = PROCESSES) => {
      for (const name of names) {
        wire(name, service).set(mode);
      }
    },
    stop: async () => {
      await Promise.all([...processes.values()].map((one) => one.discard()));
      await Promise.all([...wires.values()].map((one) => one.close()));
    },
  };
}
