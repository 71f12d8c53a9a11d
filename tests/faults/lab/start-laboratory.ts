import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type StubUpstreams, startStubUpstreams } from '@image-gateway/stub-upstreams';
import { eventually, type Receiver, startReceiver } from '@image-gateway/testing';
import { type AlertWatch, watchAlerts } from './alerts/watch-alerts.js';
import { openWire, type Wire } from './open-wire.js';
import { type Fleet, startFleet } from './start-fleet.js';
import { startGuard } from './start-guard.js';
import { type HooksReceiver, startHooksReceiver } from './start-hooks-receiver.js';
import { type LabServices, startServices } from './start-services.js';
import { type StoreLiar, startStoreLiar } from './start-store-liar.js';
import { type InvariantWatch, watchInvariants } from './watch-invariants.js';
import { type LogWatch, watchLog } from './watch-log.js';

/** Everything that a fault can be put into, and everything that notices. */
export interface Laboratory {
  readonly services: LabServices;
  readonly liar: StoreLiar;
  readonly upstreams: StubUpstreams;
  /** Between the workers and the upstream providers. */
  readonly upstreamWire: Wire;
  readonly receiver: HooksReceiver;
  /** Web server that answers a path with the image of that name; one whose name begins with `slow` comes late. */
  readonly imageHost: Receiver;
  readonly images: Map<string, Buffer>;
  readonly fleet: Fleet;
  readonly invariants: InvariantWatch;
  readonly log: LogWatch;
  readonly alerts: AlertWatch;
  /** All that the processes have written. */
  readonly readLog: () => string;
  /** Settings that make generation workers use the stub upstreams. */
  readonly upstreamSettings: Readonly<Record<string, string>>;
  /** Says what is going on, for what the watchers find. */
  readonly now: (what: string) => void;
  readonly stop: () => Promise<void>;
}

/** How long a process may block its own event loop when it is told to, in milliseconds. */
export const BLOCK_MS = 5_000;
/** How late the image host sends an image whose name begins with `slow`, in milliseconds. */
const SLOW_IMAGE_MS = 3_000;

/** Starts services, wires, stubs and the product, and waits until both APIs are ready. */
export async function startLaboratory(
  signal: AbortSignal,
  settings: Readonly<Record<string, string>> = {},
  startOwn: (signal: AbortSignal) => Promise<LabServices> = startServices,
): Promise<Laboratory> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'image-gateway-faults-'));
  const logFile = path.join(folder, 'product.log');
  const closing: (() => unknown)[] = [
    () => {
      if (process.env.FAULTS_KEEP === undefined) {
        rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
      } else {
        process.stderr.write(`The log is kept in ${logFile}\n`);
      }
    },
  ];
  const keep = <T>(thing: T, close: (thing: T) => unknown): T => {
    closing.unshift(() => close(thing));
    return thing;
  };
  const stop = async (): Promise<void> => {
    for (const close of closing.splice(0)) {
      await close();
    }
  };
  let what = 'start';
  try {
    const services = keep(await startOwn(signal), (one) => one.stop());
    const guard = keep(startGuard(), (one) => one.close());
    const log = keep(watchLog(logFile), (one) => one.close());
    const liar = keep(await startStoreLiar(services.s3), (one) => one.close());
    const upstreams = keep(await startStubUpstreams(), (one) => one.close());
    const upstreamWire = keep(await openWire(upstreams.url), (one) => one.close());
    const receiver = keep(await startHooksReceiver(), (one) => one.close());
    const images = new Map<string, Buffer>();
    const imageHost = keep(
      await startReceiver((response, { path: target }) => {
        const [name = ''] = target.split('?');
        setTimeout(() => response.end(images.get(name)), name.startsWith('/slow') ? SLOW_IMAGE_MS : 0);
      }),
      (one) => one.close(),
    );
    const fleet = keep(
      await startFleet(
        { guard, log },
        { postgres: services.database.url, redis: services.redisUrl, s3: liar.url },
        {
          S3_ACCESS_KEY: services.s3.accessKey,
          S3_SECRET_KEY: services.s3.secretKey,
          AUTH_SECRET: 'a-secret-of-the-laboratory-that-is-long-enough',
          OUTBOUND_ALLOW: `${receiver.hostPorts},${imageHost.hostPort}`,
          FAULTS_BLOCK_MS: String(BLOCK_MS),
          ...settings,
        },
      ),
      (one) => one.stop(),
    );
    const alerts = keep(watchAlerts(guard, fleet.metricsTargets), (one) => one.end());
    const invariants = keep(
      watchInvariants(services.database, () => what),
      (one) => one.stop(),
    );
    await untilReady(fleet, signal);
    const [firstKey = '', secondKey = ''] = upstreams.keys.openai;
    const [relayKey = '', chainKey = ''] = upstreams.keys.task;
    const environment = {
      ...upstreams.environment,
      GPU_1_KEYS: firstKey,
      GPU_2_KEYS: secondKey,
      RELAY_KEYS: relayKey,
      CHAIN_KEYS: chainKey,
    };
    const upstreamSettings = Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [
        name,
        value.replace(upstreams.url, upstreamWire.url),
      ]),
    );
    return {
      services,
      liar,
      upstreams,
      upstreamWire,
      receiver,
      imageHost,
      images,
      fleet,
      invariants,
      log,
      alerts,
      upstreamSettings,
      readLog: () => readFileSync(logFile, 'utf8'),
      now: (next) => {
        what = next;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Waits until every API says that it is ready. */
export async function untilReady(fleet: Fleet, signal?: AbortSignal): Promise<void> {
  for (const url of fleet.apiUrls) {
    await eventually(
      async () => {
        if (signal?.aborted) {
          return;
        }
        const { status } = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) });
        if (status !== 200) {
          throw new Error(`${url} answers ${status}`);
        }
      },
      { timeoutMs: 40_000, everyMs: 50 },
    );
  }
}
