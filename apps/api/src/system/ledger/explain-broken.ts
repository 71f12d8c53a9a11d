import type { Database } from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import type { BrokenInvariant } from './check-ledger.js';

/** Broken invariant with what its rows should say, and the step after it. */
export interface ExplainedInvariant extends BrokenInvariant {
  readonly remediation: string;
}

/** Both sides that an invariant compares. */
interface Comparison {
  readonly table: 'accounts' | 'tasks';
  readonly isMoney: boolean;
  /** SQL over the row `r`. */
  readonly expected: string;
  readonly actual: string;
}

const countTasks = (condition: string): string =>
  `SELECT count(*) FROM tasks t WHERE t.account_id = r.id AND ${condition}`;
const OUTPUTS = 'SELECT count(*) FROM task_outputs o WHERE o.task_id = r.id';

/** Comparisons by the number of their invariant; the others have a rule that is no equation of two values. */
const COMPARISONS: Readonly<Record<string, Comparison>> = {
  I2: {
    table: 'accounts',
    isMoney: true,
    expected: `SELECT COALESCE(sum(CASE WHEN l.credit_account = 'cust:' || r.id THEN l.amount_micros ELSE -l.amount_micros END), 0)
      FROM ledger_transfers l WHERE l.account_id = r.id AND 'cust:' || r.id IN (l.credit_account, l.debit_account)`,
    actual: 'SELECT r.balance_micros',
  },
  I3: {
    table: 'accounts',
    isMoney: true,
    expected: `SELECT COALESCE(sum(t.hold_micros), 0) FROM tasks t WHERE t.account_id = r.id AND t.status = 'pending'`,
    actual: 'SELECT r.held_micros',
  },
  I5: {
    table: 'tasks',
    isMoney: true,
    expected: `SELECT CASE r.status WHEN 'completed' THEN r.cost_micros ELSE 0 END`,
    actual: `SELECT COALESCE(sum(l.amount_micros), 0) FROM ledger_transfers l WHERE l.task_id = r.id AND l.kind = 'capture'`,
  },
  I6: {
    table: 'tasks',
    isMoney: true,
    expected: `SELECT CASE r.status WHEN 'completed' THEN r.cost_micros ELSE 0 END`,
    actual: 'SELECT COALESCE(sum(u.cost_micros), 0) FROM usage_records u WHERE u.task_id = r.id',
  },
  I7: {
    table: 'tasks',
    isMoney: true,
    expected: `SELECT r.unit_micros * (${OUTPUTS})`,
    actual: 'SELECT r.cost_micros',
  },
  I17: { table: 'tasks', isMoney: false, expected: OUTPUTS, actual: 'SELECT r.stored_count' },
  I22: {
    table: 'accounts',
    isMoney: false,
    expected: countTasks(`t.status = 'pending'`),
    actual: 'SELECT r.open_count',
  },
  I32: {
    table: 'accounts',
    isMoney: false,
    expected: countTasks('t.deleted_at IS NOT NULL'),
    actual: 'SELECT r.erased_count',
  },
};

const MONEY = new Set(['I2', 'I3', 'I4', 'I5', 'I6', 'I7', 'I14', 'I15']);
/** Invariants of what `ledger recount` rebuilds. */
const COUNTED = new Set(
  'I16 I17 I18 I19 I20 I21 I22 I23 I24 I26 I27 I28 I29 I30 I32 I34 I35 I37 I38'.split(' '),
);

/** Adds to broken invariants what their rows should say and say, and what to do. */
export async function explainBroken(
  db: Pick<Database, 'run'>,
  broken: readonly BrokenInvariant[],
): Promise<ExplainedInvariant[]> {
  const explained: ExplainedInvariant[] = [];
  for (const { name, rows } of broken) {
    const [number = ''] = name.split(' ');
    const comparison = COMPARISONS[number];
    explained.push({
      name,
      rows: comparison ? await compareRows(db, number, comparison, rows) : rows,
      remediation: getRemediation(number),
    });
  }
  return explained;
}

async function compareRows(
  db: Pick<Database, 'run'>,
  number: string,
  { table, isMoney, expected, actual }: Comparison,
  rows: BrokenInvariant['rows'],
): Promise<BrokenInvariant['rows']> {
  const text = `SELECT r.id, (${expected})::text AS expected, (${actual})::text AS actual FROM ${table} r WHERE r.id = ANY($1::text[])`;
  const found = await db.run<{ id: string; expected: string; actual: string }>(
    { name: `ledger-explain-${number}`, text },
    [rows.map(({ id }) => id)],
  );
  const show = (value: string): string => (isMoney ? formatDollars(BigInt(value)) : value);
  const byId = new Map(found.map((row) => [row.id, row]));
  return rows.map((row) => {
    const sides = byId.get(row.id ?? '');
    return sides ? { ...row, expected: show(sides.expected), actual: show(sides.actual) } : row;
  });
}

function getRemediation(number: string): string {
  if (MONEY.has(number)) {
    return (
      'No command mends money by itself. Suspend the accounts of these rows (account suspend ID), keep this output, and report it with ' +
      'the version and the request ids (task show ID). Once the cause is known: account adjust ID, or task refund ID.'
    );
  }
  return COUNTED.has(number)
    ? 'A counter: ledger recount rebuilds it from its rows, while submits wait. Then check again.'
    : 'Tasks go on. Keep this output, and report it with the version and what task show ID says of these rows.';
}
