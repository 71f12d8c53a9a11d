import { setTimeout as sleep } from 'node:timers/promises';
import {
  ATTACK_KINDS,
  type AttackKind,
  measureTurns,
  startAttack,
  TURN_METER_ARGS,
  type Turns,
} from '@image-gateway/testing';
import { quantile } from '../report/quantile.js';
import type { Bench } from '../stage/bench.js';
import { measureResidentMib, measureWaitedMs } from '../stage/measure-usage.js';
import { showLoopLag } from '../stage/read-loop-lag.js';
import type { SeededAccount } from '../stage/rows/seed-accounts.js';
import { signUpOperator } from '../stage/sign-up.js';
import type { Program } from '../stage/start-program.js';
import { withProduct } from '../stage/with-product.js';

const SECONDS = 10;
const PROBE_EVERY_MS = 250;
const LOOK_MS = 50;
/** Longest time that a probe waits for its answer. */
const MAX_PROBE_MS = 20_000;
/** Time in which uploads of refused requests are removed. */
const REST_MS = 2_000;
/** Heap of a container of 1 GiB. */
const HEAP_MB = 512;
/** The limits of a product without settings; the attacker has addresses of its own. */
const SETTINGS = {
  RATE_LIMIT_KEY: '600/60',
  RATE_LIMIT_IP: '1200/60',
  ALLOW_SIGNUP: 'true',
};

/** Delays of requests in milliseconds, and how many got no good answer. */
interface Probes {
  readonly submit: number[];
  readonly poll: number[];
  lost: number;
}

/**
 * Measures an API process with a small heap, and the submits and polls of a neighbor, while strangers or one key attack it.
 * Each attack (`--only NAME` for one) has a process of its own.
 */
export async function attacks(bench: Bench): Promise<void> {
  for (const kind of ATTACK_KINDS) {
    if (kind === (bench.flag('only') ?? kind)) {
      await measure(bench, kind);
    }
  }
}

function measure(bench: Bench, kind: AttackKind): Promise<void> {
  const small = {
    ...bench,
    nodeArgs: [...bench.nodeArgs, ...TURN_METER_ARGS, `--max-old-space-size=${HEAP_MB}`],
  };
  return withProduct(small, { accounts: 3, settings: SETTINGS }, async ({ pool, accounts, apis }) => {
    const [attacker, poor, neighbor] = accounts;
    const [api] = apis;
    if (!attacker || !poor || !neighbor || !api) {
      throw new Error('three accounts and an API are needed');
    }
    await pool.query('UPDATE api_keys SET cap_total_micros = 1 WHERE id = $1', [poor.apiKeyId]);
    const operator = await signUpOperator(api.url, pool);
    await probe(api, neighbor); // warm-up
    const idle = await probe(api, neighbor);
    const readTurns = measureTurns(api.pid);
    const memory = watchMemory(api);
    const waitedMs = measureWaitedMs(api.pid);
    const { apiKey } = attacker;
    const attack = startAttack({ kind, url: api.url, apiKey, poorKey: poor.apiKey, operator });
    const beside = await probe(api, neighbor);
    const lag = readLag(readTurns);
    const waited = Math.round((measureWaitedMs(api.pid) - waitedMs) / SECONDS);
    const answers = await attack.stop();
    const grown = memory.stop();
    await sleep(REST_MS);
    const { rows } = await pool.query<{ count: number }>('SELECT count(*)::int FROM task_inputs');
    bench.say(`  ${kind}: answered ${JSON.stringify(answers)}`);
    bench.say(
      lag === null
        ? '    the process has ended'
        : `    ${showLoopLag(lag)} (besides ${waited} ms a second without a processor); at most ${grown} MiB more memory; ${rows[0]?.count} uploads kept`,
    );
    for (const what of ['submit', 'poll'] as const) {
      bench.say(
        `    ${what}s of the neighbor, p50 / p99 / worst: idle ${describe(idle[what])}, beside it ${describe(beside[what])}, ${beside.lost} lost`,
      );
    }
  });
}

/** Submits a task and polls it, over and over, for the length of an attack. */
async function probe({ url }: Program, { apiKey }: SeededAccount): Promise<Probes> {
  const probes: Probes = { submit: [], poll: [], lost: 0 };
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'nanobanana', prompt: 'sandbox:fixed' });
  const ask = async (what: 'submit' | 'poll', path: string, init: RequestInit): Promise<string> => {
    const begun = performance.now();
    try {
      const signal = AbortSignal.timeout(MAX_PROBE_MS);
      const response = await fetch(url + path, { ...init, headers, signal });
      const { data } = (await response.json()) as { readonly data?: { readonly id: string } | null };
      probes.lost += response.ok ? 0 : 1;
      return data?.id ?? '';
    } catch {
      probes.lost += 1;
      return '';
    } finally {
      probes[what].push(performance.now() - begun);
    }
  };
  const until = performance.now() + SECONDS * 1_000;
  while (performance.now() < until) {
    const id = await ask('submit', '/v1/generate', { method: 'POST', body });
    await ask('poll', `/v1/tasks/${id}`, {});
    // A key may ask ten times a second.
    await sleep(PROBE_EVERY_MS);
  }
  return probes;
}

/** Watches the resident memory of a process; `stop` tells by how many MiB it has grown at most. */
function watchMemory({ pid }: Program): { readonly stop: () => number } {
  const before = measureResidentMib(pid);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, measureResidentMib(pid));
  }, LOOK_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return Math.round(most - before);
    },
  };
}

/** Reads how late the event loop was; null where the process has ended. */
function readLag(read: () => Turns): Turns | null {
  try {
    return read();
  } catch {
    return null;
  }
}

function describe(ms: readonly number[]): string {
  return `${[0.5, 0.99, 1].map((share) => Math.round(quantile(ms, share))).join(' / ')} ms`;
}
