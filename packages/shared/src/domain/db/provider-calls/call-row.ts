import type { ProviderCall } from '../generated/client.js';

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

/**
 * Call to a provider. `model` is the provider's own name of it; `jobHandle` says where an asynchronous job is looked for, in the
 * provider's own words; `keyFingerprint` which key was used, without the key; `detail` is the class of a failure.
 */
export interface CallRow
  extends Readonly<
    Pick<ProviderCall, 'id' | 'attempt' | 'provider' | 'model' | 'jobHandle' | 'keyFingerprint' | 'detail'>
  > {
  /** Slots of the images it was asked for. */
  readonly slots: Readonly<ProviderCall['slots']>;
  /** The provider's own id: of the asynchronous job, once it is known, or of a call that was answered. */
  readonly requestId: ProviderCall['providerRequestId'];
  readonly state: CallState;
  /** Micro-dollars: the list price until the outcome is known. */
  readonly costMicros: NonNullable<ProviderCall['costMicros']>;
}
