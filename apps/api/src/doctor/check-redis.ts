import { UnusableServiceError } from '@image-gateway/shared/errors';
import { createLogger } from '@image-gateway/shared/logging';
import { createRedis, pingRedis, tryRedisWrite } from '@image-gateway/shared/queues';
import { type CheckResult, fault, fine, warning } from './check-result.js';

const PART = 'Redis';
const CONNECT_MS = 3_000;
const SLOW_MS = 50;

/** Checks that Redis (or Valkey) responds, takes writes, is new enough, evicts no key, and keeps its keys over a restart. */
export async function checkRedis(url: string, prefix: string): Promise<CheckResult[]> {
  const logger = createLogger({ service: 'doctor', level: 'error', write: () => undefined });
  const redis = createRedis({ url, mode: 'fail-fast', name: 'doctor', logger });
  try {
    await new Promise<void>((resolve, reject) => {
      setTimeout(() => reject(new Error(`no response within ${CONNECT_MS / 1000} s`)), CONNECT_MS).unref();
      redis.once('ready', resolve);
      redis.once('error', reject);
    });
    const started = performance.now();
    await pingRedis(redis);
    const pingMs = performance.now() - started;
    const info = parseInfo(await redis.info());
    const writing = await tryRedisWrite(redis, prefix).catch((error: Error) => error);
    return [
      versionResult(info, pingMs),
      ...(writing ? [writeResult(writing)] : []),
      ...memoryResults(info),
      ...durabilityResults(info),
    ];
  } catch (error) {
    if (error instanceof UnusableServiceError) {
      return [fault(PART, 'is in cluster mode', error.publicMessage)];
    }
    return [explainFailure(error)];
  } finally {
    redis.disconnect();
  }
}

/** Says why there is no connection to work with, and what helps. */
function explainFailure(error: unknown): CheckResult {
  const why = error instanceof Error ? error.message : String(error);
  const { code = '' } = error as { readonly code?: string };
  const meanwhile = 'Until then tasks continue with a delay.';
  if (/^(?:WRONGPASS|NOAUTH|ERR AUTH|ERR Client sent AUTH)/.test(why)) {
    return fault(PART, `refuses the log-in (${why})`, `Correct user and password in REDIS_URL. ${meanwhile}`);
  }
  if (/CERT|ALTNAME|^UNABLE_TO_/.test(code) || /certificate/i.test(why)) {
    return fault(
      PART,
      `has a certificate that is not trusted (${why.replace(/;.*$/s, '')})`,
      `Set NODE_EXTRA_CA_CERTS to the file of its authority, in every process. ${meanwhile}`,
    );
  }
  return fault(PART, `does not respond (${why})`, `Start it, or correct REDIS_URL. ${meanwhile}`);
}

function writeResult(error: Error): CheckResult {
  const isUnusable = error instanceof UnusableServiceError;
  return fault(
    PART,
    `takes no writes${isUnusable ? '' : ` (${error.message})`}`,
    isUnusable ? error.publicMessage : 'Let it take writes. Until then tasks continue with a delay.',
  );
}

type Info = ReadonlyMap<string, string>;

function parseInfo(info: string): Info {
  return new Map(
    info.split(/\r?\n/).flatMap((line) => {
      const [, name, value] = /^([a-z_0-9]+):(.*)$/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value] as const];
    }),
  );
}

function versionResult(info: Info, pingMs: number): CheckResult {
  const valkey = info.get('valkey_version');
  const [product, version, least] =
    valkey === undefined ? ['Redis', info.get('redis_version') ?? '0', '6.2'] : ['Valkey', valkey, '7.2'];
  const numbers = (text: string): number[] => text.split('.').map(Number);
  const [major = 0, minor = 0] = numbers(version);
  const [leastMajor = 0, leastMinor = 0] = numbers(least);
  const observed = `${product} ${version}, responds in ${pingMs.toFixed(0)} ms`;
  if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
    return fault(PART, observed, `Use Redis 6.2, Valkey 7.2 or newer.`);
  }
  return pingMs <= SLOW_MS ? fine(PART, observed) : warning(PART, observed, 'Run it closer to the gateway.');
}

function memoryResults(info: Info): CheckResult[] {
  const policy = info.get('maxmemory_policy') ?? 'unknown';
  const results: CheckResult[] = [];
  if (policy !== 'noeviction') {
    results.push(
      fault(
        PART,
        `maxmemory-policy is ${policy}: queue keys are evicted`,
        'Set maxmemory-policy noeviction.',
      ),
    );
  }
  const [used, most] = [Number(info.get('used_memory')), Number(info.get('maxmemory') ?? 0)];
  if (most > 0 && used > 0.7 * most) {
    results.push(
      warning(
        PART,
        `${Math.round((100 * used) / most)} % of maxmemory is used`,
        'Raise maxmemory, or remove other keys.',
      ),
    );
  }
  return results;
}

function durabilityResults(info: Info): CheckResult[] {
  if (info.get('aof_enabled') === '1') {
    return [];
  }
  return [
    warning(
      PART,
      'appendonly is off: a restart clears the queue (no task is lost, queued ones start some seconds later)',
      'Set appendonly yes.',
    ),
  ];
}
