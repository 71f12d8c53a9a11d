import { addOutput, type Database, type OutputRow } from '@image-gateway/shared/db';
import type { Attempt } from '../attempt/attempt.js';
import { AttemptAborted } from '../attempt/attempt-aborted.js';
import type { Picture } from '../images/create-inspector.js';
import { sha256Of } from '../images/sha256-of.js';

/** Writes down a picture that stands in the store as the next image of the task; throws AttemptAborted when the task is no longer ours. */
export async function writeOutput(
  { db }: { readonly db: Pick<Database, 'run'> },
  attempt: Attempt,
  image: { readonly key: string; readonly picture: Picture; readonly slot: number },
): Promise<void> {
  const { key, picture, slot } = image;
  const output: OutputRow = {
    index: attempt.outputs.length,
    slot,
    key,
    contentType: picture.contentType,
    bytes: picture.bytes.length,
    width: picture.width,
    height: picture.height,
    sha256: await sha256Of(picture.bytes),
  };
  const { id: taskId, attempt: number } = attempt.task;
  if (!(await addOutput(db, { taskId, attempt: number }, output))) throw new AttemptAborted('lost');
  attempt.outputs.push(output);
}
