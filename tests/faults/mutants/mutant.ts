/** A change of one place in a file. */
export interface Edit {
  readonly file: string;
  /** Stands there exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** A deliberate defect, and the hunters that must find it. */
export interface Mutant {
  readonly name: string;
  /** Short description of the defect. */
  readonly defect: string;
  readonly edits: readonly Edit[];
  /** Scenarios of the laboratory, by parts of their names; test files, by their paths; `simulation` plays histories. */
  readonly hunters: readonly string[];
  /** Title of the test, or of the group of tests, that must be red in the hunter; absent: any. */
  readonly red?: string;
}

/** Result of one mutant. */
export interface MutantResult {
  readonly name: string;
  readonly defect: string;
  /** Hunter that found it; null when none did. */
  readonly caughtBy: string | null;
  /** Observed fault, shortened. */
  readonly seen: string;
  readonly tookSeconds: number;
  /** Commit that it was judged on, once recorded. */
  readonly commit?: string;
}
