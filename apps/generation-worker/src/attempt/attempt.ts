import type { CallRow, ClaimedTask, OutputRow } from '@image-gateway/shared/db';
import type { Logger } from '@image-gateway/shared/logging';

/** One run of a task in this process: the row as it was claimed, and what is known of its images and calls. */
export interface Attempt {
  readonly task: ClaimedTask;
  /** Images that are stored, in index order; grows. */
  readonly outputs: OutputRow[];
  /** All calls ever made for the task, by id; grows and changes. */
  readonly calls: Map<string, CallRow>;
  /** Keys of objects that were put, or may have been, and have no row yet. */
  readonly openKeys: Set<string>;
  /** Aborted with an AttemptAborted. */
  readonly signal: AbortSignal;
  /** Carries task, attempt and request id. */
  readonly log: Logger;
}

/** How an attempt ends. */
export type AttemptEnd =
  /** The task ends: completed with what is stored, or failed with the reason when nothing is. */
  | { readonly kind: 'settle'; readonly reason: string }
  /** A retryable failure: a try is used up, and without another one the task ends with the reason. */
  | { readonly kind: 'retry'; readonly reason: string }
  /** The task goes back without a try: a rate limit, a job that takes long, own trouble, the end of this process. */
  | { readonly kind: 'release'; readonly delayMs: number; readonly why: string }
  /** The task is somebody else's now; nothing is to be done. */
  | { readonly kind: 'leave' };

/** Numbers of the asked images that are not stored yet, rising. */
export function missingSlots({ task, outputs }: Pick<Attempt, 'task' | 'outputs'>): number[] {
  const stored = new Set(outputs.map(({ slot }) => slot));
  return Array.from({ length: task.numOutputs }, (_, slot) => slot).filter((slot) => !stored.has(slot));
}
