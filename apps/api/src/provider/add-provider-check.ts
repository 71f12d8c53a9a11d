import { setTimeout as sleep } from 'node:timers/promises';
import {
  DAILY_LOOK,
  type Database,
  endLateChecks,
  finishCheck,
  NOT_DONE,
  type ProviderCheck,
  type Statement,
} from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import { formatDollars } from '@image-gateway/shared/money';
import type { ProviderCheckResult, ProviderCheckView } from '@image-gateway/shared/provider/schema';
import { type KeyPlace, sealKeys } from '@image-gateway/shared/upstreams';

type Db = Pick<Database, 'run'>;

/** Check of a provider to be done. */
export interface CheckToAdd {
  readonly provider: string;
  /** Model to draw; null: the cheapest. */
  readonly model?: string | null;
  /** List cost of the image that it draws; null: it draws none. */
  readonly imageMicros?: bigint | null;
  /** Keys to try in the place of those in use, and what encrypts them. */
  readonly keys?: {
    readonly place: KeyPlace;
    readonly encryptionKeys: readonly Buffer[];
    readonly text: string;
  };
  /** True if a process of the command line does it; else a generation worker. */
  readonly isOwn?: boolean;
  readonly actor: string;
}

const MAX_OPEN = 5;
const POLL_MS = 250;
/** For the process of a command line to begin. */
const OWN_LEASE_MS = 20_000;

// A unique index holds each slot once. An insert that loses a race for a slot inserts nothing, and the next one takes another slot.
const ADD_CHECK: Statement = {
  name: 'add-provider-check',
  text: `
WITH added AS (
  INSERT INTO provider_checks (id, provider, model, draws, slot, protocol, host_port, encryption_key_id, seal_nonce, sealed,
    created_by, state, lease_until)
  SELECT $1, $2, $3, $4::bool, free.slot, $5, $6, $7, $8::bytea, $9::bytea, $10, CASE WHEN $11::float8 IS NULL THEN 'pending'
    ELSE 'running' END,
         now() + $11::float8 * interval '1 millisecond'
    FROM (SELECT s AS slot FROM generate_series(1, ${MAX_OPEN}) s
           WHERE NOT EXISTS (SELECT 1 FROM provider_checks c WHERE c.slot = s AND c.state <> 'done') ORDER BY s LIMIT 1) free
  ON CONFLICT (slot) WHERE state <> 'done' DO NOTHING
  RETURNING id, provider, draws),
told AS (
  INSERT INTO audit_entries (id, action, subject, detail)
  SELECT $12, 'provider.draw', provider, $13::jsonb FROM added WHERE draws)
SELECT id FROM added`,
};

/**
 * Adds a check of a provider and returns its id. A trial image stands in the audit log. Throws AppError `RATE_LIMITED` while
 * five have not ended.
 */
export async function addProviderCheck(db: Db, check: CheckToAdd): Promise<string> {
  await endLateChecks(db);
  const { provider, model = null, imageMicros = null, keys, isOwn = false, actor } = check;
  const sealed = keys && sealKeys(keys.encryptionKeys, keys.place, keys.text);
  const id = newId('chk');
  const values = [
    id,
    provider,
    model,
    imageMicros !== null,
    keys?.place.protocol ?? null,
    keys?.place.hostPort ?? null,
    sealed?.encryptionKeyId ?? null,
    sealed?.nonce ?? null,
    sealed?.sealed ?? null,
    actor,
    isOwn ? OWN_LEASE_MS : null,
    newId('aud'),
    JSON.stringify({ actor, model, cost: imageMicros === null ? null : formatDollars(imageMicros) }),
  ];
  // Each lost race means that another request got a slot, so no more tries than slots are needed.
  for (let tries = 0; tries < MAX_OPEN; tries += 1) {
    if ((await db.run(ADD_CHECK, values)).length > 0) {
      return id;
    }
  }
  const publicMessage = 'Five checks of providers are running. Try again in a few seconds.';
  throw new AppError('RATE_LIMITED', { publicMessage, retryAfterSeconds: 5 });
}

type CheckRow = Readonly<
  Pick<ProviderCheck, 'id' | 'provider' | 'state' | 'draws' | 'createdBy' | 'createdAt'>
> & { readonly result: ProviderCheckResult | null };

const COLUMNS = `id, provider, state, draws, result, created_by AS "createdBy", created_at AS "createdAt"`;

const FIND_CHECK: Statement = {
  name: 'find-provider-check',
  text: `SELECT ${COLUMNS} FROM provider_checks WHERE id = $1`,
};

/** Returns a check and its outcome as far as there is one; throws AppError `NOT_FOUND`. */
export async function findProviderCheck(db: Db, id: string): Promise<ProviderCheckView> {
  const [row] = await db.run<CheckRow>(FIND_CHECK, [id]);
  if (!row) {
    throw new AppError('NOT_FOUND', { publicMessage: 'There is no such check of a provider.' });
  }
  return present(row);
}

const LIST_NEWEST: Statement = {
  name: 'list-newest-provider-checks',
  text:
    `SELECT DISTINCT ON (provider) ${COLUMNS} FROM provider_checks WHERE created_by <> '${DAILY_LOOK}' ORDER BY provider, ` +
    'created_at DESC',
};

/** Returns the newest check of each provider that somebody asked for. */
export async function listNewestChecks(db: Db): Promise<readonly ProviderCheckView[]> {
  return (await db.run<CheckRow>(LIST_NEWEST, [])).map(present);
}

/** Waits for the outcome of a check; ends it where none came in time. */
export async function awaitCheck(
  db: Db,
  { id, timeoutMs }: { readonly id: string; readonly timeoutMs: number },
): Promise<ProviderCheckResult> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const { result } = await findProviderCheck(db, id);
    if (result !== null) {
      return result;
    }
    if (performance.now() > until) {
      await finishCheck(db, { id, attempt: null, result: NOT_DONE, costMicros: null });
      return (await findProviderCheck(db, id)).result ?? NOT_DONE;
    }
    await sleep(POLL_MS);
  }
}

function present({ id, provider, state, draws, createdBy, createdAt, result }: CheckRow): ProviderCheckView {
  return {
    id,
    provider,
    state: state as ProviderCheckView['state'],
    draws,
    by: createdBy,
    created_at: createdAt.toISOString(),
    result,
  };
}
