import type { ProviderCheckResult } from '../../provider/schema.js';
import type { Database } from '../create-database.js';
import type { ProviderCheck } from '../generated/client.js';
import type { CallRefusal } from '../provider-calls/start-call.js';
import type { Statement } from '../statement.js';

type Runner = Pick<Database, 'run'>;

/** Check of a provider that a process has claimed. */
export type ClaimedCheck = Readonly<
  Pick<
    ProviderCheck,
    'id' | 'provider' | 'model' | 'draws' | 'attempt' | 'protocol' | 'hostPort' | 'encryptionKeyId'
  >
> & {
  readonly nonce: Buffer | null;
  readonly sealed: Buffer | null;
  /** True if an earlier attempt began to draw: the image may have been billed. */
  readonly hasDrawn: boolean;
};

/** Author of checks that no operator asked for. */
export const DAILY_LOOK = 'daily look';

/** Age at which nobody waits for a check any more. */
const LATE = `interval '3 minutes'`;

const CLAIM_CHECK: Statement = {
  name: 'claim-provider-check',
  text: `
WITH due AS (
  SELECT c.id FROM provider_checks c
   WHERE CASE WHEN $1::text IS NULL
              THEN (c.state = 'pending' OR c.state = 'running' AND c.lease_until < now()) AND c.created_at > now() - ${LATE}
              ELSE c.id = $1 AND c.state = 'running' AND c.attempt = 0 END
     AND (c.encryption_key_id IS NULL OR c.encryption_key_id = ANY ($2::text[]))
   ORDER BY c.created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
UPDATE provider_checks c
   SET state = 'running', attempt = c.attempt + 1, started_at = now(), lease_until = now() + $3::float8 * interval '1 millisecond'
  FROM due WHERE c.id = due.id
RETURNING c.id, c.provider, c.model, c.draws, c.attempt, c.protocol, c.host_port AS "hostPort", c.encryption_key_id AS "encryptionKeyId",
  c.seal_nonce AS nonce, c.sealed, c.cost_micros IS NOT NULL AS "hasDrawn"`,
};

/** Claims the oldest due check whose keys can be decrypted, or the one that a command line keeps for itself; null for none. */
export async function claimCheck(
  db: Runner,
  {
    id,
    encryptionKeyIds,
    leaseMs,
  }: { readonly id: string | null; readonly encryptionKeyIds: readonly string[]; readonly leaseMs: number },
): Promise<ClaimedCheck | null> {
  const [row] = await db.run<ClaimedCheck>(CLAIM_CHECK, [id, encryptionKeyIds, leaseMs]);
  return row ?? null;
}

const RENEW_CHECK: Statement = {
  name: 'renew-provider-check',
  text: `
UPDATE provider_checks SET lease_until = now() + $3::float8 * interval '1 millisecond'
 WHERE id = $1 AND state = 'running' AND attempt = $2::int`,
};

/** Keeps a check from other workers for `leaseMs` from now on. */
export async function renewCheck(
  db: Runner,
  { id, attempt }: Pick<ClaimedCheck, 'id' | 'attempt'>,
  leaseMs: number,
): Promise<void> {
  await db.run(RENEW_CHECK, [id, attempt, leaseMs]);
}

/** The lock that `judge_calls` takes is held until the cost stands in the row. */
const START_DRAWING: Statement = {
  name: 'start-drawing-of-check',
  text: `
WITH refused AS MATERIALIZED (SELECT r.refusal FROM judge_calls(ARRAY[$1], ARRAY[$3::text], ARRAY[$4::int8], $5::int8) r),
kept AS (
  UPDATE provider_checks c SET cost_micros = $4::int8
   WHERE c.id = $1 AND c.state = 'running' AND c.attempt = $2::int AND NOT EXISTS (SELECT FROM refused) RETURNING c.id)
SELECT (SELECT refusal FROM refused) AS refusal, EXISTS (SELECT FROM kept) AS "isKept"`,
};

/** Notes the list cost of the image that a check draws next; returns why it may not, or null. */
export async function startDrawing(
  db: Runner,
  {
    id,
    attempt,
    provider,
    costMicros,
    ceilingMicros,
  }: Pick<ClaimedCheck, 'id' | 'attempt' | 'provider'> & {
    readonly costMicros: bigint;
    readonly ceilingMicros: bigint | null;
  },
): Promise<CallRefusal | 'overtaken' | null> {
  const [row] = await db.run<{ readonly refusal: CallRefusal | null; readonly isKept: boolean }>(
    START_DRAWING,
    [id, attempt, provider, costMicros, ceilingMicros],
  );
  return row?.isKept ? null : (row?.refusal ?? 'overtaken');
}

