import type { Database } from '../create-database.js';
import type { ProviderKey as ProviderKeyModel } from '../generated/client.js';
import type { Statement } from '../statement.js';

/** Stored keys of a provider, encrypted. */
export type StoredKeys = Readonly<
  Pick<
    ProviderKeyModel,
    'name' | 'protocol' | 'hostPort' | 'encryptionKeyId' | 'lastFour' | 'tested' | 'createdBy' | 'createdAt'
  >
> & { readonly nonce: Buffer; readonly sealed: Buffer };

const LIST_PROVIDER_KEYS: Statement = {
  name: 'list-provider-keys',
  text: `
SELECT name, protocol, host_port AS "hostPort", encryption_key_id AS "encryptionKeyId", nonce, sealed, last_four AS "lastFour", tested,
       created_by AS "createdBy", created_at AS "createdAt" FROM provider_keys ORDER BY name`,
};

/** Lists the stored keys of all providers, still encrypted. */
export async function listProviderKeys(db: Pick<Database, 'run'>): Promise<StoredKeys[]> {
  return db.run<StoredKeys>(LIST_PROVIDER_KEYS, []);
}

const RESEAL_PROVIDER_KEYS: Statement = {
  name: 'reseal-provider-keys',
  text: `
UPDATE provider_keys SET encryption_key_id = $3, nonce = $4::bytea, sealed = $5::bytea WHERE name = $1 AND nonce = $2::bytea`,
};

/** Replaces the encryption of keys that are still the same. */
export async function resealProviderKeys(
  db: Pick<Database, 'run'>,
  { name, nonce }: Pick<StoredKeys, 'name' | 'nonce'>,
  fresh: Pick<StoredKeys, 'encryptionKeyId' | 'nonce' | 'sealed'>,
): Promise<void> {
  await db.run(RESEAL_PROVIDER_KEYS, [name, nonce, fresh.encryptionKeyId, fresh.nonce, fresh.sealed]);
}
