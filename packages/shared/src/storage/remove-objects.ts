import type { BucketDependencies } from './bucket-dependencies.js';
import { StorageError } from './storage-error.js';

/** The protocol takes at most so many keys at once. */
const BATCH = 1_000;

/** Removes objects; a key without one is no error. */
export async function removeObjects(
  { call, bucket }: BucketDependencies,
  keys: readonly string[],
): Promise<void> {
  for (let from = 0; from < keys.length; from += BATCH) {
    const batch = keys.slice(from, from + BATCH);
    const what = batch.length === 1 ? `remove ${batch[0]}` : `remove ${batch.length} objects`;
    const answers = await call(what, (client) => client.removeObjects(bucket, batch));
    const code = answers.map(codeOf).find((each) => each !== undefined && each !== 'NoSuchKey');
    if (code !== undefined) {
      throw new StorageError({ fault: 'answer', message: `${what}: ${code}`, serverCode: code });
    }
  }
}

/** The types of minio 8.0.7 wrap each entry in `Error`, its code does not. */
function codeOf(answer: unknown): string | undefined {
  const entry = isRecord(answer) && isRecord(answer.Error) ? answer.Error : answer;
  if (!isRecord(entry)) return undefined;
  return typeof entry.Code === 'string' ? entry.Code : 'unnamed error';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
