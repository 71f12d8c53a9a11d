import { REASONS, type Reason } from '@image-gateway/shared/contract';
import type { CallOutcome } from '@image-gateway/shared/db';
import { readUpstreamText } from './upstream-text.js';

/** Consequences of a failure. */
export interface FailureTraits {
  /** State of the saved call. */
  readonly state: CallOutcome['state'];
  /**
   * Number of such responses for one image after which the task is refused for good; null for never. Such a failure is not
   * retried with another provider.
   */
  readonly finalAfter: number | null;
  /**
   * Earliest repeated call to the same provider for the same image, within the call limits. The value `last-resort` means
   * in a later attempt, when no other candidate is left; `other-model` means at once, and never with the same model.
   */
  readonly sameProvider: 'at-once' | 'next-attempt' | 'last-resort' | 'other-model' | 'never';
  /** Part of the route that is not used any more for this task. */
  readonly drops: 'nothing' | 'access' | 'key' | 'candidate' | 'provider';
  /** Effect for other tasks: a counted failure, a quarantine (`access`: of a model for one key), a cooldown, or none. */
  readonly circuit: 'count' | 'access' | 'credential' | 'model' | 'provider' | 'cooldown' | null;
  /** True when an operator has to act. */
  readonly alert: boolean;
  /** Public reason of a task that fails because of it. */
  readonly reason: Reason;
}

const failed: FailureTraits = {
  state: 'failed',
  finalAfter: null,
  sameProvider: 'next-attempt',
  drops: 'nothing',
  circuit: 'count',
  alert: false,
  reason: REASONS.upstream,
};
const refused: FailureTraits = {
  ...failed,
  state: 'refused',
  finalAfter: 1,
  sameProvider: 'never',
  circuit: null,
};
const dropped: FailureTraits = { ...failed, sameProvider: 'never', circuit: null, alert: true };
const unusable: FailureTraits = { ...failed, state: 'unusable', sameProvider: 'at-once', circuit: null };

/** The only table of consequences. Which calls may be made follows from it and from the call limits. */
export const FAILURE_TRAITS = {
  /** The content was refused, before or after the generation. */
  moderation: { ...refused, reason: REASONS.moderation },
  /** The request or an input image was refused. */
  'invalid-input': { ...refused, reason: REASONS.refusedInput },
  /** An input image could not be read, which may be an error of the provider: tried once more. */
  'doubtful-input': {
    ...failed,
    finalAfter: 2,
    sameProvider: 'at-once',
    circuit: null,
    reason: REASONS.refusedInput,
  },
  /** The provider could not download an input image. */
  'input-fetch': { ...dropped, drops: 'provider', alert: false },
  /** A successful response without an image. */
  'no-image': unusable,
  /** A response that is successful by status and invalid, or whose image is broken. */
  'bad-response': { ...unusable, circuit: 'count' },
  /** An image that is smaller than what was sold, while another route could still be called for it. */
  'too-small': { ...unusable, sameProvider: 'other-model', alert: true },
  /** The image was made and is no longer available. */
  'output-expired': { ...unusable, sameProvider: 'never', alert: true },
  /** The provider refuses the request and does not say what is wrong with it. Several tasks in a row raise an alert. */
  unexplained: { ...dropped, drops: 'candidate', alert: false },
  /** The provider refuses the form of the request and names a part of it: our description of the model is out of date. */
  'config-drift': { ...dropped, drops: 'candidate' },
  /** The provider refuses by name a field that the task needs. */
  'need-refused': { ...dropped, drops: 'candidate', reason: REASONS.refusedInput },
  /** The provider refuses by name a field that the task can do without: asked again without it. */
  'wish-refused': { ...dropped, sameProvider: 'at-once' },
  /** The model does not exist any more. */
  'model-gone': { ...dropped, drops: 'candidate', circuit: 'model' },
  /** This key may not use this model, or not from here; its other models and the model's other keys are untouched. */
  'no-access': { ...dropped, drops: 'access', circuit: 'access' },
  /** The quota of the day for this model is used up. */
  'model-quota': { ...dropped, drops: 'access', circuit: 'access' },
  /** The key was refused. */
  auth: { ...dropped, drops: 'key', circuit: 'credential' },
  /** The account behind the key is locked or has no money left. */
  billing: { ...dropped, drops: 'key', circuit: 'credential' },
  /** The quota of the day or the month is used up. */
  quota: { ...dropped, drops: 'key', circuit: 'credential' },
  /** The provider does not serve our region. */
  geo: { ...dropped, drops: 'provider', circuit: 'provider' },
  /** Too many requests: not counted as a call. */
  'rate-limit': { ...failed, state: 'rate_limited', circuit: 'cooldown' },
  /** The provider has no capacity. */
  overload: failed,
  /** An internal error of the provider. */
  'upstream-error': failed,
  /** Nothing was sent: no connection, no name. */
  transport: failed,
  /** A response that reports a timeout of the provider. */
  timeout: { ...failed, sameProvider: 'last-resort' },
  /** No response to a request that was sent, or a job that the provider has forgotten: it may have been billed. */
  unknown: { ...failed, state: 'unknown' },
  /** The customer canceled the task, and the provider took the job back before it began. */
  withdrawn: { ...dropped, state: 'cut', alert: false },
  /** The job was stopped at the provider, though nobody here asked for it: tried once more. */
  canceled: { ...failed, finalAfter: 2, circuit: null },
} as const satisfies Readonly<Record<string, FailureTraits>>;

/** Failure of an upstream call. */
export type ProviderFailure = keyof typeof FAILURE_TRAITS;

/** Returns the traits of a failure in `provider_calls.detail`; null for any other text. */
export function getFailureTraits(detail: string | null): FailureTraits | null {
  if (detail === null || !Object.hasOwn(FAILURE_TRAITS, detail)) {
    return null;
  }
  return FAILURE_TRAITS[detail as ProviderFailure];
}

/** Field of a request that a provider refuses. */
export interface RefusedField {
  /** As the provider writes it. */
  readonly name: string;
  /** True when it does not know the field at all, false when it refuses the value. */
  readonly isUnknown: boolean;
}

/** Details of a failed call. */
export interface ProviderErrorOptions {
  /** For `rate-limit` and `quota`: requested pause in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** Request id of the provider, for its support, as it came; kept as `readUpstreamText` reads it. */
  readonly upstreamId?: unknown;
  /** For `transport`: true when no byte of the request can have left. */
  readonly isUnreachable?: boolean | undefined;
  /** Field that the provider refuses by its name. */
  readonly field?: RefusedField | undefined;
  readonly cause?: unknown;
}

/** Error of a failed provider call. Its message is for the log: it may quote the upstream, never a key. */
export class ProviderError extends Error {
  readonly failure: ProviderFailure;
  readonly retryAfterMs: number | undefined;
  /** True when there was no connection, so that the request cannot be the cause. */
  readonly isUnreachable: boolean;
  readonly upstreamId: string | null;
  readonly field: RefusedField | null;

  constructor(failure: ProviderFailure, message: string, options: ProviderErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ProviderError';
    this.failure = failure;
    this.retryAfterMs = options.retryAfterMs;
    this.isUnreachable = options.isUnreachable ?? false;
    this.upstreamId = readUpstreamText(options.upstreamId);
    this.field = options.field ?? null;
  }
}
