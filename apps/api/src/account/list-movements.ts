import type { MovementItem } from '@image-gateway/shared/account/schema';
import type { MovementKind } from '@image-gateway/shared/contract';
import { type Database, type Statement, toTimestamp } from '@image-gateway/shared/db';
import { notFound } from '@image-gateway/shared/errors';
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
  /** True where the owner sees reason and reference of an adjustment. */
  readonly isShown: boolean;
  readonly createdAt: Date;
}

/** Part of the movements of an account, and its money in the same snapshot. */
export interface MovementList extends ListPart<Movement> {
  /** Lines that the filter finds. */
  readonly total: number;
  readonly balanceMicros: bigint;
  readonly heldMicros: bigint;
}

// Captures come from the roll-up that the settling statement keeps, other transfers from their partial indexes: no capture is read.
// The balance of the account is of the same snapshot, and the lines that are newer are taken away from it.
const LIST_MOVEMENTS: Statement = {
  name: 'list-movements',
  narrowBy: 'from',
  text: `
WITH line AS (
  SELECT l.id, l.kind, l.created_at AS at, l.task_id, l.external_ref, l.reason, l.is_shown, NULL::int8 AS tasks,
         CASE l.credit_account WHEN 'cust:' || l.account_id THEN l.amount_micros ELSE -l.amount_micros END AS amount
    FROM ledger_transfers l WHERE l.account_id = $1 AND l.kind IN ('topup', 'adjust')
  UNION ALL
  SELECT l.id, l.kind, l.created_at, l.task_id, l.external_ref, l.reason, l.is_shown, NULL, l.amount_micros
    FROM ledger_transfers l WHERE l.account_id = $1 AND l.kind = 'refund' AND l.created_at >= $3::timestamptz
  UNION ALL
  SELECT 'usage_' || to_char(d.day, 'YYYYMMDD'), 'capture', (d.day + 1)::timestamp AT TIME ZONE 'UTC' - interval '1 millisecond',
         NULL, NULL, NULL, false, sum(d.requests)::int8, -sum(d.cost_micros)::int8
    FROM usage_daily d WHERE d.account_id = $1 AND d.day >= ($3::timestamptz AT TIME ZONE 'UTC')::date GROUP BY d.day),
balanced AS (
  SELECT l.*, (a.balance_micros - COALESCE(sum(l.amount) OVER (
           ORDER BY l.at DESC, l.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0))::int8 AS balance
    FROM accounts a CROSS JOIN line l WHERE a.id = $1),
wanted AS (
  SELECT * FROM balanced
   WHERE ($2::text IS NULL OR kind = $2) AND at >= $3::timestamptz AND at < $4::timestamptz),
page AS (
  SELECT * FROM wanted WHERE (at, id) < ($5::timestamptz, $6::text) ORDER BY at DESC, id DESC LIMIT $7::int OFFSET $8::int8)
SELECT a.balance_micros AS "wholeMicros", a.held_micros AS "heldMicros", (SELECT count(*) FROM wanted) AS total, p.id, p.kind,
       p.amount AS "amountMicros", p.balance AS "balanceMicros", p.task_id AS "taskId", p.tasks, p.external_ref AS reference, p.reason,
       p.is_shown AS "isShown", p.at AS "createdAt"
  FROM accounts a LEFT JOIN page p ON true WHERE a.id = $1 ORDER BY p.at DESC, p.id DESC`,
};

const DAY_MS = 24 * 60 * 60 * 1_000;
const EXPORTED_PART = 1_000;
/**
 * Lists the movements of money of an account part by part, newest first, each with the balance after it. The newest line
 * that nothing filters has the balance of the account. Captures are one line a UTC day, which stands last in its day. Throws AppError
 * `NOT_FOUND`.
 */
export async function listMovements(
  db: Pick<Database, 'run'>,
  { accountId, kind, from, to, after = START_OF_LIST, offset = 0n, limit }: MovementFilter & MovementPart,
): Promise<MovementList> {
  const rows = await db.run<Row>(LIST_MOVEMENTS, [
    accountId,
    kind ?? null,
    toTimestamp(from, '-infinity'),
    toTimestamp(to, 'infinity'),
    after.time,
    after.id,
    limit + 1,
    offset,
  ]);
  const [money] = rows;
  if (!money) {
    throw notFound('account', accountId);
  }
  return {
    ...toPart(
      rows.filter(isMovement),
      limit,
      ({ total: _total, wholeMicros: _whole, heldMicros: _held, ...movement }) => movement,
    ),
    total: Number(money.total),
    balanceMicros: money.wholeMicros,
    heldMicros: money.heldMicros,
  };
}

interface Money {
  readonly total: bigint;
  readonly wholeMicros: bigint;
  readonly heldMicros: bigint;
}
type Row = Money & (Movement | { readonly id: null });

function isMovement(row: Row): row is Money & Movement {
  return row.id !== null;
}

/** Turns days, both included, into times. */
export function toMovementFilter(
  accountId: string,
  {
    kind,
    from,
    to,
  }: {
    readonly kind?: MovementKind | undefined;
    readonly from?: string | undefined;
    readonly to?: string | undefined;
  },
): MovementFilter {
  return {
    accountId,
    kind,
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(Date.parse(to) + DAY_MS),
  };
}

/** Columns of the file of operators. */
export const MOVEMENT_COLUMNS = [
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
export async function* exportMovements<Item extends object>(
  db: Pick<Database, 'run'>,
  filter: MovementFilter,
  columns: readonly (keyof Item & string)[],
  present: (movement: Movement) => Item,
): AsyncGenerator<string, void> {
  let head = formatCsv(columns);
  for (let place: string | null = ''; place !== null; ) {
    const after = parseCursor(place) ?? undefined;
    const { items, next }: MovementList = await listMovements(db, { ...filter, after, limit: EXPORTED_PART });
    const lines = items
      .map(present)
      .map((item) => formatCsv(columns.map((name) => String(item[name] ?? ''))));
    yield head + lines.join('');
    head = '';
    place = next;
  }
}
