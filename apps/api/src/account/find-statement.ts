import type { MovementItem, Statement, StatementItem } from '@image-gateway/shared/account/schema';
import { buildPagination, type PageQuery, toSlice } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import {
  exportMovements,
  listMovements,
  type Movement,
  type MovementFilter,
  presentMovement,
} from './list-movements.js';

type Runner = Pick<Database, 'run'>;

const COLUMNS = [
  'created_at',
  'kind',
  'amount',
  'balance',
  'by',
  'tasks',
  'task_id',
  'reference',
  'reason',
  'id',
] as const;

/** Returns a page of the movements of money of an account for its owner, and its money in the same snapshot. */
export async function readStatement(db: Runner, filter: MovementFilter, page: PageQuery): Promise<Statement> {
  const list = await listMovements(db, { ...filter, ...toSlice(page) });
  return {
    balance: formatDollars(list.balanceMicros),
    held: formatDollars(list.heldMicros),
    available: formatDollars(list.balanceMicros - list.heldMicros),
    items: list.items.map((movement) => presentLine(movement, filter.accountId)),
    pagination: buildPagination(page.page, page.per_page, list.total),
  };
}

/** Returns the statement of an account as the parts of a CSV file, newest line first. */
export const exportStatement = (db: Runner, filter: MovementFilter): AsyncGenerator<string, void> =>
  exportMovements(db, filter, COLUMNS, (movement) => presentLine(movement, filter.accountId));

/** Shows the owner a movement: reason and reference of an adjustment only where the operator does, and nobody by name. */
function presentLine(movement: Movement, accountId: string): StatementItem {
  const { id, kind, amount, balance, created_at, ...item } = presentMovement(movement);
  const isSignUp = item.reference === `signup:${accountId}`;
  const isOpen = kind !== 'adjust' || movement.isShown;
  return {
    id,
    kind,
    amount,
    balance,
    by: kind === 'capture' ? 'you' : isSignUp ? 'system' : 'operator',
    ...(item.tasks !== null && { tasks: item.tasks }),
    ...(item.task_id !== null && { task_id: item.task_id }),
    ...(isOpen && isNamed(item) && { reference: item.reference }),
    ...((isOpen || isSignUp) && item.reason !== null && { reason: item.reason }),
    created_at,
  };
}

/** References that the form of operators and the command for a new account make say nothing to people. */
function isNamed(item: Pick<MovementItem, 'reference'>): item is { readonly reference: string } {
  return item.reference !== null && !/^(dashboard|opening):/.test(item.reference);
}
