/** Which usage of an account; what is absent does not matter. */
export interface UsageRowFilter {
  /** Inclusive. */
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
  readonly model?: string;
  readonly apiKeyId?: string;
}
