import type pg from 'pg';
import { TIMED_OUT, withTimeout } from '../../runtime/concurrency/index.js';
import type { Statement } from './statement.js';

// The driver has a time-out of its own, which forgets answers that have arrived but were not read yet. It must not be first.
const DRIVERS_OWN_MS = 60_000;

/** Runs a statement on a connection of the pool; throws what the driver throws, and an Error when the answer takes longer than `answerMs`. */
export async function queryWithin(
  pool: pg.Pool,
  { name, text }: Statement,
  values: readonly unknown[],
  answerMs: number,
): Promise<pg.QueryResult> {
  const client = await pool.connect();
  const query = { name, text, values: [...values], query_timeout: answerMs + DRIVERS_OWN_MS };
  // A connection that breaks rejects its query as well.
  const onError = (): void => undefined;
  client.on('error', onError);
  let spoiled = true;
  try {
    const result = await withTimeout(answerMs, client.query(query));
    if (result === TIMED_OUT) {
      throw new Error(`no answer for ${answerMs} ms`);
    }
    spoiled = false;
    return result;
  } catch (error) {
    // An error that the server merely reported leaves its connection usable.
    spoiled = (error as { severity?: unknown }).severity !== 'ERROR';
    throw error;
  } finally {
    client.release(spoiled);
    client.off('error', onError);
  }
}
