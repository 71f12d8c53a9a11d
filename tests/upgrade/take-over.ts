import { eventually } from '@image-gateway/testing';
import { callHttp } from '../faults/load/http-client.js';
import { type Address, ANSWERED, type Client, callApi } from './call-api.js';
import { LATER } from './start-later-traffic.js';
import { type Sent, toSent } from './start-traffic.js';

interface Tasks {
  readonly query: (sql: string, values: string[]) => Promise<{ readonly rows: { readonly id: string }[] }>;
}

const HEADERS = { 'content-type': 'application/json' };
const DELAY_MS = 2_500;

/**
 * Asks the facade at one release with a field that the former one ignores. The connection is broken off once the task is there, and the
 * request is repeated at the other release. Returns the task, which both are about; null after noting a fault.
 */
export async function takeOver(
  client: Client,
  pool: Tasks,
  { from, to }: { readonly from: Address; readonly to: Address },
): Promise<Sent | null> {
  const wish = { prompt: `sandbox:fixed sandbox:delay=${DELAY_MS} from ${from.release} to ${to.release}` };
  const call = { path: '/openai/v1/images/generations', method: 'POST' } as const;
  const body = JSON.stringify({ ...wish, quality: 'high' });
  const broken = new AbortController();
  const first = fetch(from.url + call.path, {
    ...call,
    headers: { ...HEADERS, authorization: `Bearer ${client.apiKey}` },
    body,
    signal: broken.signal,
  }).catch(() => null);
  const find = async () => (await pool.query('SELECT id FROM tasks WHERE prompt = $1', [wish.prompt])).rows;
  const [task] = await eventually(
    async () => {
      const rows = await find();
      if (rows.length === 0) {
        throw new Error(`no task at the ${from.release} API`);
      }
      return rows;
    },
    { timeoutMs: DELAY_MS, everyMs: 20 },
  );
  broken.abort();
  await first;
  const answer = await callApi(
    client,
    to,
    { ...call, headers: { ...HEADERS, 'x-stainless-retry-count': '1' }, body },
    200,
  );
  const rows = await find();
  if (answer === null || task === undefined) {
    return null;
  }
  if (rows.length > 1 || answer.headers['x-gateway-task-id'] !== task.id) {
    client.notes.add(LATER, `a repetition from ${from.release} to ${to.release} was bought again`, task.id);
  }
  return toSent({ id: task.id, wish, by: from.release, images: 1, ended: null });
}

/** Returns true where the API of a release has the facade. */
export async function hasFacade({ url }: Address, { apiKey, notes }: Client): Promise<boolean> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const { status } = await callHttp({ url: `${url}/openai/v1/models`, headers });
  if (![200, 404].includes(status)) {
    notes.add(ANSWERED, `the facade gave ${status}`);
  }
  return status === 200;
}
