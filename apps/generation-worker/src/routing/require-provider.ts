import { setTimeout as sleep } from 'node:timers/promises';
import { listProvidersInUse } from '@image-gateway/shared/catalog/document';
import { ConfigError } from '@image-gateway/shared/config';
import { createCatalogFeed, type Database } from '@image-gateway/shared/db';
import type { Settings } from '../env.js';

const PAUSE_MS = 1_000;

/**
 * Resolves when at least one provider is configured. Reads the catalog where the environment configures none, and waits for
 * the database then. Throws ConfigError when the catalog has no instance either.
 */
export async function requireProvider(
  db: Pick<Database, 'run'>,
  { chosen, readKeys, ENCRYPTION_KEY }: Pick<Settings, 'chosen' | 'readKeys' | 'ENCRYPTION_KEY'>,
): Promise<void> {
  // With ENCRYPTION_KEY a worker waits for the key of a provider.
  if (chosen.builtIn.length > 0 || ENCRYPTION_KEY.length > 0) {
    return;
  }
  const feed = createCatalogFeed({ db, onChange: () => undefined, onUnreadable: () => undefined });
  try {
    for (;;) {
      const active = await feed.load().catch(() => null);
      if (active === null) {
        await sleep(PAUSE_MS);
        continue;
      }
      if (listProvidersInUse(active.catalog, chosen, readKeys).names.length === 0) {
        throw new ConfigError([
          'PROVIDERS is required: no provider has a key or an address here, and none is named (sandbox needs no key)',
        ]);
      }
      return;
    }
  } finally {
    feed.stop();
  }
}
