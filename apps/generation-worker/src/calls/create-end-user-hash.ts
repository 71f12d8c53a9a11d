import { createHmac } from 'node:crypto';
import { type Database, findEndUserKey, type TaskRow } from '@image-gateway/shared/db';

/** Returns what stands for the end user of a task at vendors, who block it instead of the key: a hash of account and `metadata.user`. */
export type HashEndUser = (task: Pick<TaskRow, 'accountId' | 'metadata'>) => Promise<string>;

const DIGITS = 40;

/** Creates the hash of end users, keyed by the installation: it tells vendors nothing about anybody, and differs between gateways. */
export function createEndUserHash(db: Pick<Database, 'run'>): HashEndUser {
  let known: string | null = null;
  return async ({ accountId, metadata }) => {
    known ??= await findEndUserKey(db);
    const user = JSON.stringify([accountId, metadata?.user ?? null]);
    return `gw-${createHmac('sha256', known).update(user).digest('hex').slice(0, DIGITS)}`;
  };
}
