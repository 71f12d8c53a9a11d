/** One thing the doctor looked at: whether it is as it should be, what was seen, and what mends it. */
export interface Finding {
  readonly ok: boolean;
  readonly what: string;
  /** Empty when all is well. */
  readonly mend: string;
}
