import type { Database } from '../create-database.js';
import type { EndingProviderKey, ProviderKey as ProviderKeyModel } from '../generated/client.js';
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

/** Keys that were replaced or removed, encrypted, for the jobs that they submitted. */
export type EndingKeys = Readonly<
  Pick<EndingProviderKey, 'name' | 'protocol' | 'hostPort' | 'encryptionKeyId' | 'lastFour' | 'endedAt'>
> & { readonly nonce: Buffer; readonly sealed: Buffer };

const COLUMNS = `e.name, e.protocol, e.host_port AS "hostPort", e.encryption_key_id AS "encryptionKeyId", e.nonce, e.sealed,
       e.last_four AS "lastFour", e.ended_at AS "endedAt"`;
const LIST_ENDING_KEYS: Statement = {
  name: 'list-ending-keys',
  text: `SELECT ${COLUMNS} FROM ending_provider_keys e ORDER BY e.name, e.ended_at`,
};

/** Lists the keys that are kept for their jobs alone. */
export async function listEndingKeys(db: Pick<Database, 'run'>): Promise<EndingKeys[]> {
  return db.run<EndingKeys>(LIST_ENDING_KEYS, []);
}

// Until workers have read that a key was replaced, they submit with it.
const DELETE_ENDED_KEYS: Statement = {
  name: 'delete-ending-keys',
  text: `
DELETE FROM ending_provider_keys e
 WHERE e.ended_at < now() - interval '10 seconds'
   AND NOT EXISTS (SELECT FROM provider_calls c
                    WHERE c.provider = e.name AND c.state IN ('started', 'submitted')
                      AND c.created_at < e.ended_at + interval '10 seconds')`,
};

/** Deletes the keys whose provider has no open call from their time any more. */
export async function deleteEndingKeys(db: Pick<Database, 'run'>): Promise<void> {
  await db.run(DELETE_ENDED_KEYS, []);
}

/** Running jobs of a provider that one key submitted. */
export interface JobsOfKey {
  readonly provider: string;
  readonly fingerprint: string;
  /** Handle of one of them. */
  readonly jobHandle: string | null;
  readonly jobs: number;
}

const COUNT_JOBS_OF_KEYS: Statement = {
  name: 'count-jobs-of-keys',
  text: `
SELECT provider, key_fingerprint AS fingerprint, min(job_handle) AS "jobHandle", count(*)::int AS jobs
  FROM provider_calls WHERE state = 'submitted' AND key_fingerprint IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2`,
};

/** Counts the running jobs by the key that submitted them. */
export async function countJobsOfKeys(db: Pick<Database, 'run'>): Promise<JobsOfKey[]> {
  return db.run<JobsOfKey>(COUNT_JOBS_OF_KEYS, []);
}

const reseal = (table: 'provider_keys' | 'ending_provider_keys'): Statement => ({
  name: `reseal-${table}`,
  text: `UPDATE ${table} SET encryption_key_id = $3, nonce = $4::bytea, sealed = $5::bytea WHERE name = $1 AND nonce = $2::bytea`,
});
const RESEALS = { stored: reseal('provider_keys'), ending: reseal('ending_provider_keys') };

/** Replaces the encryption of keys that are still the same. */
export async function resealProviderKeys(
  db: Pick<Database, 'run'>,
  kind: 'stored' | 'ending',
  { name, nonce }: Pick<StoredKeys, 'name' | 'nonce'>,
  fresh: Pick<StoredKeys, 'encryptionKeyId' | 'nonce' | 'sealed'>,
): Promise<void> {
  await db.run(RESEALS[kind], [name, nonce, fresh.encryptionKeyId, fresh.nonce, fresh.sealed]);
}
