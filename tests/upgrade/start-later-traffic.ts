import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@image-gateway/testing';
import { callHttp } from '../faults/load/http-client.js';
import { type Address, ANSWERED, type Client, callApi, generate, readData } from './call-api.js';
import { followTask, NOTHING_LOST, type Task } from './follow-task.js';
import { type Sent, toSent } from './start-traffic.js';

/** The promise under which faults of requests that the previous release did not know are noted. */
export const LATER =
  'cancellations, deletions and requests of the facade work as soon as an API of the new release is there';

const EVERY_MS = 250;
const FOLLOWS = { timeoutMs: 6_000, everyMs: 200 };
const JSON_TYPE = { 'content-type': 'application/json' };

/** Begins to send them to APIs of the new release: a cancellation, a deletion, and both requests of the facade in turn. */
export function startLaterTraffic(
  client: Client,
  addresses: readonly Address[],
  { hookUrl, dataUrl }: { readonly hookUrl: (way: string, rest: string) => string; readonly dataUrl: string },
) {
  const sent: Sent[] = [];
  const running = new Set<Promise<void>>();
  let stopped = false;
  let turn = 0;
  const next = (): Address => {
    turn += 1;
    const address = addresses[turn % addresses.length];
    if (address === undefined) {
      throw new Error('there is no API of the new release');
    }
    return address;
  };
  const note = (one: Parameters<typeof toSent>[0]): void => void sent.push(toSent(one));
  const submit = async (wish: Sent['wish']): Promise<string | null> => {
    const answer = await callApi(client, next(), generate(wish), 202);
    return answer && readData<Task>(answer).id;
  };

  const cancel = async (): Promise<void> => {
    const wish = { prompt: 'sandbox:fixed sandbox:delay=1500' };
    const id = await submit(wish);
    if (id === null) {
      return;
    }
    await callApi(
      client,
      next(),
      { path: `/v1/tasks/${id}/cancel`, method: 'POST', headers: JSON_TYPE },
      200,
    );
    const ended = await followTask(client, next, id);
    // A call that is open delivers its image, which is charged.
    const images = ended?.output?.urls.length ?? 0;
    note({ id, wish, images, ended });
    if (ended !== null && images === 0 && !JSON.stringify(ended).includes('canceled')) {
      client.notes.add(NOTHING_LOST, 'a canceled task failed for another reason', JSON.stringify(ended));
    }
  };
  const erase = async (number: number): Promise<void> => {
    const wish = { prompt: 'sandbox:fixed', webhook_url: hookUrl('ok', `erased-${number}`) };
    const id = await submit(wish);
    if (id === null) {
      return;
    }
    const ended = await followTask(client, next, id);
    note({ id, wish, images: 1, hook: 'ok', ended, isErased: true });
    await callApi(client, next(), { path: `/v1/tasks/${id}`, method: 'DELETE' }, 204);
    // All processes follow within five seconds.
    await eventually(async () => {
      const { url } = next();
      const { status } = await callHttp({
        url: `${url}/v1/tasks/${id}`,
        headers: { authorization: `Bearer ${client.apiKey}` },
      });
      if (status !== 404) {
        throw new Error(`a deleted task still answers with ${status}`);
      }
    }, FOLLOWS).catch((error: unknown) => client.notes.add(LATER, String(error), id));
  };
  const facade = async (path: string, fields: object, images: number): Promise<void> => {
    const wish = { prompt: 'sandbox:fixed' };
    const answer = await callApi(client, next(), { ...generate({ ...wish, ...fields }), path }, 200);
    if (answer === null) {
      return;
    }
    const id = String(answer.headers['x-gateway-task-id']);
    const data = readData<readonly unknown[]>(answer);
    if (data.length !== images) {
      client.notes.add(LATER, `${path} gave ${data.length} of ${images} images`);
    }
    note({ id, wish, images, ended: await followTask(client, next, id) });
  };
  const WAYS = [
    cancel,
    erase,
    () => facade('/openai/v1/images/generations', { n: 2, response_format: 'url' }, 2),
    () => facade('/openai/v1/images/edits', { images: [{ image_url: dataUrl }] }, 1),
  ];

  const send = async (): Promise<void> => {
    for (let number = 0; !stopped; number += 1) {
      const done = (WAYS[number % WAYS.length] ?? cancel)(number)
        .catch((error: unknown) => client.notes.add(ANSWERED, 'a client failed', String(error)))
        .finally(() => running.delete(done));
      running.add(done);
      await sleep(EVERY_MS);
    }
  };
  const sending = send();
  return {
    sent,
    /** Sends nothing new, and resolves when every accepted task has ended or was noted as lost. */
    stop: async () => {
      stopped = true;
      await sending;
      await Promise.all(running);
      if (sent.length < WAYS.length) {
        client.notes.add(LATER, `only ${sent.length} such requests were answered: nothing was shown`);
      }
    },
  };
}
