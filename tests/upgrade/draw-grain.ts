import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually } from '@image-gateway/testing';
import { callHttp, type HttpAnswer } from '../faults/load/http-client.js';
import { type Address, type Client, generate, readData } from './call-api.js';
import { followTask, type Task } from './follow-task.js';
import type { Release } from './prepare-release.js';
import { callGateway } from './run-release.js';
import type { Site } from './start-site.js';
import { type Sent, toSent } from './start-traffic.js';

/** The promise about a field that workers of the first build do not draw. */
export const FIELD =
  'a field that workers of the first build do not draw is 503 with Retry-After until they are gone, then drawn';

/** The promise about a document that workers of the first build cannot read. */
export const DOCUMENT =
  'a catalog document with it is refused until they are gone, with the names of both, then applied';

/** Reports of workers that have ended count for a minute. */
const GONE = { timeoutMs: 90_000, everyMs: 500 };
const WISH = { prompt: 'sandbox:fixed', grain: 'fine' };

const ask = ({ apiKey }: Client, { url }: Address): Promise<HttpAnswer> => {
  const { path: target, ...call } = generate(WISH, { authorization: `Bearer ${apiKey}` });
  return callHttp({ ...call, url: url + target });
};

const SOURCE = `models:
  grained:
    types: [image_generate]
    price: { 1k: "0.01" }
    routes: [{ provider: sandbox, model: sandbox, cost: { 1k: "0.001" }, accepts: { grain: [fine] } }]
`;

/** Applies a document that names the field, by the command line of a build; returns why that was refused, null if it was not. */
async function apply(site: Site, release: Release): Promise<string | null> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'image-gateway-grain-'));
  try {
    const file = path.join(folder, 'catalog.yaml');
    writeFileSync(file, SOURCE);
    await callGateway(site, release, 'catalog', 'apply', file);
    return null;
  } catch (error) {
    return String(error);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Applies the document while workers of the first build report, and notes another answer than the refusal that names them. */
export async function refuseDocument(site: Site, release: Release, notes: Client['notes']): Promise<void> {
  const said = await apply(site, release);
  if (!/models\.grained\.routes\.0\.accepts\.grain.*generation-worker \(/.test(said ?? '')) {
    notes.add(DOCUMENT, said ?? 'it was applied beside them');
  }
}

/** Applies it until it is accepted, and notes when it never is. */
export async function applyDocument(site: Site, release: Release, notes: Client['notes']): Promise<void> {
  await eventually(async () => {
    const said = await apply(site, release);
    if (said !== null) {
      throw new Error(said);
    }
  }, GONE).catch((error: unknown) => notes.add(DOCUMENT, String(error)));
}

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
    const { id } = readData<Task>(answer);
    return [toSent({ id, wish: WISH, images: 1, ended: await followTask(client, () => address, id) })];
  } catch (error) {
    client.notes.add(FIELD, String(error));
    return [];
  }
}
