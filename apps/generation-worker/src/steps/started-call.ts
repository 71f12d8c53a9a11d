import type { CallRow } from '@image-gateway/shared/db';
import type { Visit } from '../providers/health/create-health.js';
import type { Candidate, InputImage } from '../providers/port.js';

/** A call that has been written down. */
export interface StartedCall {
  readonly row: CallRow;
  readonly candidate: Candidate;
  readonly inputs: readonly InputImage[];
  readonly earlierCalls: number;
  /** The place at the provider that it takes up; null for a job that is resumed. */
  readonly visit: Visit | null;
}
