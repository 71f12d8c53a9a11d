import type { LastCall } from '@image-gateway/shared/billing';
import type { CallOutcome, CallRow, ClaimedTask, OutputRow } from '@image-gateway/shared/db';
import type { Logger } from '@image-gateway/shared/logging';
import type { Candidate } from '../providers/port.js';

/** One run of a task in this process: the row as it was claimed, and its known images and calls. Only the functions of this file change it. */
export interface Attempt {
  readonly task: ClaimedTask;
  /** Stored images, in index order. */
  readonly outputs: readonly OutputRow[];
  /** All calls ever made for the task, by id, in the order of their start. */
  readonly calls: ReadonlyMap<string, CallRow>;
  /** Keys of objects that were put, or may have been, and have no row yet. */
  readonly openKeys: ReadonlySet<string>;
  /** Last image and the outcome of its call, which the settlement saves; null when all images have their rows. */
  readonly unsaved: LastCall | null;
  /** True once the end of the task was requested: no call starts any more. */
  readonly isCanceled: boolean;
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
  /** The task returns to the queue without a used try: a rate limit, a slow job, an internal error, the end of this process. */
  | {
      readonly kind: 'release';
      readonly delayMs: number;
      readonly why: string;
      /** Candidates of which any permit wakes the task. */
      readonly waitsFor?: readonly Candidate[];
    }
  /** The task belongs to another attempt by now. */
  | { readonly kind: 'leave' };

/** Creates the attempt of a claimed task; nothing is known yet of earlier ones. */
export function createAttempt(parts: Pick<Attempt, 'task' | 'signal' | 'log'>): Attempt {
  const isCanceled = parts.task.cancelRequestedAt !== null;
  return { ...parts, outputs: [], calls: new Map(), openKeys: new Set(), unsaved: null, isCanceled };
}

/** Returns the slots without a stored image, ascending. */
export function missingSlots({ task, outputs }: Pick<Attempt, 'task' | 'outputs'>): number[] {
  const stored = new Set(outputs.map(({ slot }) => slot));
  return Array.from({ length: task.numOutputs }, (_, slot) => slot).filter((slot) => !stored.has(slot));
}

/** Returns true when each object that the attempt put has its row. */
export function isClean({ openKeys }: Pick<Attempt, 'openKeys'>): boolean {
  return openKeys.size === 0;
}

/** Records that an object is about to be put. */
export function recordPut({ openKeys }: Pick<Attempt, 'openKeys'>, key: string): void {
  (openKeys as Set<string>).add(key);
}

/** Records an image that has its object and its row. */
export function recordOutput(
  { outputs, openKeys }: Pick<Attempt, 'outputs' | 'openKeys'>,
  row: OutputRow,
): void {
  (outputs as OutputRow[]).push(row);
  (openKeys as Set<string>).delete(row.key);
}

/** Records the last image of a task with a single call. It has its object; its row comes with the settlement. */
export function recordLastOutput(attempt: Pick<Attempt, 'outputs' | 'unsaved'>, output: OutputRow): void {
  (attempt.outputs as OutputRow[]).push(output);
  (attempt as { unsaved: LastCall | null }).unsaved = { output, outcome: null };
}

/** Records the outcome of the call that brought the last image. */
export function recordLastOutcome(attempt: Pick<Attempt, 'unsaved'>, outcome: CallOutcome): void {
  const { unsaved } = attempt;
  (attempt as { unsaved: LastCall | null }).unsaved = unsaved && { ...unsaved, outcome };
}

/** Records that the last image has its row. */
export function recordSaved(attempt: Pick<Attempt, 'openKeys' | 'unsaved'>): void {
  (attempt.openKeys as Set<string>).delete(attempt.unsaved?.output.key ?? '');
  (attempt as { unsaved: LastCall | null }).unsaved = null;
}

/** Records that the end of the task was requested. */
export function recordCancel(attempt: Pick<Attempt, 'isCanceled'>): void {
  (attempt as { isCanceled: boolean }).isCanceled = true;
}

/** Records a new call, or what became of a known one. */
export function recordCall({ calls }: Pick<Attempt, 'calls'>, row: CallRow): void {
  (calls as Map<string, CallRow>).set(row.id, row);
}

/**
 * Cause of a stopped attempt.
 *
 * - `lost`: the task has ended or belongs to another attempt.
 * - `lease`: the lease expired because the database did not respond.
 * - `hung`: the lease expired because this process made no progress.
 * - `deadline`: the time of the task is over.
 * - `shutdown`: this process ends.
 */
export type AbortCause = 'lost' | 'lease' | 'hung' | 'deadline' | 'shutdown';

/** Reason of an aborted attempt's signal. */
export class AttemptAborted extends Error {
  readonly why: AbortCause;

  constructor(why: AbortCause) {
    super(`the attempt was stopped: ${why}`);
    this.name = 'AttemptAborted';
    this.why = why;
  }
}
