import type { CallRow } from '@image-gateway/shared/db';
import type { Candidate, InputImage } from '../providers/port.js';
import type { CallPermit } from '../routing/create-health.js';

/** A call that has been written down. */
export interface StartedCall {
  readonly row: CallRow;
  readonly candidate: Candidate;
  readonly inputs: readonly InputImage[];
  readonly earlierCalls: number;
  /** Room for its responses and, unless it resumes a job, a permit of the candidate. */
  readonly permit: CallPermit;
}
