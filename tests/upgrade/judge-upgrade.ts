import { createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { checkInvariants, eventually } from '@image-gateway/testing';
import { readTold } from '../faults/judge/read-told.js';
import type { ReceivedHook } from '../faults/lab/start-hooks-receiver.js';
import { callHttp } from '../faults/load/http-client.js';
import { ANSWERED } from './call-api.js';
import { DOCUMENT, FIELD } from './draw-grain.js';
import { NOTHING_LOST, type Task } from './follow-task.js';
import { COUNT_GAP } from './next-build.js';
import type { Notes } from './notes.js';
import { CAPPED } from './reach-cap.js';
import { callGateway } from './run-release.js';
import { PAID_IN, PROCESSES_WELL, type Releases, type Upgraded } from './run-upgrade.js';
import { LATER } from './start-later-traffic.js';
import type { Site } from './start-site.js';
import { REPEATED, type Sent } from './start-traffic.js';

const UNCHANGED = 'a finished task stays as clients first saw it';
const MONEY = 'the balance is what was paid in less what was delivered, and nothing stays held';
const HOOKS = 'every webhook arrives once, signed, under one id, and says what GET says';
const IMAGES = 'images of either build are served';
const COUNTED = 'a counter that only the next build knows counts what the first one accepts, by its trigger';
const LIVE = 'the live invariants hold at every look';
const REST = 'all invariants hold at rest';

/** All promises of an upgrade, in the order in which they are shown. */
export const PROMISES = [
  NOTHING_LOST,
  ANSWERED,
  REPEATED,
  UNCHANGED,
  LATER,
  CAPPED,
  FIELD,
  DOCUMENT,
  COUNTED,
  MONEY,
  HOOKS,
  IMAGES,
  LIVE,
  REST,
  PROCESSES_WELL,
];

const UNIT_MICROS = 10_000;
const IMAGES_TO_FETCH = 40;
const REST_MS = 30_000;

/** Notes every way in which the upgrade has broken a promise. */
export async function judgeUpgrade(
  site: Site,
  { new: release }: Releases,
  { customer, traffic, sent, invariants, address }: Upgraded,
  notes: Notes,
): Promise<void> {
  const { replays } = traffic;
  const told: ReadonlyMap<string, Task> = (await readTold(address.url, customer.apiKey)) as Map<string, Task>;
  judgeTasks(sent, told, notes);
  for (const way of ['old to old', 'old to new', 'new to old', 'new to new']) {
    if (replays[way] === undefined) {
      notes.add(REPEATED, `no key went from ${way}: nothing was shown`);
    }
  }

  if (traffic.facadeAnswers() === 0) {
    notes.add(ANSWERED, 'the facade was never asked: nothing was shown');
  }

  const wanted = sent.filter(({ hook }) => hook !== null).length;
  await eventually(
    () => {
      const arrived = new Set(successes(site.receiver.hooks()).map(({ path }) => path)).size;
      if (arrived < wanted) {
        throw new Error(`${arrived} of ${wanted} webhooks have arrived`);
      }
    },
    { timeoutMs: REST_MS, everyMs: 100 },
  ).catch((error: unknown) => notes.add(HOOKS, String(error)));
  await eventually(() => checkInvariants(site.pool, 'rest'), { timeoutMs: REST_MS, everyMs: 500 }).catch(
    (error: unknown) => notes.add(REST, String(error)),
  );
  judgeHooks(site.receiver.hooks(), { sent, told, secret: customer.webhookSecret }, notes);

  const images = sent.reduce((sum, one) => sum + one.images, 0);
  const completed = sent.filter((one) => one.images > 0).length;
  const { balance, held, open_tasks, tasks, usage_records } = await callGateway<Record<string, unknown>>(
    ...[site, release, 'account', 'show', customer.id],
  );
  const paidMicros = Number(PAID_IN) * 1_000_000;
  const expected = {
    balance: dollars(paidMicros - images * UNIT_MICROS),
    held: '$0.00',
    open_tasks: 0,
    tasks: sent.length,
    usage_records: completed,
  };
  const actual = { balance, held, open_tasks, tasks, usage_records };
  if (!isDeepStrictEqual(actual, expected)) {
    notes.add(MONEY, `the account shows ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`);
  }

  const { rows: gaps } = await site.pool.query<{ gap: number }>(COUNT_GAP);
  if (gaps[0]?.gap !== 0) {
    notes.add(COUNTED, `it is wrong by ${gaps[0]?.gap}`);
  }
  await judgeImages(told, address.url, notes);
  for (const broken of invariants.broken()) {
    notes.add(LIVE, broken);
  }
  if (invariants.rounds() === 0) {
    notes.add(LIVE, 'the invariants were never looked at');
  }
}

function judgeTasks(sent: readonly Sent[], told: ReadonlyMap<string, Task>, notes: Notes): void {
  for (const { id, images, wish, ended, isErased } of sent) {
    const task = told.get(id);
    if (isErased === true) {
      if (task !== undefined) {
        notes.add(LATER, 'a deleted task is in the list', id);
      }
      continue;
    }
    const shown = { status: task?.status, cost: task?.cost, images: task?.output?.urls.length ?? 0 };
    const expected = {
      status: images > 0 ? 'completed' : 'failed',
      cost: dollars(images * UNIT_MICROS),
      images,
    };
    if (!isDeepStrictEqual(shown, expected)) {
      notes.add(
        NOTHING_LOST,
        `"${wish.prompt}" is ${JSON.stringify(shown)}, expected ${JSON.stringify(expected)}`,
        JSON.stringify(task ?? id),
      );
    }
    if (ended !== null && !isDeepStrictEqual(ended, task)) {
      notes.add(UNCHANGED, 'a task has changed', `${JSON.stringify(ended)} is now ${JSON.stringify(task)}`);
    }
  }
  const ids = new Set(sent.map(({ id }) => id));
  if (ids.size < sent.length) {
    notes.add(NOTHING_LOST, `${sent.length - ids.size} ids were given twice`);
  }
  for (const [id, task] of told) {
    if (!ids.has(id)) {
      notes.add(NOTHING_LOST, 'a task nobody asked for', JSON.stringify(task));
    }
  }
}

/** The requests that the receiver answered with 200: all but the first one of each path under `flaky`. */
function successes(hooks: readonly ReceivedHook[]): ReceivedHook[] {
  const seen = new Set<string>();
  return hooks.filter(({ path }) => {
    const isFirst = !seen.has(path);
    seen.add(path);
    return !(isFirst && path.startsWith('/flaky/'));
  });
}

function judgeHooks(
  hooks: readonly ReceivedHook[],
  expected: { sent: readonly Sent[]; told: ReadonlyMap<string, Task>; secret: string },
  notes: Notes,
): void {
  const key = Buffer.from(expected.secret.replace(/^whsec_/, ''), 'base64');
  const byPath = Map.groupBy(hooks, ({ path }) => path);
  const good = Map.groupBy(successes(hooks), ({ path }) => path);
  const ids = new Set<string>();
  for (const { id, wish, hook, ended, isErased } of expected.sent) {
    if (hook === null || wish.webhook_url === undefined) {
      continue;
    }
    const { pathname } = new URL(wish.webhook_url);
    const received = byPath.get(pathname) ?? [];
    const times = good.get(pathname)?.length ?? 0;
    if (times !== 1) {
      notes.add(HOOKS, `a webhook to /${hook} succeeded ${times} times`, id);
    }
    const [first] = received;
    if (first !== undefined && ids.has(first.id)) {
      notes.add(HOOKS, 'two tasks have one webhook-id', first.id);
    }
    if (first !== undefined) {
      ids.add(first.id);
    }
    for (const one of received) {
      const signed = createHmac('sha256', key).update(`${one.id}.${one.timestamp}.`).update(one.body);
      if (!one.signatures.includes(`v1,${signed.digest('base64')}`)) {
        notes.add(HOOKS, 'a webhook is not signed', one.id);
      }
      if (one.id !== first?.id) {
        notes.add(HOOKS, 'a webhook was repeated under another id', one.id);
      }
      const { type, data } = JSON.parse(one.body.toString()) as { type: string; data: unknown };
      const task = isErased === true ? (ended ?? undefined) : expected.told.get(id);
      if (type !== `task.${task?.status}` || !isDeepStrictEqual(data, task)) {
        notes.add(HOOKS, 'a webhook and GET differ', `${one.body.toString()} and ${JSON.stringify(task)}`);
      }
    }
  }
  const asked = new Set(expected.sent.map(({ wish }) => new URL(wish.webhook_url ?? 'http://x').pathname));
  for (const path of byPath.keys()) {
    if (!asked.has(path)) {
      notes.add(HOOKS, 'a webhook nobody asked for', path);
    }
  }
}

async function judgeImages(told: ReadonlyMap<string, Task>, url: string, notes: Notes): Promise<void> {
  const all = [...told.values()].flatMap(({ output }) => output?.urls ?? []);
  const every = Math.max(1, Math.ceil(all.length / IMAGES_TO_FETCH));
  for (const image of all.filter((_, index) => index % every === 0)) {
    const { status, headers } = await callHttp({ url: url + new URL(image).pathname });
    if (status !== 200 || !String(headers['content-type']).startsWith('image/')) {
      notes.add(IMAGES, `an image gave ${status}`, image);
    }
  }
  if (all.length === 0) {
    notes.add(IMAGES, 'there are no images: nothing was shown');
  }
}

// From four to six decimals, as the product writes money.
function dollars(micros: number): string {
  return micros === 0 ? '$0.00' : `$${(micros / 1e6).toFixed(6).replace(/0{1,2}$/, '')}`;
}
