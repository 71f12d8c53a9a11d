import type { ProviderPlace } from '@image-gateway/shared/catalog/document';
import { type Database, listEndingKeys, listProviderKeys, type Statement } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import {
  findKeyFault,
  type KeyPlace,
  listLastFours,
  sealKeys,
  splitKeys,
} from '@image-gateway/shared/upstreams';

/** Keys of a provider to store. */
export interface KeysToStore {
  readonly place: KeyPlace;
  /** Comma-separated. */
  readonly text: string;
  /** True if the provider accepted them. */
  readonly tested: boolean;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

/** Keeps the stored keys of a provider for the calls that still need them. A worker deletes them after the last one. */
const KEEP_FORMER = `
  INSERT INTO ending_provider_keys (name, nonce, protocol, host_port, encryption_key_id, sealed, last_four)
  SELECT k.name, k.nonce, k.protocol, k.host_port, k.encryption_key_id, k.sealed, k.last_four FROM provider_keys k
   WHERE k.name = $1
     AND (EXISTS (SELECT FROM provider_calls c WHERE c.provider = $1 AND c.state IN ('started', 'submitted'))
          OR EXISTS (SELECT FROM worker_reports w WHERE w.seen_at > now() - interval '1 minute'))`;

const SET_PROVIDER_KEYS: Statement = {
  name: 'set-provider-keys',
  text: `
WITH former AS (${KEEP_FORMER}),
kept AS (
  INSERT INTO provider_keys (name, protocol, host_port, encryption_key_id, nonce, sealed, last_four, tested, created_by)
  VALUES ($1, $2, $3, $4, $5::bytea, $6::bytea, $7, $8::bool, $9)
  ON CONFLICT (name) DO UPDATE SET protocol = EXCLUDED.protocol, host_port = EXCLUDED.host_port, sealed = EXCLUDED.sealed,
    encryption_key_id = EXCLUDED.encryption_key_id, nonce = EXCLUDED.nonce, last_four = EXCLUDED.last_four,
    tested = EXCLUDED.tested, created_by = EXCLUDED.created_by, created_at = now()
  RETURNING name)
INSERT INTO audit_entries (id, action, subject, detail) SELECT $10, 'provider.key.set', name, $11::jsonb FROM kept`,
};

const REMOVE_PROVIDER_KEYS: Statement = {
  name: 'remove-provider-keys',
  text: `
WITH former AS (${KEEP_FORMER} AND NOT $4::bool),
ending AS (DELETE FROM ending_provider_keys WHERE name = $1 AND $4::bool RETURNING name),
gone AS (DELETE FROM provider_keys WHERE name = $1 RETURNING name),
noted AS (
  INSERT INTO audit_entries (id, action, subject, detail)
  SELECT $2, 'provider.key.remove', $1, $3::jsonb WHERE EXISTS (SELECT FROM gone) OR EXISTS (SELECT FROM ending) RETURNING subject)
SELECT (SELECT count(*)::int FROM provider_calls WHERE provider = $1 AND state = 'submitted') AS jobs FROM noted`,
};

/** Throws AppError `VALIDATION_ERROR` for a key that can't be one of its provider, before anything is sent or stored. */
export function refuseFaultyKeys({ name, protocol }: ProviderPlace, keys: readonly string[]): void {
  const fault = keys.map((key) => findKeyFault(protocol, key)).find((one) => one !== null);
  if (fault) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: `The key of ${name} cannot be used: it ${fault}. Nothing is sent or stored.`,
    });
  }
}

/**
 * Stores the keys of a provider, encrypted, in the place of former ones, which are kept for the jobs that they submitted.
 * Workers follow within 5 s. Throws AppError `VALIDATION_ERROR`.
 */
export async function setProviderKeys(
  db: Pick<Database, 'run'>,
  encryptionKeys: readonly Buffer[],
  { place, text, tested, actor }: KeysToStore,
): Promise<void> {
  if (encryptionKeys.length === 0) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage:
        'ENCRYPTION_KEY is not set, so that no key can be stored. Set it for the generation workers and here (openssl rand ' +
        '-base64 32), or keep the key in the environment of the workers.',
    });
  }
  const { encryptionKeyId, nonce, sealed } = sealKeys(encryptionKeys, place, text);
  const lastFour = listLastFours(splitKeys(text));
  const { name, protocol, hostPort } = place;
  await db.run(SET_PROVIDER_KEYS, [
    name,
    protocol,
    hostPort,
    encryptionKeyId,
    nonce,
    sealed,
    lastFour,
    tested,
    actor,
    newId('aud'),
    JSON.stringify({ actor, address: hostPort, tested }),
  ]);
}

/**
 * Removes the stored keys of a provider, and resolves with the number of its running jobs. Workers follow within 5 s, and keep the keys for
 * these jobs unless they have to be gone `now`. Throws AppError `NOT_FOUND`.
 */
export async function removeProviderKeys(
  db: Pick<Database, 'run'>,
  { name, actor, now = false }: { readonly name: string; readonly actor: string; readonly now?: boolean },
): Promise<number> {
  const detail = JSON.stringify({ actor, now });
  const [row] = await db.run<{ readonly jobs: number }>(REMOVE_PROVIDER_KEYS, [
    name,
    newId('aud'),
    detail,
    now,
  ]);
  if (!row) {
    throw new AppError('NOT_FOUND', { publicMessage: `No key of ${name} is stored.` });
  }
  return row.jobs;
}

/** Lists the stored keys of providers, without them, and those that are kept for running jobs alone. */
export async function presentProviderKeys(db: Pick<Database, 'run'>) {
  const [rows, former] = await Promise.all([listProviderKeys(db), listEndingKeys(db)]);
  const ending = former.map(({ name, lastFour, endedAt, hostPort }) => ({
    name,
    last_four: lastFour,
    since: endedAt.toISOString(),
    by: '',
    source: 'ending',
    address: hostPort,
    tested: false,
  }));
  const stored = rows.map(({ name, hostPort, lastFour, tested, createdBy, createdAt }) => ({
    name,
    last_four: lastFour,
    since: createdAt.toISOString(),
    by: createdBy,
    source: 'database',
    address: hostPort,
    tested,
  }));
  return [...stored, ...ending];
}
