import type { Call } from './create-caller.js';

/** What every operation on the bucket needs. */
export interface BucketDependencies {
  readonly call: Call;
  readonly bucket: string;
  readonly timeoutMs: number;
}
