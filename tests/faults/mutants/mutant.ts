/** A change of one place in a file. */
export interface Edit {
  readonly file: string;
  /** Stands there exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** A deliberate defect, and what is to find it. */
export interface Mutant {
  readonly name: string;
  /** What is wrong with it, in a few words. */
  readonly defect: string;
  readonly edits: readonly Edit[];
  /** Scenarios of the laboratory, by parts of their names; test files, by their paths; `simulation` plays histories. */
  readonly hunters: readonly string[];
}

/** What became of a mutant. */
export interface MutantResult {
  readonly name: string;
  readonly defect: string;
  /** What found it; null when nothing did. */
  readonly caughtBy: string | null;
  /** What was seen, shortened. */
  readonly seen: string;
  readonly tookSeconds: number;
}
