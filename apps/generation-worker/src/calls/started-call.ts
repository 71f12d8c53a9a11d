import type { Reason } from '@image-gateway/shared/contract';
import type { CallRow } from '@image-gateway/shared/db';
import type { Image } from '@image-gateway/shared/images';
import type { Drawing } from '../attempt/stored-image.js';
import type { Candidate, InputImage, ProviderJob, RequestFields } from '../providers/port.js';
import type { Admission } from './create-call-admission.js';

/** Call that has its row. */
export interface StartedCall {
  readonly row: CallRow;
  readonly candidate: Candidate;
  readonly inputs: readonly InputImage[];
  readonly fields: RequestFields;
  /** Names of the preferences that it leaves out. */
  readonly unused: readonly string[];
  readonly earlierCalls: number;
  readonly admission: Admission;
}

/** Progress of a call. */
export interface CallProgress {
  /** Usable images that were stored, those of earlier attempts included. */
  delivered: number;
  /** Images that could not be used. */
  unusable: number;
  /** Images that were smaller than what was sold: refused because another route could still be called, or delivered. */
  tooSmall: { refused: number; delivered: number };
  job: ProviderJob | null;
  /** The provider's own id of a call that is no job. */
  upstreamId: string | null;
  /** Micro-dollars as the provider reported them, or null. */
  costMicros: bigint | null;
  /** True when the provider stated a cost that cannot be true. */
  isCostRefused: boolean;
  /** Set when the job is parked. */
  parkedMs: number | null;
}

/** Report of an ended call to its attempt. */
export type CallReport =
  | { readonly kind: 'done' }
  /** Final: the public reason of the refusal. */
  | { readonly kind: 'refused'; readonly reason: Reason }
  | { readonly kind: 'parked'; readonly delayMs: number };

/** Actions of an attempt on the images of its calls. */
export interface ImageSink {
  readonly store: (image: Image, slot: number, drawing: Drawing) => Promise<void>;
  /** Returns true when no route may be called any more for an image that this call drew too small. */
  readonly isLastCall: (callId: string, slot: number) => boolean;
  /** Keeps an image that is too small, in case that every other route fails. */
  readonly keepSmall: (image: Image, slot: number, drawing: Drawing) => void;
  /** Runs one action at a time for the whole attempt: images are stored one by one. */
  readonly runSerially: <T>(action: () => Promise<T>) => Promise<T>;
}
