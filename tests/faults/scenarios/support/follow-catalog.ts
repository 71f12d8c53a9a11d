import { applyCatalog, eventually } from '@image-gateway/testing';
import type { Scene } from '../scenario.js';

const MODEL = '"nanobanana"';
const VERSION = /^gateway_catalog_version\b.* (\d+)$/m;
/** Version of a process that has no catalog. */
const NONE = 0;
const FOLLOWS_MS = 60_000;

const read = async (url: string, headers: Readonly<Record<string, string>> = {}): Promise<string> =>
  (await fetch(url, { headers })).text();

/**
 * Makes a document that sells `nanobanana` the catalog. Waits until every process has read it, and both APIs know of workers that have its
 * providers. A busy machine takes longer than the 5 s that are promised.
 */
export async function followCatalog({ lab, customer }: Scene, document: string): Promise<void> {
  const version = await applyCatalog(lab.services.database, document);
  const lookAtVersion = async (target: string): Promise<void> => {
    const used = Number(VERSION.exec(await read(`http://${target}/metrics`))?.[1] ?? NONE);
    if (used !== NONE && used < version) {
      throw new Error(`${target} uses version ${used} of the catalog, not yet ${version}`);
    }
  };
  const lookAtModels = async (url: string): Promise<void> => {
    const models = await read(`${url}/v1/models`, { authorization: `Bearer ${customer.apiKey}` });
    if (!models.includes(MODEL)) {
      throw new Error(`${url} does not offer ${MODEL} yet: ${models}`);
    }
  };
  const times = { timeoutMs: FOLLOWS_MS, everyMs: 100 };
  await Promise.all(lab.fleet.metricsTargets.map((target) => eventually(() => lookAtVersion(target), times)));
  await Promise.all(lab.fleet.apiUrls.map((url) => eventually(() => lookAtModels(url), times)));
}
