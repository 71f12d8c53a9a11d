import { addOutput, type Database, type OutputRow } from '@image-gateway/shared/db';
import type { Attempt } from '../attempt/attempt.js';
import { AttemptAborted } from '../attempt/attempt-aborted.js';
import { computeSha256 } from '../images/compute-sha256.js';
import type { Image } from '../images/image.js';

/** Writes down an image that stands in the store as the next image of the task; throws AttemptAborted when the task is no longer ours. */
export async function writeOutput(
  { db }: { readonly db: Pick<Database, 'run'> },
  attempt: Attempt,
  output: { readonly key: string; readonly image: Image; readonly slot: number },
): Promise<void> {
  const { key, image, slot } = output;
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
  if (!(await addOutput(db, { taskId, attempt: number }, row))) throw new AttemptAborted('lost');
  attempt.outputs.push(row);
}
