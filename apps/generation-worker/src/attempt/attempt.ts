import type { LastCall } from '@image-gateway/shared/billing';
import type { AspectRatio, Reason } from '@image-gateway/shared/contract';
import type { CallOutcome, CallRow, ClaimedTask, OutputRow } from '@image-gateway/shared/db';
import type { Logger } from '@image-gateway/shared/logging';
import type { Candidate } from '../providers/port.js';

/** Parts of a new attempt. */
export interface AttemptParts {
  readonly task: ClaimedTask;
  /** Aborted with an AttemptAborted. */
  readonly signal: AbortSignal;
  /** Carries task, attempt and request id. */
  readonly log: Logger;
}

/** One run of a task in this process: the row as it was claimed, and its known images and calls. */
export class Attempt {
  /** Aborted with an AttemptAborted. */
  readonly signal: AbortSignal;
  /** Carries task, attempt and request id. */
  readonly log: Logger;
  readonly #outputs: OutputRow[] = [];
  readonly #calls = new Map<string, CallRow>();
  /** Keys of objects that were put, or may have been, and have no row yet. */
  readonly #openKeys = new Set<string>();
  #task: ClaimedTask;
  #unsaved: LastCall | null = null;
  #isCanceled: boolean;
  readonly #unused: Set<string>;

  /** Begins the attempt of a claimed task; nothing is known yet of earlier ones. */
  constructor({ task, signal, log }: AttemptParts) {
    this.#task = task;
    this.signal = signal;
    this.log = log;
    this.#isCanceled = task.cancelRequestedAt !== null;
    this.#unused = new Set(task.unused);
  }

  /** The row as it was claimed, with the shape that this attempt has set. */
  get task(): ClaimedTask {
    return this.#task;
  }

  /** Number of stored images. */
  get storedCount(): number {
    return this.#outputs.length;
  }

  /** All calls ever made for the task, by id, in the order of their start. */
  get calls(): ReadonlyMap<string, CallRow> {
    return this.#calls;
  }

  /** Last image and the outcome of its call, which the settlement saves; null when all images have their rows. */
  get unsaved(): LastCall | null {
    return this.#unsaved;
  }

  /** True once the end of the task was requested: no call starts any more. */
  get isCanceled(): boolean {
    return this.#isCanceled;
  }

  /** True when each object that the attempt put has its row. */
  get isClean(): boolean {
    return this.#openKeys.size === 0;
  }

  /** The same once the settlement has saved the last image. */
  get isCleanOnceSettled(): boolean {
    return this.#openKeys.size === (this.#unsaved ? 1 : 0);
  }

  /** Records the ratio that was set, which stands from now on. */
  recordShape(aspectRatio: AspectRatio): void {
    this.#task = { ...this.#task, aspectRatio, shapeRatios: null };
  }

  /** Returns the slots without a stored image, ascending. */
  missingSlots(): number[] {
    const stored = new Set(this.#outputs.map(({ slot }) => slot));
    return Array.from({ length: this.task.numOutputs }, (_, slot) => slot).filter(
      (slot) => !stored.has(slot),
    );
  }

  /** Records that an object is about to be put. */
  recordPut(key: string): void {
    this.#openKeys.add(key);
  }

  /** Records an image that has its object and its row. */
  recordOutput(row: OutputRow): void {
    this.#outputs.push(row);
    this.#openKeys.delete(row.key);
  }

  /** Records the last image of a task with a single call. It has its object; its row comes with the settlement. */
  recordLastOutput(output: OutputRow): void {
    this.#outputs.push(output);
    this.#unsaved = { output, outcome: null };
  }

  /** Records the outcome of the call that brought the last image. */
  recordLastOutcome(outcome: CallOutcome): void {
    this.#unsaved = this.#unsaved && { ...this.#unsaved, outcome };
  }

  /** Records that the last image has its row. */
  recordSaved(): void {
    this.#openKeys.delete(this.#unsaved?.output.key ?? '');
    this.#unsaved = null;
  }

  /** Returns the preferences of a list that the row does not name as left out yet. */
  listNewUnused(unused: readonly string[]): string[] {
    return unused.filter((name) => !this.#unused.has(name));
  }

  /** Records that the row names these preferences as left out. */
  recordUnused(unused: readonly string[]): void {
    for (const name of unused) {
      this.#unused.add(name);
    }
  }

  /** Records that the end of the task was requested. */
  recordCancel(): void {
    this.#isCanceled = true;
  }

  /** Records a new call, or what became of a known one. */
  recordCall(row: CallRow): void {
    this.#calls.set(row.id, row);
  }
}

/** How an attempt ends. */
export type AttemptEnd =
  /** The task ends: completed with what is stored, or failed with the reason when nothing is. */
  | { readonly kind: 'settle'; readonly reason: Reason }
  /** A retryable failure: a try is used up, and without another one the task ends with the reason. */
  | { readonly kind: 'retry'; readonly reason: Reason }
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
