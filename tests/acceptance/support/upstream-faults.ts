import { expect } from '@jest/globals';
import { query } from './product/database.js';
import type { Product } from './product/product.js';
import type { UpstreamCall } from './servers/stub-upstreams.js';

const OF_ANSWERS = [
  'overload',
  'server-error',
  'timeout',
  'no-image',
  'broken-image',
  'bomb',
  'html',
  'empty',
];
const OF_KEYS = ['auth', 'quota', 'billing', 'model-gone', 'geo', 'moderation', 'invalid-input'];
const OF_THE_LINE = ['down', 'lost-answer', 'truncated', 'invalid-base64', 'slow'];
/** Gives each of these modes a share of the calls. */
export const share = (modes: readonly string[], percent: number) => modes.map((mode) => ({ mode, percent }));
/** Makes one call in five go wrong, in every way that there is. */
export const everyFault = [
  ...share(OF_ANSWERS, 1.25),
  ...share(OF_KEYS, 0.6),
  ...share(OF_THE_LINE, 0.8),
  { mode: 'rate-limit', percent: 2, retryAfterS: 1 },
];
/** Modes of `everyFault` that are answered at once: a task needs no deadline to get over them. */
export const quickFaults = everyFault.filter(({ mode }) => !['timeout', 'slow', 'bomb'].includes(mode));

/** Task as the database has it. */
export interface Row {
  id: string;
  status: string;
  error: string | null;
  prompt: string;
  stored: number;
  asked: number;
}

/** Reads the tasks of an account. */
export function readRows(product: Product, accountId: string): Promise<Row[]> {
  const sql = `SELECT id, status, error, prompt, stored_count AS stored, num_outputs AS asked FROM tasks WHERE account_id = $1`;
  return query<Row & Record<string, unknown>>(product, sql, [accountId]);
}

/** Throws while a task of the account is pending. */
export async function everyTaskHasEnded(product: Product, accountId: string): Promise<void> {
  const open = (await readRows(product, accountId)).filter(({ status }) => status === 'pending');
  if (open.length > 0) {
    throw new Error(`${open.length} tasks are pending, such as ${open[0]?.id}`);
  }
}

/** Throws while a call of the account has no outcome. */
export async function everyCallIsConcluded(product: Product, accountId: string): Promise<void> {
  const sql = `SELECT c.id, c.state FROM provider_calls c JOIN tasks t ON t.id = c.task_id
    WHERE t.account_id = $1 AND c.state IN ('started', 'submitted')`;
  expect(await query(product, sql, [accountId])).toEqual([]);
}

/** Images billed upstream equal the stored ones plus those recorded as drawn for nothing; each submission has its row. */
export async function expectPaidImagesToBeKnown(
  product: Product,
  { id, prompt, stored }: Row,
  calls: readonly UpstreamCall[],
): Promise<void> {
  const own = calls.filter((call) => call.kind === 'submit' && call.prompt === prompt);
  const sql = 'SELECT provider, state, images_asked::int AS asked FROM provider_calls WHERE task_id = $1';
  const written = await query<{ provider: string; state: string; asked: number }>(product, sql, [id]);
  const forNothing = written.filter(({ state }) => ['unknown', 'unusable', 'cut', 'short'].includes(state));
  const lost = forNothing.reduce((sum, { asked }) => sum + asked, 0);
  const billed = own.reduce((sum, call) => sum + call.billed, 0);
  const story = JSON.stringify({ id, stored, own, written });
  if (billed < stored || billed > stored + lost) {
    throw new Error(`${billed} images were billed: ${story}`);
  }
  for (const provider of ['gemini', 'fal']) {
    const submitted = own.filter((call) => call.provider === provider).length;
    const rows = written.filter((row) => row.provider === provider).length;
    if (submitted > rows) {
      throw new Error(`${submitted} submissions to ${provider} have ${rows} rows: ${story}`);
    }
  }
  const jobs = written.filter(({ provider, state }) => provider === 'fal' && state === 'unknown');
  if (jobs.length > 4) {
    throw new Error(`an unknown outcome was repeated: ${story}`);
  }
}

/** Expects no image asked for more often than promised. */
export async function expectCeilings(product: Product, accountId: string): Promise<void> {
  const sql = `SELECT c.task_id, slot, c.provider, count(*)::int AS calls
     FROM provider_calls c JOIN tasks t ON t.id = c.task_id, unnest(c.slots) slot
    WHERE t.account_id = $1 AND c.state <> 'rate_limited' GROUP BY 1, 2, 3 HAVING count(*) > 3`;
  expect(await query(product, sql, [accountId])).toEqual([]);
  const unknown = `SELECT c.task_id, slot FROM provider_calls c JOIN tasks t ON t.id = c.task_id, unnest(c.slots) slot
    WHERE t.account_id = $1 AND c.state = 'unknown' GROUP BY 1, 2 HAVING count(*) > 1`;
  expect(await query(product, unknown, [accountId])).toEqual([]);
}
