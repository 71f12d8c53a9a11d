import { setTimeout as sleep } from 'node:timers/promises';
import { callHttp, type HttpAnswer, type HttpCall } from '../faults/load/http-client.js';
import type { Notes } from './notes.js';
import type { Release } from './prepare-release.js';

/** An API process that clients are sent to. */
export interface Address {
  readonly url: string;
  readonly release: Release['name'];
}

/** Address and key of a client. */
export interface Client {
  readonly apiKey: string;
  readonly notes: Notes;
}

/** The promise under which requests without a proper answer are noted. */
export const ANSWERED = 'every request is answered by either release, none with an error';

/** Builds a request for images. */
export const generate = (wish: object, headers: Readonly<Record<string, string>> = {}) => ({
  path: '/v1/generate',
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ model: 'nanobanana', ...wish }),
});

/** Reads the payload of an answer. */
export const readData = <T>({ body }: HttpAnswer): T => (JSON.parse(body.toString()) as { data: T }).data;

const TIMEOUT_MS = 30_000;
const MAX_SAMPLE = 300;

/**
 * Sends one request and returns the answer, or null after noting a fault. Waits and repeats only where the API asks for it
 * with 503 and Retry-After, as a client may be expected to. A function as the address chooses the API of each attempt, as a load
 * balancer does. The API that sent 503 may have stopped meanwhile.
 */
export async function callApi(
  { apiKey, notes }: Client,
  address: Address | (() => Address),
  { path, headers, ...call }: Omit<HttpCall, 'url'> & { readonly path: string },
  status: number,
): Promise<HttpAnswer | null> {
  const authorized = { authorization: `Bearer ${apiKey}`, ...headers };
  const until = Date.now() + TIMEOUT_MS;
  for (;;) {
    const { url, release } = typeof address === 'function' ? address() : address;
    const what = `${call.method ?? 'GET'} ${path.replace(/gen_\w+/, '{id}')} at the ${release} API`;
    try {
      const answer = await callHttp({ ...call, url: url + path, headers: authorized });
      if (answer.status === status) {
        return answer;
      }
      const retryAfter = answer.status === 503 ? Number(answer.headers['retry-after']) : Number.NaN;
      if (Number.isNaN(retryAfter) || Date.now() > until) {
        notes.add(ANSWERED, `${what} gave ${answer.status}`, answer.body.toString().slice(0, MAX_SAMPLE));
        return null;
      }
      await sleep(retryAfter * 1_000);
    } catch (error) {
      notes.add(ANSWERED, `${what} failed`, String(error));
      return null;
    }
  }
}
