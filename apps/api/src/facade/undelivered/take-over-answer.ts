import type { Database } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { pause } from '@image-gateway/shared/lifecycle';
import { type TakenTask, takeOverRequest } from '../../operations/facade/take-over-request.js';

/** Request that looks for an answer that nobody received. */
export interface AnswerSearch {
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly fingerprint: Buffer;
  readonly requestId: string;
  readonly processId: string;
  /** True if the client says that it repeats a request. */
  readonly isRepetition: boolean;
  /** True when a process may have died a moment ago: then only a renewed lease proves that it lives. */
  readonly isWary: boolean;
  /** Longest time that the search may wait, in milliseconds. */
  readonly waitMs: number;
  /** Aborted when the client has left. */
  readonly closed: AbortSignal;
  /** Aborted when this process stops. */
  readonly stopping: AbortSignal;
}

/** Age of a lease, renewed every second, from which its process may be gone. */
const DOUBT_MS = 1_500;
const LOOK_EVERY_MS = 250;
const MARGIN_MS = 10;

/**
 * Takes over a task whose answer no equal request received; null when there is none. Waits while another process that has such a request
 * may be gone. Throws AppError `SERVICE_UNAVAILABLE` if that takes too long.
 */
export async function takeOverAnswer(
  db: Pick<Database, 'run'>,
  search: AnswerSearch,
): Promise<TakenTask | null> {
  const { waitMs, closed, stopping } = search;
  const startedAt = performance.now();
  for (;;) {
    const waitedMs = performance.now() - startedAt;
    // A lease that was renewed since the search began is younger than the search.
    const doubtMs = search.isWary ? Math.min(DOUBT_MS, waitedMs) : DOUBT_MS;
    const { task, doubtEndsMs } = await takeOverRequest(db, { ...search, doubtMs });
    if (task || doubtEndsMs === null) {
      return task;
    }
    if (waitedMs >= waitMs || closed.aborted || stopping.aborted) {
      throw new AppError('SERVICE_UNAVAILABLE', {
        message: 'the process of an equal request may be gone',
        publicMessage: 'An equal request may have been interrupted. Repeat the request to get its images.',
        retryAfterSeconds: 1,
      });
    }
    await pause(Math.min(doubtEndsMs + MARGIN_MS, LOOK_EVERY_MS, waitMs), closed);
  }
}
