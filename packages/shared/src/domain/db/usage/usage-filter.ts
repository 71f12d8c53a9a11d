import type { Metadata } from '../../contract/index.js';

/** Which usage of an account; what is absent does not matter. */
export interface UsageRowFilter {
  /** Inclusive. */
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
  readonly model?: string;
  readonly apiKeyId?: string;
  /** Entries that the task of a record has. */
  readonly metadata?: Metadata;
}
