import type { Database } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { pause } from '@image-gateway/shared/lifecycle';
import type { RequestFingerprint } from '@image-gateway/shared/task';
import { type TakenTask, takeOverRequest } from '../requests/take-over-request.js';

/** Request that looks for an answer that nobody received. */
export interface AnswerSearch {
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly fingerprint: RequestFingerprint;
  readonly requestId: string;
  readonly processId: string;
  /** Which repetition of a request this is by its client's word; 0 for none. */
  readonly retryCount: number;
  /** True if equal requests of the key share the task under way. */
  readonly joinEqual: boolean;
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
/**
 * Time in which a process learns that a client has left, and accepts what that client sent before. Until then a repetition finds nothing of
 * its earlier attempt, or a row that still waits.
 */
const SETTLING_MS = 1_000;
const MARGIN_MS = 10;

/**
 * Takes over a task whose answer no equal request received; null when there is none. Waits while another process that has such a request
 * may be gone, and a repetition for what its earlier attempt may leave. After that a repetition joins an equal task under way: proxies may
 * keep the connection of an attempt that its client gave up. Where equal requests of a key share tasks, each joins at once.
 * Throws AppError `SERVICE_UNAVAILABLE` if that takes too long.
 */
export async function takeOverAnswer(
  db: Pick<Database, 'run'>,
  search: AnswerSearch,
): Promise<TakenTask | null> {
  const { waitMs, closed, stopping } = search;
  const startedAt = performance.now();
  for (;;) {
    const waitedMs = performance.now() - startedAt;
    // A process that has renewed its lease later than that has recorded by then that the client left, if it did.
    const doubtMs = search.isWary ? Math.min(DOUBT_MS, Math.max(0, waitedMs - SETTLING_MS)) : DOUBT_MS;
    const isSettling = search.retryCount > 0 && waitedMs < Math.min(SETTLING_MS, waitMs);
    const joins = search.joinEqual || (search.retryCount > 0 && !isSettling);
    const { task, doubtEndsMs } = await takeOverRequest(db, { ...search, doubtMs, joins });
    if (task || (doubtEndsMs === null && !isSettling)) {
      return task;
    }
    if ((waitedMs >= waitMs && !isSettling) || closed.aborted || stopping.aborted) {
      throw new AppError('SERVICE_UNAVAILABLE', {
        message: 'the process of an equal request may be gone',
        publicMessage: 'An equal request may have been interrupted. Repeat the request to get its images.',
        retryAfterSeconds: 1,
      });
    }
    await pause(Math.min((doubtEndsMs ?? SETTLING_MS) + MARGIN_MS, LOOK_EVERY_MS, waitMs), closed);
  }
}
