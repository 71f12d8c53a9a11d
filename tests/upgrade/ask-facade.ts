import { setTimeout as sleep } from 'node:timers/promises';
import { callHttp } from '../faults/load/http-client.js';
import { type Address, ANSWERED, type Client } from './call-api.js';

/** Answer of the OpenAI-compatible facade with one image. */
export interface FacadeAnswer {
  readonly taskId: string;
  readonly by: Address['release'];
}

/** The first attempt of each request ends before its image is there. */
const FIRST_TIMEOUT_MS = 250;
const PAUSE_MS = 400;
const TIMEOUT_MS = 60_000;

/**
 * Asks the facade of the new release for an image, which the old one does not have. The first attempt is broken off; the request is then
 * repeated, each time at the next API, as the SDKs of OpenAI do. Returns null after noting a fault.
 */
export async function askFacade(
  { apiKey, notes }: Client,
  next: () => Address,
  prompt: string,
): Promise<FacadeAnswer | null> {
  const until = Date.now() + TIMEOUT_MS;
  let last = 'nothing';
  for (let attempt = 0; Date.now() < until; attempt += 1) {
    const { url, release } = next();
    try {
      const { status, headers, body } = await callHttp({
        url: `${url}/openai/v1/images/generations`,
        method: 'POST',
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          'x-stainless-retry-count': String(attempt),
        },
        body: JSON.stringify({ prompt }),
        timeoutMs: attempt === 0 ? FIRST_TIMEOUT_MS : TIMEOUT_MS,
      });
      last = `${status} ${body.toString('latin1', 0, 300)}`;
      if (status === 200) {
        return { taskId: String(headers['x-gateway-task-id']), by: release };
      }
      if (status !== 503) {
        break;
      }
    } catch (error) {
      last = String(error);
    }
    await sleep(PAUSE_MS);
  }
  notes.add(ANSWERED, 'a request to the facade got no image', last);
  return null;
}
