import { type Catalog, type OpenedKeys, openStoredKeys } from '@image-gateway/shared/catalog/document';
import { createFollower, type Follower } from '@image-gateway/shared/concurrency';
import {
  type Database,
  deleteEndingKeys,
  type EndingKeys,
  listEndingKeys,
  listProviderKeys,
  resealProviderKeys,
  type StoredKeys,
} from '@image-gateway/shared/db';
import { repeat } from '@image-gateway/shared/lifecycle';
import type { Logger } from '@image-gateway/shared/logging';
import { getEncryptionKeyId, openKeys, sealKeys } from '@image-gateway/shared/upstreams';
import type { Settings } from '../env.js';

/** Keys of providers in the database, followed within seconds. */
export interface StoredKeysFollower extends Pick<Follower, 'follow'> {
  /** Decrypts the keys under a catalog; resolves with true when they have changed. Waits for the first read of them. */
  readonly open: (catalog: Pick<Catalog, 'instances'>) => Promise<boolean>;
  /** Begins to read; `onRead` runs after each read. */
  readonly start: (onRead: () => Promise<void>) => void;
}

/** Parts of the follower. */
export interface StoredKeysParts {
  readonly settings: Settings;
  readonly db: Pick<Database, 'run'>;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

const POLL_MS = 1_000;

/**
 * Creates the follower; without ENCRYPTION_KEY it reads nothing. `onChange` gets the decrypted keys whenever they are others,
 * with those that are kept for running jobs.
 */
export function followStoredKeys(
  { settings, db, logger, signal }: StoredKeysParts,
  onChange: (keys: OpenedKeys['keys'], ending: OpenedKeys['keys']) => void,
): StoredKeysFollower {
  const { ENCRYPTION_KEY: encryptionKeys } = settings;
  const first = Promise.withResolvers<void>();
  let rows: readonly StoredKeys[] = [];
  let ending: readonly EndingKeys[] = [];
  let known = '[[],[]]';
  let told = '[]';
  let onRead = async (): Promise<void> => undefined;
  const follower = createFollower({
    read: async () => {
      [rows, ending] = await Promise.all([listProviderKeys(db), listEndingKeys(db)]);
      first.resolve();
      await onRead();
    },
    onStale: (error) => logger.warn('the stored keys of providers could not be read in time', { error }),
  });

  const renew = async (kind: 'stored' | 'ending', row: StoredKeys | EndingKeys): Promise<void> => {
    const [key] = encryptionKeys;
    const text =
      key && getEncryptionKeyId(key) !== row.encryptionKeyId ? openKeys(encryptionKeys, row, row) : null;
    if (text !== null) {
      await resealProviderKeys(db, kind, row, sealKeys(encryptionKeys, row, text));
      logger.info('the stored key of a provider is encrypted with the first ENCRYPTION_KEY now', {
        name: row.name,
        kind,
      });
    }
  };
  return {
    follow: async () => (encryptionKeys.length === 0 ? undefined : follower.follow()),
    open: async (catalog) => {
      await first.promise;
      const { keys, unused } = openStoredKeys(rows, { encryptionKeys, settings, catalog });
      if (JSON.stringify(unused) !== told) {
        told = JSON.stringify(unused);
        if (unused.length > 0) {
          logger.error('stored keys of providers are not used', { unused });
        }
      }
      const former = new Map<string, readonly string[]>();
      for (const row of ending) {
        const opened = openStoredKeys([row], { encryptionKeys, settings, catalog }).keys.get(row.name) ?? [];
        former.set(row.name, [...(former.get(row.name) ?? []), ...opened]);
      }
      const found = JSON.stringify([[...keys], [...former]]);
      if (found === known) {
        return false;
      }
      known = found;
      onChange(keys, former);
      return true;
    },
    start: (callback) => {
      onRead = callback;
      if (encryptionKeys.length === 0) {
        first.resolve();
        return;
      }
      const read = async (): Promise<void> => {
        await follower.read();
        await Promise.all([
          ...rows.map((row) => renew('stored', row)),
          ...ending.map((row) => renew('ending', row)),
        ]);
        if (ending.length > 0) {
          await deleteEndingKeys(db);
        }
      };
      void repeat(read, {
        everyMs: POLL_MS,
        signal,
        onError: (error) => logger.warn('the stored keys of providers cannot be read', { error }),
      });
    },
  };
}
