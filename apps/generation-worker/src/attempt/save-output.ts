import { hash, webcrypto } from 'node:crypto';
import { addOutput, type Database, type OutputRow } from '@image-gateway/shared/db';
import type { Image } from '../images/image.js';
import { type Attempt, recordOutput } from './attempt.js';
import { AttemptAborted } from './attempt-aborted.js';

/** Above this size, handing the bytes to another thread and back is faster than hashing them here. */
const MAX_SYNC_BYTES = 64 * 1024;

/** Saves the row of an image whose object is stored, as the next image of the task. Throws AttemptAborted when the task belongs to another attempt. */
export async function saveOutput(
  { db }: { readonly db: Pick<Database, 'run'> },
  attempt: Attempt,
  { key, image, slot }: { readonly key: string; readonly image: Image; readonly slot: number },
): Promise<void> {
  const row: OutputRow = {
    index: attempt.outputs.length,
    slot,
    key,
    contentType: image.contentType,
    bytes: image.bytes.length,
    width: image.width,
    height: image.height,
    sha256: await computeSha256(image.bytes),
  };
  const { id: taskId, attempt: number } = attempt.task;
  if (!(await addOutput(db, { taskId, attempt: number }, row))) {
    throw new AttemptAborted('lost');
  }
  recordOutput(attempt, row);
}

/** Returns the hexadecimal SHA-256. Large inputs go to a thread: the event loop has no time for megabytes. */
async function computeSha256(bytes: Buffer): Promise<string> {
  if (bytes.length <= MAX_SYNC_BYTES) {
    return hash('sha256', bytes);
  }
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
}
