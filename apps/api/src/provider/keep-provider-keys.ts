import {
  type Catalog,
  type KeySource,
  locateProvider,
  type ProviderPlace,
} from '@image-gateway/shared/catalog/document';
import type { Database } from '@image-gateway/shared/db';
import { loadActiveCatalog } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { describeKeyCheck, explainUntested } from '@image-gateway/shared/presenters';
import { type KeyPlace, splitKeys, type UpstreamSettings } from '@image-gateway/shared/upstreams';
import { addProviderCheck, awaitCheck } from './add-provider-check.js';
import { listLiveWorkers } from './list-live-workers.js';
import { refuseFaultyKeys, setProviderKeys } from './provider-keys.js';

/** Dependencies of keeping keys that a generation worker has tried. */
export interface KeepKeysDeps {
  readonly db: Pick<Database, 'run'>;
  /** ENCRYPTION_KEY. */
  readonly encryptionKeys: readonly Buffer[];
  /** Addresses of providers, where no worker reports them. */
  readonly upstreams: UpstreamSettings;
  /** Longest wait for the outcome of the trial; 28 s unless given. */
  readonly waitMs?: number;
}

/** Result of a trial of keys that are kept. */
export interface KeptKeys {
  readonly tested: boolean;
  /** Why they are not proven good; null where they are. */
  readonly reason: string | null;
}

const WAIT_MS = 28_000;

/**
 * Has a generation worker try keys of a provider, and stores them unless the provider refuses them. Throws AppError `NOT_FOUND` and
 * `VALIDATION_ERROR`; the keys are nowhere then.
 */
export async function keepProviderKeys(
  { db, encryptionKeys, upstreams, waitMs = WAIT_MS }: KeepKeysDeps,
  { name, text: given, actor }: { readonly name: string; readonly text: string; readonly actor: string },
): Promise<KeptKeys> {
  const keys = splitKeys(given);
  const text = keys.join();
  const [{ catalog }, workers] = await Promise.all([loadActiveCatalog(db), listLiveWorkers(db)]);
  const place = findPlace(name, { catalog, upstreams, sources: workers.map(({ report }) => report.keys) });
  if (text === '' || encryptionKeys.length === 0) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage:
        text === ''
          ? 'Enter a key.'
          : 'ENCRYPTION_KEY is not set for the API, so that no key can be stored. Set the same one as for the generation workers.',
    });
  }
  refuseFaultyKeys(place, keys);
  const canTry = workers.some(({ report }) => report.keys !== undefined);
  const reason = canTry
    ? await tryKeys(db, { place, encryptionKeys, text, actor, waitMs })
    : 'no generation worker runs that could try it';
  await setProviderKeys(db, encryptionKeys, { place, text, tested: reason === null, actor });
  return { tested: reason === null, reason };
}

async function tryKeys(
  db: Pick<Database, 'run'>,
  {
    place,
    waitMs,
    ...keys
  }: {
    readonly place: KeyPlace;
    readonly encryptionKeys: readonly Buffer[];
    readonly text: string;
    readonly actor: string;
    readonly waitMs: number;
  },
): Promise<string | null> {
  const id = await addProviderCheck(db, {
    provider: place.name,
    keys: { place, encryptionKeys: keys.encryptionKeys, text: keys.text },
    actor: keys.actor,
  });
  const result = await awaitCheck(db, { id, timeoutMs: waitMs });
  const refused = result.keys.find((key) => key.result === 'refused');
  if (refused) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: `${place.name} refuses the key (${describeKeyCheck(refused)}). Nothing is stored.`,
    });
  }
  return explainUntested(result);
}

/** Finds where a provider is called: by the word of the workers, which call it, else by this environment. */
export function findPlace(
  name: string,
  {
    catalog,
    upstreams,
    sources,
  }: {
    readonly catalog: Catalog;
    readonly upstreams: UpstreamSettings;
    readonly sources: readonly (Readonly<Record<string, KeySource>> | undefined)[];
  },
): ProviderPlace {
  const place = locateProvider(name, upstreams, catalog);
  if (place === null) {
    throw new AppError('NOT_FOUND', { publicMessage: `There is no provider ${name} that takes keys.` });
  }
  const hostPort = sources.map((source) => source?.[name]?.address).find((one) => one !== undefined);
  return { ...place, hostPort: hostPort ?? place.hostPort };
}
