import type { ProviderCall } from '../generated/client.js';

/**
 * State of a call to a provider:
 * - `started`: no outcome is known yet
 * - `submitted`: an asynchronous job runs
 * - `succeeded`: all requested images came
 * - `short`: some came
 * - `unusable`: a good response without a usable image
 * - `failed`: a definite failure
 * - `rate_limited`: not counted as a call
 * - `refused`: moderation or input, final
 * - `unknown`: may have been billed
 * - `cut`: ended by our side
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

/**
 * Call to a provider. The `model` is the provider's own name of it. The `jobHandle` locates an asynchronous job, in the
 * provider's own words. The `keyFingerprint` identifies the key without revealing it; `detail` is the class of a
 * failure.
 */
export interface CallRow
  extends Readonly<
    Pick<
      ProviderCall,
      'id' | 'attempt' | 'provider' | 'model' | 'jobHandle' | 'keyFingerprint' | 'detail' | 'createdAt'
    >
  > {
  /** Slots of the requested images. */
  readonly slots: Readonly<ProviderCall['slots']>;
  /** The provider's own id: of the asynchronous job, once it is known, or of a call that was answered. */
  readonly requestId: ProviderCall['providerRequestId'];
  readonly state: CallState;
  /** Micro-dollars: the list price until the outcome is known. */
  readonly costMicros: NonNullable<ProviderCall['costMicros']>;
}
