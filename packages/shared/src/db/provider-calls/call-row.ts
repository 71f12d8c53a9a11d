/**
 * How a call to a provider stands: `started` nothing is known yet · `submitted` an asynchronous job runs · `succeeded` all
 * asked images came · `short` some came · `unusable` a good answer without a usable image · `failed` a definite failure ·
 * `rate_limited` not counted as a call · `refused` moderation or input, final · `unknown` may have been billed · `cut` ended
 * by our side.
 */
export type CallState =
  | 'started'
  | 'submitted'
  | 'succeeded'
  | 'short'
  | 'unusable'
  | 'failed'
  | 'rate_limited'
  | 'refused'
  | 'unknown'
  | 'cut';

/** A call to a provider. */
export interface CallRow {
  readonly id: string;
  readonly attempt: number;
  readonly provider: string;
  /** The provider's own name of the model. */
  readonly model: string;
  /** The images it was asked for. */
  readonly slots: readonly number[];
  /** The provider's own id: of the asynchronous job, once it is known, or of a call that was answered. */
  readonly requestId: string | null;
  /** Where the job is looked for, in the provider's own words. */
  readonly jobHandle: string | null;
  /** Which key was used, without the key. */
  readonly keyFingerprint: string | null;
  readonly state: CallState;
  /** The class of a failure. */
  readonly detail: string | null;
  /** Micro-dollars: the list price until the outcome is known. */
  readonly costMicros: bigint;
}
