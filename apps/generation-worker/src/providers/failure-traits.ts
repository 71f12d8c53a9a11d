import { REASONS } from '@image-gateway/shared/contract';
import type { CallOutcome } from '@image-gateway/shared/db';

/** What follows from a failure. */
export interface FailureTraits {
  /** How the call is written down. */
  readonly state: CallOutcome['state'];
  /** After how many such answers for one image the task is refused for good; null: it never is. Such a failure is taken to no other provider. */
  readonly finalAfter: number | null;
  /** When the same provider may be asked for the same image again, within the ceilings; `last-resort`: in a later attempt, when nobody else can be asked. */
  readonly sameProvider: 'at-once' | 'next-attempt' | 'last-resort' | 'never';
  /** What is left alone for the rest of the task. */
  readonly drops: 'nothing' | 'key' | 'candidate' | 'provider';
  /** What it says about the provider to all tasks: a failure that is counted, something to set aside for a while, a pause, or nothing. */
  readonly circuit: 'count' | 'credential' | 'model' | 'provider' | 'cooldown' | null;
  /** Whether an operator has to do something about it. */
  readonly alert: boolean;
  /** What the customer reads when the task fails because of it. */
  readonly reason: string;
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

/** The one table of what follows from which failure; what may be asked when is worked out from it and from the ceilings. */
export const FAILURE_TRAITS = {
  /** The content was refused, before or after drawing it. */
  moderation: { ...refused, reason: REASONS.moderation },
  /** The request or an input image was refused. */
  'invalid-input': { ...refused, reason: REASONS.refusedInput },
  /** An input image could not be read, which may be the provider's own trouble: asked once more. */
  'doubtful-input': {
    ...failed,
    finalAfter: 2,
    sameProvider: 'at-once',
    circuit: null,
    reason: REASONS.refusedInput,
  },
  /** The provider could not fetch an input image from where we put it. */
  'input-fetch': { ...dropped, drops: 'provider', alert: false },
  /** A good answer without an image. */
  'no-image': unusable,
  /** An answer that is good by status and makes no sense, or whose image is broken. */
  'bad-response': { ...unusable, circuit: 'count' },
  /** The picture was made and could not be had any more. */
  'output-expired': { ...unusable, sameProvider: 'never', alert: true },
  /** The provider takes no such request: our description of the model is out of date. */
  'config-drift': { ...dropped, drops: 'candidate' },
  /** The model has vanished. */
  'model-gone': { ...dropped, drops: 'candidate', circuit: 'model' },
  /** The key was refused. */
  auth: { ...dropped, drops: 'key', circuit: 'credential' },
  /** The account behind the key is locked or has no money left. */
  billing: { ...dropped, drops: 'key', circuit: 'credential' },
  /** The quota of the day or the month is used up. */
  quota: { ...dropped, drops: 'key', circuit: 'credential', alert: false },
  /** The provider does not serve our region. */
  geo: { ...dropped, drops: 'provider', circuit: 'provider' },
  /** Too many requests: not counted as a call. */
  'rate-limit': { ...failed, state: 'rate_limited', circuit: 'cooldown' },
  /** The provider has no room. */
  overload: failed,
  /** The provider broke. */
  'upstream-error': failed,
  /** Nothing was sent: no connection, no name. */
  transport: failed,
  /** An answer that says the provider took too long. */
  timeout: { ...failed, sameProvider: 'last-resort' },
  /** No answer to a request that was sent, or a job that nobody knows any more: it may have been billed. */
  unknown: { ...failed, state: 'unknown' },
  /** Somebody stopped the job at the provider. */
  canceled: { ...failed, finalAfter: 1, sameProvider: 'never', circuit: null },
} as const satisfies Readonly<Record<string, FailureTraits>>;

/** What can go wrong upstream. */
export type ProviderFailure = keyof typeof FAILURE_TRAITS;

/** The traits of a failure as `provider_calls.detail` names it; null for anything that is no failure of the table. */
export function getFailureTraits(detail: string | null): FailureTraits | null {
  if (detail === null || !Object.hasOwn(FAILURE_TRAITS, detail)) return null;
  return FAILURE_TRAITS[detail as ProviderFailure];
}
