import { EVENTS, type EventFields, type EventType } from '../../contract/index.js';
import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

/** SQL of the UTC day. */
const TODAY = "(now() AT TIME ZONE 'UTC')::date";

// Micro-dollars are text: a number of JSON could not hold all of them exactly.
function buildData<T extends EventType>(type: T, fields: EventFields<T, string>): string {
  const pairs = Object.entries<string>(fields).map(
    ([name, sql]) => `'${name}', ${EVENTS[type].data[name]?.startsWith('money') ? `(${sql})::text` : sql}`,
  );
  return `jsonb_build_object(${pairs.join(', ')})`;
}

/** Writes the select that adds an event for operators' endpoints of its type, from each row of `from`. Text is SQL of all data. */
export function selectOperatorEvents<T extends EventType>(
  type: T,
  { from, data }: { readonly from: string; readonly data: EventFields<T, string> | string },
): string {
  const built = typeof data === 'string' ? data : buildData(type, data);
  return (
    `SELECT add_event(e.id, '${type}', ${built}, NULL) FROM ${from} JOIN endpoints e ON e.account_id IS NULL AND '${type}' = ANY ` +
    '(e.types)'
  );
}

/**
 * Writes a statement that tells operators of each cause once in the window that `startsOn` names, the UTC day unless given. All
 * are SQL over the rows of `from`. Nothing is noted while no endpoint would hear of it. The order of the notes keeps concurrent
 * statements from deadlocks.
 */
export function tellOperatorsOnce<T extends EventType>(
  type: T,
  {
    cause,
    startsOn = TODAY,
    data,
    from,
  }: {
    readonly cause: string;
    readonly startsOn?: string;
    readonly data: EventFields<T, string>;
    readonly from: string;
  },
): string {
  return `
WITH found AS (SELECT ${cause} AS cause, ${startsOn} AS starts_on, ${buildData(type, data)} AS data FROM ${from}),
fresh AS (
  INSERT INTO operator_notices (type, cause, starts_on)
  SELECT '${type}', f.cause, f.starts_on FROM found f
   WHERE EXISTS (SELECT FROM endpoints e WHERE e.account_id IS NULL AND e.disabled_at IS NULL AND '${type}' = ANY (e.types))
   ORDER BY f.cause, f.starts_on
  ON CONFLICT DO NOTHING RETURNING cause, starts_on)
${selectOperatorEvents(type, { from: 'fresh n JOIN found f USING (cause, starts_on)', data: 'f.data' })}`;
}

const LIST_HEARD_EVENTS: Statement = {
  name: 'list-heard-events',
  text: 'SELECT DISTINCT unnest(types) AS type FROM endpoints WHERE account_id IS NULL AND disabled_at IS NULL',
};

/** Lists the types of events that an endpoint of operators hears of. */
export async function listHeardEvents(db: Pick<Database, 'run'>): Promise<ReadonlySet<string>> {
  return new Set((await db.run<{ readonly type: string }>(LIST_HEARD_EVENTS, [])).map(({ type }) => type));
}

const DELETE_OLD_OPERATOR_NOTICES: Statement = {
  name: 'delete-old-operator-notices',
  text: `
WITH old AS (
  SELECT type, cause, starts_on FROM operator_notices
   WHERE starts_on > '-infinity' AND starts_on < (now() AT TIME ZONE 'UTC')::date - 1 LIMIT $1::int FOR UPDATE SKIP LOCKED)
DELETE FROM operator_notices n USING old WHERE n.type = old.type AND n.cause = old.cause AND n.starts_on = old.starts_on RETURNING n.cause`,
};

/** Deletes up to `limit` notes of windows that are over; returns their number. */
export async function deleteOldOperatorNotices(
  db: Pick<Database, 'run'>,
  { limit }: { readonly limit: number },
): Promise<number> {
  return (await db.run(DELETE_OLD_OPERATOR_NOTICES, [limit])).length;
}

const TELL_STATED_COST: Statement = {
  name: 'tell-stated-cost',
  text: tellOperatorsOnce('provider.needs_operator', {
    cause: "concat_ws(' ', 'stated-cost', c.provider, c.model)",
    data: { provider: 'c.provider', model: 'c.model', reason: 'c.reason', since: 'now()' },
    from: '(SELECT $1::text AS provider, $2::text AS model, $3::text AS reason) c',
  }),
};

/** Tells operators once a UTC day that a provider stated a cost that was not booked, in dollars. */
export async function tellStatedCost(
  db: Pick<Database, 'run'>,
  call: { readonly provider: string; readonly model: string; readonly stated: string; readonly most: string },
): Promise<void> {
  const reason =
    `${call.provider} said that a call of ${call.model} cost ${call.stated}. More than ${call.most} is not believed: the list ` +
    `cost was booked. Compare the vendor's invoice with the cost of its routes.`;
  await db.run(TELL_STATED_COST, [call.provider, call.model, reason]);
}

// The notes of broken invariants stay on the page of operators until a check finds them fixed.
const TELL_LEDGER_CHECK: Statement = {
  name: 'tell-ledger-check',
  text: `
WITH noted AS (
  INSERT INTO operator_notices (type, cause, starts_on) SELECT 'ledger.check_failed', name, '-infinity'
    FROM unnest($1::text[]) name ORDER BY name
  ON CONFLICT DO NOTHING),
fixed AS (DELETE FROM operator_notices WHERE type = 'ledger.check_failed' AND cause = ANY ($2::text[]))
${selectOperatorEvents('ledger.check_failed', {
  from: '(SELECT $1::text[] AS names WHERE cardinality($1::text[]) > 0) n',
  data: { invariants: 'n.names' },
})}`,
};

/** Tells operators which invariants a check of the ledger found broken, and notes them until they are found fixed. */
export async function tellLedgerCheck(
  db: Pick<Database, 'run'>,
  { broken, fixed }: { readonly broken: readonly string[]; readonly fixed: readonly string[] },
): Promise<void> {
  await db.run(TELL_LEDGER_CHECK, [broken, fixed]);
}

const LIST_BROKEN_INVARIANTS: Statement = {
  name: 'list-broken-invariants',
  text: "SELECT cause FROM operator_notices WHERE type = 'ledger.check_failed' ORDER BY cause",
};

/** Lists the invariants that a check of the ledger found broken and none has found fixed. */
export async function listBrokenInvariants(db: Pick<Database, 'run'>): Promise<string[]> {
  return (await db.run<{ readonly cause: string }>(LIST_BROKEN_INVARIANTS, [])).map(({ cause }) => cause);
}
