/**
 * Why an attempt must stop: `lost` the task has ended or is another attempt's · `lease` the lease ran out because the
 * database did not answer · `hung` it ran out because this process did nothing for too long · `deadline` the task's time
 * is over · `shutdown` this process ends.
 */
export type AbortCause = 'lost' | 'lease' | 'hung' | 'deadline' | 'shutdown';

/** The attempt was stopped from outside; the reason of its signal. */
export class AttemptAborted extends Error {
  readonly why: AbortCause;

  constructor(why: AbortCause) {
    super(`the attempt was stopped: ${why}`);
    this.name = 'AttemptAborted';
    this.why = why;
  }
}
