/**
 * Error of input images that could not be loaded in time because of the load of this gateway. They may be loaded later, without
 * a used try.
 */
export class InputsBusyError extends Error {
  /** Pause before the task is due again, in milliseconds. */
  readonly delayMs = 1_000;

  constructor(missing: 'slot' | 'memory' | 'time') {
    super(`the input images wait for ${missing}`);
    this.name = 'InputsBusyError';
  }
}
