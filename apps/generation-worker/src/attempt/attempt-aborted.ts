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
