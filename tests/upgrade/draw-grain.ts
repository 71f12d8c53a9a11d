import { eventually } from '@image-gateway/testing';
import { callHttp, type HttpAnswer } from '../faults/load/http-client.js';
import type { Address, Client } from './call-api.js';
import { followTask, type Task } from './follow-task.js';
import type { Sent } from './start-traffic.js';

/** The promise about a field that workers of the first build do not draw. */
export const FIELD =
  'a field that workers of the first build do not draw is 503 with Retry-After until they are gone, then drawn';

/** Reports of workers that have ended count for a minute. */
const GONE = { timeoutMs: 90_000, everyMs: 500 };
const WISH = { prompt: 'sandbox:fixed', grain: 'fine' };

const ask = ({ apiKey }: Client, { url }: Address): Promise<HttpAnswer> =>
  callHttp({
    url: `${url}/v1/generate`,
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'nanobanana', ...WISH }),
  });

/** Asks the next build for the field while workers of the first one report, and notes whatever is no 503. */
export async function askForGrain(client: Client, [address]: readonly Address[]): Promise<void> {
  const answer = address && (await ask(client, address));
  if (answer?.status !== 503 || answer.headers['retry-after'] === undefined) {
    client.notes.add(FIELD, `beside them it gave ${answer?.status}`, answer?.body.toString());
  }
}

/** Asks for it until it is accepted, and returns the task once it has ended; none after noting a fault. */
export async function drawGrain(client: Client, [address]: readonly Address[]): Promise<Sent[]> {
  if (address === undefined) {
    return [];
  }
  try {
    const answer = await eventually(async () => {
      const found = await ask(client, address);
      if (found.status !== 202) {
        throw new Error(`it gave ${found.status}: ${found.body.toString()}`);
      }
      return found;
    }, GONE);
    const { data } = JSON.parse(answer.body.toString()) as { data: Task };
    const ended = await followTask(client, () => address, data.id);
    return [{ wish: WISH, id: data.id, by: 'new', key: null, hook: null, images: 1, answer: '', ended }];
  } catch (error) {
    client.notes.add(FIELD, String(error));
    return [];
  }
}
