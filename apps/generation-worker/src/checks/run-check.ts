import {
  type Catalog,
  locateProvider,
  mergeStoredKeys,
  openStoredKeys,
  readWithStoredKeys,
} from '@image-gateway/shared/catalog/document';
import {
  type ClaimedCheck,
  createCatalogFeed,
  type Database,
  finishCheck,
  listProviderKeys,
} from '@image-gateway/shared/db';
import type { Logger } from '@image-gateway/shared/logging';
import type { ProviderCheckResult } from '@image-gateway/shared/provider/schema';
import { checkProvider, type ProviderPlaces } from '@image-gateway/shared/upstream-checks';
import { openKeys, splitKeys } from '@image-gateway/shared/upstreams';
import type { CheckSettings } from '../env.js';
import { type DrawDeps, drawTrial } from './draw-trial.js';

/** Dependencies of a check. */
export interface CheckDeps extends Pick<DrawDeps, 'validate' | 'signal'> {
  readonly db: Pick<Database, 'run'>;
  readonly settings: CheckSettings;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

const nothing = (note: string): ProviderCheckResult => ({
  keys: [],
  models: null,
  ends: null,
  missing: [],
  image: null,
  note,
});

/** Does a claimed check with the keys and addresses of this process, and writes its outcome. */
export async function runCheck(deps: CheckDeps, check: ClaimedCheck): Promise<void> {
  const { db, logger } = deps;
  const { id, provider, attempt } = check;
  const { costMicros, ...result } = await tryProvider(deps, check).catch((error: unknown) => {
    logger.warn('a check of a provider failed', { provider, error });
    return { ...nothing('The generation worker failed; its log says why.'), costMicros: null };
  });
  await finishCheck(db, { id, attempt, result, costMicros });
  const keys = result.keys.map((key) => key.result);
  logger.info('a provider was checked', { provider, keys, hasImage: result.image?.reason === null });
}

async function tryProvider(
  deps: CheckDeps,
  check: ClaimedCheck,
): Promise<ProviderCheckResult & { readonly costMicros: bigint | null }> {
  const { db, settings } = deps;
  const { provider, draws } = check;
  const places = await readPlaces(db, settings);
  const place = locateProvider(provider, settings, places.catalog);
  if (place === null && !places.catalog.instances.has(provider) && provider !== 'sandbox') {
    return { ...nothing('This worker knows no provider of this name.'), costMicros: null };
  }
  const given = readGivenKeys(settings, check);
  // A key goes nowhere but to the address that it was set for.
  if (check.sealed !== null && (place?.hostPort !== check.hostPort || place.protocol !== check.protocol)) {
    const at = place === null ? 'takes no key' : `is at ${place.hostPort}`;
    return { ...nothing(`For this worker ${provider} ${at}, not at ${check.hostPort}.`), costMicros: null };
  }
  if (check.sealed !== null && given === null) {
    return { ...nothing('This worker cannot decrypt the key: ENCRYPTION_KEY differs.'), costMicros: null };
  }
  const result = await checkProvider(provider, places, given);
  if (!draws) {
    return { ...result, costMicros: null };
  }
  const { costMicros, ...image } = await drawTrial(deps, places, check);
  return { ...result, image, note: null, costMicros };
}

/** Reads catalog and stored keys anew: a check tells what holds now. */
export async function readPlaces<S extends CheckSettings>(
  db: Pick<Database, 'run'>,
  settings: S,
): Promise<ProviderPlaces & { readonly catalog: Catalog; readonly settings: S }> {
  const feed = createCatalogFeed({ db, onChange: () => undefined, onUnreadable: () => undefined });
  try {
    const [{ catalog }, rows] = await Promise.all([feed.load(), listProviderKeys(db)]);
    const { ENCRYPTION_KEY: encryptionKeys } = settings;
    const { keys } = openStoredKeys(rows, { encryptionKeys, settings, catalog });
    return {
      catalog,
      settings: mergeStoredKeys(settings, keys),
      readKeys: readWithStoredKeys(settings.readKeys, keys),
    };
  } finally {
    feed.stop();
  }
}

function readGivenKeys(
  { ENCRYPTION_KEY }: Pick<CheckSettings, 'ENCRYPTION_KEY'>,
  { provider: name, protocol, hostPort, encryptionKeyId, nonce, sealed }: ClaimedCheck,
): readonly string[] | null {
  if (protocol === null || hostPort === null || encryptionKeyId === null || !nonce || !sealed) {
    return null;
  }
  const text = openKeys(ENCRYPTION_KEY, { name, protocol, hostPort }, { encryptionKeyId, nonce, sealed });
  return text === null ? null : splitKeys(text);
}
