import type { Database } from '../create-database.js';
import type { WebhookDelivery } from '../generated/client.js';
import type { Statement } from '../statement.js';

/** Place where the deliveries of one account go to: concurrency and fairness are judged by both. */
export type Receiver = Readonly<Pick<WebhookDelivery, 'accountId' | 'hostPort'>>;

/** Delivery that may be sent now; only claiming it tells whether it still may. */
export interface DueDelivery extends Receiver, Readonly<Pick<WebhookDelivery, 'id'>> {
  /** How long it has been due, in milliseconds of the database's clock. */
  readonly lateMs: number;
}

type Runner = Pick<Database, 'run'>;

const DUE_COLUMNS = `
  d.id, d.account_id AS "accountId", d.host_port AS "hostPort",
  (EXTRACT(EPOCH FROM now() - d.next_attempt_at) * 1000)::float8 AS "lateMs"`;

const FIND_DUE_BY_ID: Statement = {
  name: 'find-due-deliveries-by-id',
  text: `
SELECT ${DUE_COLUMNS} FROM webhook_deliveries d
 WHERE d.id = ANY($1::text[]) AND d.state = 'pending' AND d.next_attempt_at <= now()`,
};

/** Finds which of some deliveries are due. */
export async function findDueById(db: Runner, ids: readonly string[]): Promise<DueDelivery[]> {
  return ids.length === 0 ? [] : db.run<DueDelivery>(FIND_DUE_BY_ID, [ids]);
}

const FIND_DUE_OLDEST: Statement = {
  name: 'find-due-deliveries-oldest',
  text: `
SELECT ${DUE_COLUMNS} FROM webhook_deliveries d
 WHERE d.state = 'pending' AND d.next_attempt_at <= now() ORDER BY d.next_attempt_at LIMIT $1::int`,
};

/** Finds the deliveries that have been due for longest, of all accounts. */
export async function findDueOldest(db: Runner, limit: number): Promise<DueDelivery[]> {
  return db.run<DueDelivery>(FIND_DUE_OLDEST, [limit]);
}

// Each index is named by its last term, rows are compared, and accounts are in the order of their bytes. So no other index can give the
// order, or the beginning of it. PostgreSQL takes either of two where its last ANALYZE saw few rows, or all of them waiting. The wrong one
// could be read to its end.
const ACCOUNT = 'd.account_id COLLATE "C"';
const BY_ACCOUNT = "d.state = 'pending' AND d.attempt >= 0";
const BY_RECEIVER = "d.state = 'pending' AND d.lease_until IS NULL";
// The first rows of the order are read, then those that are another's or not due are left out. Before PostgreSQL 18 a scan with a row as
// its upper end goes on until the account ends.
const ofAccount = (limit: string): string => `
  SELECT ${DUE_COLUMNS} FROM (
    SELECT * FROM webhook_deliveries d
     WHERE ${BY_ACCOUNT} AND (${ACCOUNT}, d.next_attempt_at) >= (of.account_id, '-infinity'::timestamptz)
     ORDER BY ${ACCOUNT}, d.next_attempt_at LIMIT ${limit}) d
   WHERE d.account_id = of.account_id AND d.next_attempt_at <= now()`;
const ofReceiver = (limit: string): string => `
  SELECT ${DUE_COLUMNS} FROM (
    SELECT * FROM webhook_deliveries d
     WHERE ${BY_RECEIVER} AND (${ACCOUNT}, d.host_port, d.next_attempt_at) >= (of.account_id, of.host_port, '-infinity'::timestamptz)
     ORDER BY ${ACCOUNT}, d.host_port, d.next_attempt_at LIMIT ${limit}) d
   WHERE d.account_id = of.account_id AND d.host_port = of.host_port AND d.next_attempt_at <= now()`;

const FIND_DUE_OF_RECEIVERS: Statement = {
  name: 'find-due-deliveries-of-receivers',
  text: `
SELECT due.* FROM unnest($1::text[], $2::text[]) AS of(account_id, host_port) CROSS JOIN LATERAL (${ofReceiver('$3::int')}) due`,
};

/** Finds the oldest due deliveries of some receivers, at most `limit` of each. */
export async function findDueByReceiver(
  db: Runner,
  receivers: readonly Receiver[],
  limit: number,
): Promise<DueDelivery[]> {
  if (receivers.length === 0) {
    return [];
  }
  const accounts = receivers.map(({ accountId }) => accountId);
  const hosts = receivers.map(({ hostPort }) => hostPort);
  return db.run<DueDelivery>(FIND_DUE_OF_RECEIVERS, [accounts, hosts, limit]);
}

