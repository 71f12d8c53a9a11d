import type { Database, Statement } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';

const RECOUNT: Statement = {
  name: 'recount',
  text: `
WITH done AS MATERIALIZED (SELECT recount())
INSERT INTO audit_entries (id, action, subject, detail) SELECT $1, 'ledger.recount', 'counters', $2::jsonb FROM done`,
};

/**
 * Rebuilds every counter, sum and roll-up from the rows that it counts. Balances, holds and the ledger are no counters and stay.
 * Writers wait meanwhile. Throws the errors of the database.
 */
export async function recountLedger(
  { db }: { readonly db: Pick<Database, 'run'> },
  { actor }: { readonly actor: string },
): Promise<void> {
  await db.run(RECOUNT, [newId('aud'), JSON.stringify({ actor })]);
}
