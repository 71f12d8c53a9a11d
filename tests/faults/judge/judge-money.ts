import type { TestDatabase } from '@image-gateway/testing';
import type { TaskHistory } from './read-history.js';

/** The list price of one image of the default model and resolution, in micro-dollars. */
export const UNIT_MICROS = 10_000;

/** Checks an account against its tasks: each charged once for what is stored, failed ones not at all, nothing held. */
export async function judgeMoney(
  database: TestDatabase,
  account: { readonly id: string; readonly paidInMicros: bigint },
  history: readonly TaskHistory[],
): Promise<string[]> {
  const faults: string[] = [];
  let spent = 0;
  for (const { id, status, costMicros, captures, storedCount, outputs } of history) {
    const charged = status === 'completed';
    if (captures !== (charged ? 1 : 0)) {
      faults.push(`task ${id} is ${status} and was charged ${captures} times`);
    }
    if (charged && costMicros !== UNIT_MICROS * outputs.length) {
      faults.push(`task ${id} costs ${costMicros} for ${outputs.length} images`);
    }
    if (!charged && costMicros !== 0) {
      faults.push(`task ${id} failed and costs ${costMicros}`);
    }
    if (storedCount !== outputs.length) {
      faults.push(`task ${id} counts ${storedCount} of ${outputs.length} images`);
    }
    spent += costMicros;
  }
  const { rows } = await database.pool.query<{ balance: string; held: string }>(
    'SELECT balance_micros AS balance, held_micros AS held FROM accounts WHERE id = $1',
    [account.id],
  );
  const { balance = '?', held = '?' } = rows[0] ?? {};
  const expected = account.paidInMicros - BigInt(spent);
  if (balance !== String(expected)) {
    faults.push(`account ${account.id} has ${balance} instead of ${expected}`);
  }
  if (held !== '0') {
    faults.push(`account ${account.id} still holds ${held}`);
  }
  return faults;
}
