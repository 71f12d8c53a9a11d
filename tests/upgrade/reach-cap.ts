import { eventually } from '@image-gateway/testing';
import { callHttp } from '../faults/load/http-client.js';
import { type Address, type Client, callApi, generate, readData } from './call-api.js';
import { followTask, type Task } from './follow-task.js';
import type { Release } from './prepare-release.js';
import { callGateway } from './run-release.js';
import type { Site } from './start-site.js';
import { type Sent, toSent } from './start-traffic.js';

/** The promise about keys with caps. */
export const CAPPED = 'a cap counts what its key has spent at the previous release, and is kept exactly';

const MORE = 3;
const UNIT_DOLLARS = 0.01;
const FOLLOWS = { timeoutMs: 10_000, everyMs: 100 };

/** Sets the cap of a key to what it has spent and three images more, and submits until it is reached. Returns what was accepted. */
export async function reachCap(
  site: Site,
  release: Release,
  {
    client,
    key,
    spentImages,
    addresses,
  }: {
    /** With the key that gets the cap. */
    readonly client: Client;
    /** Its id. */
    readonly key: string;
    readonly spentImages: number;
    readonly addresses: readonly Address[];
  },
): Promise<Sent[]> {
  const [first] = addresses;
  if (first === undefined) {
    throw new Error('there is no API of the new release');
  }
  const cap = ((spentImages + MORE) * UNIT_DOLLARS).toFixed(4);
  await callGateway(site, release, 'key', 'update', key, '--cap-total', cap);
  const headers = { authorization: `Bearer ${client.apiKey}` };
  for (const { url } of addresses) {
    await eventually(async () => {
      const answer = await callHttp({ url: `${url}/v1/account`, headers });
      const { key: shown } = readData<{ key: { caps?: { total?: { used: string } } } }>(answer);
      const used = shown.caps?.total?.used;
      if (used === undefined || Math.abs(Number(used.slice(1)) - spentImages * UNIT_DOLLARS) > 1e-9) {
        throw new Error(`${spentImages} images of the key were charged, its cap counts ${used ?? 'nothing'}`);
      }
    }, FOLLOWS).catch((error: unknown) => client.notes.add(CAPPED, String(error)));
  }
  const sent: Sent[] = [];
  for (let number = 0; number < MORE; number += 1) {
    const wish = { prompt: 'sandbox:fixed' };
    const answer = await callApi(client, first, generate(wish), 202);
    if (answer !== null) {
      const { id } = readData<Task>(answer);
      sent.push(toSent({ id, wish, images: 1, ended: await followTask(client, () => first, id) }));
    }
  }
  for (const { url } of addresses) {
    const { path, ...call } = generate({ prompt: 'sandbox:fixed' }, headers);
    const { status, body } = await callHttp({ ...call, url: url + path });
    if (status !== 403 || !body.toString().includes('INSUFFICIENT_BALANCE')) {
      client.notes.add(CAPPED, `a request beyond the cap gave ${status}`, body.toString());
    }
  }
  return sent;
}