// PostgreSQL has no loose index scan; the recursions are one, from each account or receiver to the next in the index. Both
// end after a number of steps, so that their cost does not grow with what waits, be it due or not.
const FIND_DUE_OF_ACCOUNTS: Statement = {
  name: 'find-due-deliveries-of-accounts',
  text: `
WITH RECURSIVE walk AS (
  (SELECT d.account_id, d.next_attempt_at <= now() AND d.account_id <> ALL($2::text[]) AS open, 1 AS turn, 0 AS opened
     FROM webhook_deliveries d
    WHERE ${BY_ACCOUNT} AND ${ACCOUNT} > $1 ORDER BY ${ACCOUNT}, d.next_attempt_at LIMIT 1)
  UNION ALL
  SELECT next.account_id, next.open, walk.turn + 1, walk.opened + walk.open::int
    FROM walk CROSS JOIN LATERAL (
      SELECT d.account_id, d.next_attempt_at <= now() AND d.account_id <> ALL($2::text[]) AS open
        FROM webhook_deliveries d
       WHERE ${BY_ACCOUNT} AND ${ACCOUNT} > walk.account_id ORDER BY ${ACCOUNT}, d.next_attempt_at LIMIT 1) next
   WHERE walk.turn < $3::int AND walk.opened + walk.open::int < $4::int)
SELECT of.account_id AS "visited", of.turn < $3::int AND of.opened + of.open::int < $4::int AS "isEnd", due.*
  FROM walk of LEFT JOIN LATERAL (${ofAccount('$5::int')}) due ON of.open
 WHERE due.id IS NOT NULL OR of.turn = (SELECT max(turn) FROM walk)
 ORDER BY of.turn`,
};

/** How far a look goes over accounts. */
export interface AccountWalk {
  /** The account after which it begins; an empty text for the first one. */
  readonly after: string;
  /** Accounts that are stepped over. */
  readonly excluded: readonly string[];
  readonly maxVisited: number;
  /** Ends after so many accounts that had something due. */
  readonly maxOpen: number;
  readonly perAccount: number;
}

/** A part of all accounts, and where to go on: an empty text after the last one. */
export interface AccountPage {
  readonly due: readonly DueDelivery[];
  readonly next: string;
}

/** Finds the oldest due deliveries of the next accounts in order of id that something waits for. */
export async function findDueByAccount(db: Runner, walk: AccountWalk): Promise<AccountPage> {
  type Row = { readonly visited: string; readonly isEnd: boolean } & (DueDelivery | { readonly id: null });
  const { after, excluded, maxVisited, maxOpen, perAccount } = walk;
  const rows = await db.run<Row>(FIND_DUE_OF_ACCOUNTS, [after, excluded, maxVisited, maxOpen, perAccount]);
  const last = rows.at(-1);
  const due = rows.flatMap((row) => (row.id === null ? [] : [row]));
  return { due, next: last && !last.isEnd ? last.visited : '' };
}

const FIND_DUE_BY_HOST: Statement = {
  name: 'find-due-deliveries-by-host',
  text: `
SELECT of.account_id AS "ofAccount", of.host_port AS "visited", of.turn = $3::int AS "isLast", due.*
  FROM (SELECT asked.account_id, hosts.host_port, hosts.turn
          FROM unnest($1::text[], $2::text[]) AS asked(account_id, after) CROSS JOIN LATERAL (
            WITH RECURSIVE walk AS (
              (SELECT d.host_port, 1 AS turn FROM webhook_deliveries d
                WHERE ${BY_RECEIVER} AND (${ACCOUNT}, d.host_port) > (asked.account_id, asked.after)
                  AND ${ACCOUNT} <= asked.account_id ORDER BY ${ACCOUNT}, d.host_port LIMIT 1)
              UNION ALL
              SELECT next.host_port, walk.turn + 1 FROM walk CROSS JOIN LATERAL (
                SELECT d.host_port FROM webhook_deliveries d
                 WHERE ${BY_RECEIVER} AND (${ACCOUNT}, d.host_port) > (asked.account_id, walk.host_port)
                   AND ${ACCOUNT} <= asked.account_id ORDER BY ${ACCOUNT}, d.host_port LIMIT 1) next
               WHERE walk.turn < $3::int)
            SELECT host_port, turn FROM walk) hosts) of
  LEFT JOIN LATERAL (${ofReceiver('$4::int')}) due ON true
 WHERE due.id IS NOT NULL OR of.turn = $3::int`,
};

/** The receivers of some accounts that were looked at, and after which receiver the look goes on for those that have more. */
export interface HostPage {
  readonly due: readonly DueDelivery[];
  readonly next: ReadonlyMap<string, string>;
}

/**
 * Finds the oldest due deliveries of the next receivers of some accounts, `maxVisited` receivers of each account; `after` says
 * for each where to begin.
 */
export async function findDueByHost(
  db: Runner,
  after: ReadonlyMap<string, string>,
  { maxVisited, perHost }: { readonly maxVisited: number; readonly perHost: number },
): Promise<HostPage> {
  if (after.size === 0) {
    return { due: [], next: new Map() };
  }
  type Row = { readonly ofAccount: string; readonly visited: string; readonly isLast: boolean } & (
    | DueDelivery
    | { readonly id: null }
  );
  const values = [[...after.keys()], [...after.values()], maxVisited, perHost];
  const rows = await db.run<Row>(FIND_DUE_BY_HOST, values);
  const due = rows.flatMap((row) => (row.id === null ? [] : [row]));
  return {
    due,
    next: new Map(rows.flatMap(({ ofAccount, visited, isLast }) => (isLast ? [[ofAccount, visited]] : []))),
  };
}
