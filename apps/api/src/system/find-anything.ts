import { readKeyPrefix } from '@image-gateway/shared/contract';
import type { Database, Statement } from '@image-gateway/shared/db';
import { readRequestTime } from '@image-gateway/shared/ids';
import type { FoundItem, FoundView } from '@image-gateway/shared/system/schema';
import { toEmailPattern } from '../account/list-accounts.js';

/** Hits of one kind. */
const MAX_OF_KIND = 20;
/** Tasks whose request ids are compared: an index of them would cost each task a page that nothing else writes. */
const MAX_LOOKED = 20_000;
/** Clocks of the database and of an API may differ by this. */
const CLOCKS_MS = 10_000;
/** Shortest part of an address that is looked for. */
const MIN_PART = 3;

interface Row extends Readonly<Pick<FoundItem, 'kind' | 'id'>> {
  readonly accountId: string | null;
  readonly email: string | null;
  readonly taskId: string | null;
  readonly note: string | null;
}

// Each kind has an index, and at most some hits. All are one statement, since most texts are an id of only one kind.
const FIND_BY_ID: Statement = {
  name: 'search-ids',
  text: `
WITH hit AS (
  SELECT 'account' AS kind, id, id AS account_id, NULL AS task_id, status AS note FROM accounts WHERE id = $1
  UNION ALL
  SELECT 'user', u.id, o.account_id, NULL, u.email FROM auth_users u LEFT JOIN account_users o ON o.user_id = u.id WHERE u.id = $1
  UNION ALL
  SELECT 'key', id, account_id, NULL, CASE WHEN revoked_at IS NULL THEN name ELSE name || ' (revoked)' END FROM api_keys WHERE id = $1
  UNION ALL
  (SELECT 'key', id, account_id, NULL, CASE WHEN revoked_at IS NULL THEN name ELSE name || ' (revoked)' END
     FROM api_keys WHERE prefix = $2 LIMIT ${MAX_OF_KIND})
  UNION ALL
  SELECT 'task', id, account_id, id, model || ', ' || status FROM tasks WHERE id = $1
  UNION ALL
  SELECT 'provider call', c.id, t.account_id, t.id, c.provider || ', ' || c.state FROM provider_calls c JOIN tasks t ON t.id = c.task_id
   WHERE c.id = $1
  UNION ALL
  SELECT 'webhook', id, account_id, task_id, state FROM webhook_deliveries WHERE id = $1
  UNION ALL
  SELECT 'test event', id, account_id, NULL, state FROM webhook_tests WHERE id = $1
  UNION ALL
  SELECT 'event', id, account_id, NULL, type || ', ' || state FROM endpoint_deliveries WHERE id = $1
  UNION ALL
  SELECT 'endpoint', id, account_id, NULL, host_port FROM endpoints WHERE id = $1
  UNION ALL
  SELECT 'transfer', id, account_id, task_id, kind FROM ledger_transfers WHERE id = $1
  UNION ALL
  SELECT 'reference', external_ref, account_id, task_id, kind FROM ledger_transfers WHERE external_ref = $1
  UNION ALL
  SELECT 'usage record', id, account_id, task_id, model FROM usage_records WHERE id = $1
  UNION ALL
  SELECT 'file', 'file_' || id, account_id, task_id, content_type FROM task_inputs WHERE id = substr($1, 6) AND starts_with($1, 'file_')
  UNION ALL
  SELECT 'audit entry', id, subject, NULL, action FROM audit_entries WHERE id = $1)
SELECT h.kind, h.id, a.id AS "accountId", a.email, h.task_id AS "taskId", h.note
  FROM hit h LEFT JOIN accounts a ON a.id = h.account_id`,
};

const findByRequest = (name: string, among: string): Statement => ({
  name,
  text: `
WITH looked AS MATERIALIZED (
  SELECT id, request_id, account_id, model, status, idem_key FROM tasks ${among} LIMIT ${MAX_LOOKED}),
hit AS (SELECT * FROM looked WHERE request_id = $1 OR idem_key = $1 LIMIT ${MAX_OF_KIND})
SELECT 'request' AS kind, $1 AS id, a.id AS "accountId", a.email, h.id AS "taskId", h.model || ', ' || h.status AS note, s.looked
  FROM (SELECT count(*)::int AS looked FROM looked) s LEFT JOIN hit h ON true LEFT JOIN accounts a ON a.id = h.account_id`,
});
const FIND_AMONG_NEWEST = findByRequest('search-requests', 'ORDER BY created_at DESC');
const FIND_FROM_TIME = findByRequest(
  'search-requests-from',
  'WHERE created_at >= $2::timestamptz ORDER BY created_at',
);

// Addresses of accounts, and of those who log in to them.
const FIND_BY_ADDRESS: Statement = {
  name: 'search-addresses',
  text: `
SELECT 'account' AS kind, a.id, a.id AS "accountId", a.email, NULL AS "taskId", a.status AS note FROM accounts a
 WHERE a.id = ANY (ARRAY(
   (SELECT id FROM accounts WHERE email LIKE $1 ORDER BY created_at DESC LIMIT ${MAX_OF_KIND})
   UNION
   (SELECT o.account_id FROM auth_users u JOIN account_users o ON o.user_id = u.id WHERE u.email LIKE $1 LIMIT ${MAX_OF_KIND})))
 ORDER BY a.created_at DESC LIMIT ${MAX_OF_KIND}`,
};

/**
 * Finds what has this id, reference, request id, `Idempotency-Key` or beginning of a key, and accounts by a part of an address. Empty when
 * nothing has it. A request id of the gateway carries its time, so its tasks are found however old they are. One of a client is looked for
 * among the newest tasks; the log of tasks finds older ones of an account.
 */
export async function search(db: Pick<Database, 'run'>, text: string): Promise<FoundView> {
  if (text === '') {
    return { items: [], looked: null };
  }
  const prefix = readKeyPrefix(text);
  // The rest of a whole key does not reach the database, or its log.
  const found = await db.run<Row>(FIND_BY_ID, [prefix ?? text, prefix]);
  if (found.length > 0 || prefix !== null) {
    return { items: found.map(present), looked: null };
  }
  const pattern = toEmailPattern(text);
  const time = readRequestTime(text);
  const [accounts, requests] = await Promise.all([
    text.length < MIN_PART ? [] : db.run<Row>(FIND_BY_ADDRESS, [pattern]),
    text.includes('@') ? [] : findRequest(db, text, time),
  ]);
  const items = [...accounts, ...requests.filter(({ taskId }) => taskId !== null)].map(present);
  const looked = time === null ? (requests[0]?.looked ?? 0) : 0;
  return { items, looked: items.length === 0 && looked >= MAX_LOOKED ? looked : null };
}

type FoundRequest = Row & { readonly looked: number };

function findRequest(db: Pick<Database, 'run'>, text: string, time: Date | null): Promise<FoundRequest[]> {
  return time === null
    ? db.run(FIND_AMONG_NEWEST, [text])
    : db.run(FIND_FROM_TIME, [text, new Date(time.getTime() - CLOCKS_MS)]);
}

const present = ({ kind, id, accountId, email, taskId, note }: Row): FoundItem => ({
  kind,
  id,
  account_id: accountId,
  email,
  task_id: taskId,
  note,
});
