import type { MovementItem, MovementKind } from '@image-gateway/shared/account/schema';
import { type Database, type Statement, toTimestamp } from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import { formatCsv } from '@image-gateway/shared/presenters';
import {
  type ListCursor,
  type ListPart,
  parseCursor,
  START_OF_LIST,
  toPart,
} from '@image-gateway/shared/validation';

/** Movements of money of one account. Lists and files of owners and operators are made from them. */
export interface MovementFilter {
  readonly accountId: string;
  /** Absent: all kinds. */
  readonly kind?: MovementKind | undefined;
  /** Only lines at this time or later. */
  readonly from?: Date | undefined;
  /** Only lines before this time. The line of a day's captures stands at the last millisecond of its UTC day. */
  readonly to?: Date | undefined;
}

/** Part of the list: after a place, or a page by its offset. */
interface MovementPart {
  /** The part begins after this place; absent: with the newest line. */
  readonly after?: ListCursor | undefined;
  readonly offset?: bigint;
  readonly limit: number;
}

/** Line of a statement: a transfer, or all captures of a UTC day together. */
export interface Movement {
  /** Of the transfer; of a day's captures `usage_` and the day. */
  readonly id: string;
  readonly kind: MovementKind;
  /** Negative when it left the account. */
  readonly amountMicros: bigint;
  /** Balance of the account after this line and all older ones. */
  readonly balanceMicros: bigint;
  /** Of a refund. */
  readonly taskId: string | null;
  /** Captured tasks of a day; null for other kinds. */
  readonly tasks: bigint | null;
  readonly reference: string | null;
  readonly reason: string | null;
  readonly createdAt: Date;
}

// Captures come from the roll-up that the settling statement keeps, other transfers from their partial indexes: no capture is read.
// The balance of the account is of the same snapshot, and the lines that are newer are taken away from it.
const LIST_MOVEMENTS: Statement = {
  name: 'list-movements',
  narrowBy: 'from',
  text: `
WITH line AS (
  SELECT l.id, l.kind, l.created_at AS at, l.task_id, l.external_ref, l.reason, NULL::int8 AS tasks,
         CASE l.credit_account WHEN 'cust:' || l.account_id THEN l.amount_micros ELSE -l.amount_micros END AS amount
    FROM ledger_transfers l WHERE l.account_id = $1 AND l.kind IN ('topup', 'adjust')
  UNION ALL
  SELECT l.id, l.kind, l.created_at, l.task_id, l.external_ref, l.reason, NULL, l.amount_micros
    FROM ledger_transfers l WHERE l.account_id = $1 AND l.kind = 'refund' AND l.created_at >= $3::timestamptz
  UNION ALL
  SELECT 'usage_' || to_char(d.day, 'YYYYMMDD'), 'capture', (d.day + 1)::timestamp AT TIME ZONE 'UTC' - interval '1 millisecond',
         NULL, NULL, NULL, sum(d.requests)::int8, -sum(d.cost_micros)::int8
    FROM usage_daily d WHERE d.account_id = $1 AND d.day >= ($3::timestamptz AT TIME ZONE 'UTC')::date GROUP BY d.day),
balanced AS (
  SELECT l.*, (a.balance_micros - COALESCE(sum(l.amount) OVER (
           ORDER BY l.at DESC, l.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0))::int8 AS balance
    FROM accounts a CROSS JOIN line l WHERE a.id = $1),
wanted AS (
  SELECT *, count(*) OVER () AS total FROM balanced
   WHERE ($2::text IS NULL OR kind = $2) AND at >= $3::timestamptz AND at < $4::timestamptz)
SELECT id, kind, amount AS "amountMicros", balance AS "balanceMicros", task_id AS "taskId", tasks, external_ref AS reference, reason,
       at AS "createdAt", total
  FROM wanted WHERE (at, id) < ($5::timestamptz, $6::text) ORDER BY at DESC, id DESC LIMIT $7::int OFFSET $8::int8`,
};

const EXPORTED_PART = 1_000;
const CSV_COLUMNS = [
  'created_at',
  'kind',
  'amount',
  'balance',
  'tasks',
  'task_id',
  'reference',
  'reason',
  'id',
] as const;

/**
 * Lists the movements of money of an account part by part, newest first, each with the balance after it. The newest line that
 * nothing filters has the balance of the account. Captures are one line a UTC day, which stands last in its day. `total` counts what the
 * filter finds; 0 beyond the end.
 */
export async function listMovements(
  db: Pick<Database, 'run'>,
  { accountId, kind, from, to, after = START_OF_LIST, offset = 0n, limit }: MovementFilter & MovementPart,
): Promise<ListPart<Movement> & { readonly total: number }> {
  const rows = await db.run<Movement & { readonly total: bigint }>(LIST_MOVEMENTS, [
    accountId,
    kind ?? null,
    toTimestamp(from, '-infinity'),
    toTimestamp(to, 'infinity'),
    after.time,
    after.id,
    limit + 1,
    offset,
  ]);
  return {
    ...toPart(rows, limit, ({ total: _total, ...movement }) => movement),
    total: Number(rows[0]?.total ?? 0n),
  };
}

/** Shows operators a movement. */
export function presentMovement(movement: Movement): MovementItem {
  return {
    id: movement.id,
    kind: movement.kind,
    amount: formatDollars(movement.amountMicros),
    balance: formatDollars(movement.balanceMicros),
    task_id: movement.taskId,
    tasks: movement.tasks === null ? null : Number(movement.tasks),
    reference: movement.reference,
    reason: movement.reason,
    created_at: movement.createdAt.toISOString(),
  };
}

/** Returns the movements as the lines of a CSV file, newest first, a part at a time. */
export async function* exportMovements(
  db: Pick<Database, 'run'>,
  filter: MovementFilter,
): AsyncGenerator<string, void> {
  yield formatCsv(CSV_COLUMNS);
  for (let place: string | null = ''; place !== null; ) {
    const after = parseCursor(place) ?? undefined;
    const { items, next }: ListPart<Movement> = await listMovements(db, {
      ...filter,
      after,
      limit: EXPORTED_PART,
    });
    yield items
      .map(presentMovement)
      .map((item) => formatCsv(CSV_COLUMNS.map((name) => String(item[name] ?? ''))))
      .join('');
    place = next;
  }
}