const FINISH_CHECK: Statement = {
  name: 'finish-provider-check',
  text: `
UPDATE provider_checks
   SET state = 'done', lease_until = NULL, ended_at = now(), result = $3::jsonb, cost_micros = COALESCE($4::int8, cost_micros),
       seal_nonce = NULL, sealed = NULL
 WHERE id = $1 AND state <> 'done' AND attempt = COALESCE($2::int, attempt) RETURNING id`,
};

/**
 * Writes the outcome of a check and forgets the keys that it tried; without an attempt whatever attempt runs. Changes nothing
 * once it has ended.
 */
export async function finishCheck(
  db: Runner,
  {
    id,
    attempt,
    result,
    costMicros,
  }: {
    readonly id: string;
    readonly attempt: number | null;
    readonly result: ProviderCheckResult;
    /** Of the image; null: as it stands. */
    readonly costMicros: bigint | null;
  },
): Promise<boolean> {
  return (await db.run(FINISH_CHECK, [id, attempt, JSON.stringify(result), costMicros])).length > 0;
}

const END_LATE_CHECKS: Statement = {
  name: 'end-late-provider-checks',
  text: `
UPDATE provider_checks
   SET state = 'done', lease_until = NULL, ended_at = now(), result = $1::jsonb, seal_nonce = NULL, sealed = NULL
 WHERE state <> 'done' AND created_at < now() - ${LATE} AND (lease_until IS NULL OR lease_until < now())`,
};

/** Ends checks that no worker has answered in time. */
export async function endLateChecks(db: Runner): Promise<void> {
  await db.run(END_LATE_CHECKS, [JSON.stringify(NOT_DONE)]);
}

/** Result of a check that nobody has done. */
export const NOT_DONE: ProviderCheckResult = {
  keys: [],
  models: null,
  ends: null,
  missing: [],
  image: null,
  note: 'No generation worker answered in time.',
};

const DELETE_OLD_CHECKS: Statement = {
  name: 'delete-old-provider-checks',
  text: `
DELETE FROM provider_checks WHERE id IN (
  SELECT id FROM provider_checks WHERE state = 'done' AND created_at < now() - CASE
    WHEN created_by = '${DAILY_LOOK}' THEN interval '7 days' ELSE interval '2 days' END
   ORDER BY created_at LIMIT $1::int FOR UPDATE SKIP LOCKED)
RETURNING id`,
};

/** Deletes checks that are older than two days, daily looks that are older than seven, at most `limit`; returns how many. */
export async function deleteOldChecks(db: Runner, { limit }: { readonly limit: number }): Promise<number> {
  return (await db.run(DELETE_OLD_CHECKS, [limit])).length;
}

const LIST_LOOKED_AT: Statement = {
  name: 'list-looked-at-providers',
  text: `SELECT DISTINCT provider FROM provider_checks WHERE created_by = '${DAILY_LOOK}' AND created_at > now() - interval '1 day'`,
};

/** Lists the providers that were looked at within a day. */
export async function listLookedAt(db: Runner): Promise<string[]> {
  return (await db.run<{ readonly provider: string }>(LIST_LOOKED_AT, [])).map(({ provider }) => provider);
}

const ADD_LOOK: Statement = {
  name: 'add-daily-look',
  text: `
INSERT INTO provider_checks (id, provider, slot, state, attempt, result, created_by, started_at, ended_at)
VALUES ($1, $2, 1, 'done', 1, $3::jsonb, '${DAILY_LOOK}', now(), now())`,
};

/** Keeps what a daily look has found out about a provider. */
export async function addLook(
  db: Runner,
  { id, provider, result }: Pick<ClaimedCheck, 'id' | 'provider'> & { readonly result: ProviderCheckResult },
): Promise<void> {
  await db.run(ADD_LOOK, [id, provider, JSON.stringify(result)]);
}

const LIST_STATED_ENDS: Statement = {
  name: 'list-stated-ends',
  text: `
SELECT c.provider, e.model, e."on"
  FROM (SELECT DISTINCT ON (provider) provider, result->'ends' AS ends FROM provider_checks
         WHERE jsonb_typeof(result->'ends') = 'array' ORDER BY provider, created_at DESC) c,
       jsonb_to_recordset(c.ends) AS e(model text, "on" text)`,
};

/** Lists the ends of models as the newest list of each provider states them. */
export function listStatedEnds(
  db: Runner,
): Promise<readonly { readonly provider: string; readonly model: string; readonly on: string }[]> {
  return db.run(LIST_STATED_ENDS, []);
}
