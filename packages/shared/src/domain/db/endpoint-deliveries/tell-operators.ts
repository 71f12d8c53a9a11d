import type { OPERATOR_EVENTS } from '../../contract/index.js';
import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

/** Writes the select that adds an event for operators' endpoints of its type. The SQL expression `data` makes it from a row of `from`. */
export function selectOperatorEvents(
  type: (typeof OPERATOR_EVENTS)[number],
  { from, data }: { readonly from: string; readonly data: string },
): string {
  return `SELECT add_event(e.id, '${type}', ${data}, NULL) FROM ${from} JOIN endpoints e ON e.account_id IS NULL AND '${type}' = ANY (e.types)`;
}

const TELL_LEDGER_CHECK: Statement = {
  name: 'tell-ledger-check',
  text: selectOperatorEvents('ledger.check_failed', {
    from: '(SELECT $1::text[] AS names) n',
    data: "json_build_object('invariants', n.names)",
  }),
};

/** Tells operators which invariants a check of the ledger found broken. */
export async function tellLedgerCheck(
  db: Pick<Database, 'run'>,
  invariants: readonly string[],
): Promise<void> {
  await db.run(TELL_LEDGER_CHECK, [invariants]);
}
