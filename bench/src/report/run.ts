/** Name of the baseline of what a worker does: the same statements, and nothing else. */
export const STATEMENTS = 'its statements alone';

/** Figures of one contestant in a scene, round by round. */
export interface Score {
  readonly scene: string;
  readonly name: string;
  /** Of the values, such as `/s`. */
  readonly unit: string;
  readonly values: readonly number[];
  /** Microseconds of CPU a request: of its own process, and with the services. */
  readonly cpuMicros?: { readonly own: number; readonly all: number };
  /** Rounds of the ratio to each contestant before it, which ran in turn with it. */
  readonly ratios?: Readonly<Record<string, readonly number[]>>;
}

/** One run of the bench, as it is kept in `bench/results`. */
export interface Run {
  /** Start, in ISO 8601. */
  readonly at: string;
  readonly commit: string;
  readonly machine: {
    readonly node: string;
    readonly processor: string;
    readonly cores: number;
    /** Load average of a minute when the run began. */
    readonly load: number;
  };
  readonly scores: readonly Score[];
}

/** Tells a score from all others of a run. */
export const nameScore = ({ scene, name }: Pick<Score, 'scene' | 'name'>): string => `${scene}: ${name}`;

/** Joins the rounds of two lists of scores; what only one of them has stays as it is. */
export function joinRounds(first: readonly Score[], second: readonly Score[]): Score[] {
  const names = new Set(first.map(nameScore));
  const added = second.filter((score) => !names.has(nameScore(score)));
  const joined = first.map((score) => {
    const other = second.find((one) => nameScore(one) === nameScore(score));
    if (!other) {
      return score;
    }
    const ratios = Object.entries(score.ratios ?? {}).map(([baseline, rounds]) => [
      baseline,
      [...rounds, ...(other.ratios?.[baseline] ?? [])],
    ]);
    return { ...score, values: [...score.values, ...other.values], ratios: Object.fromEntries(ratios) };
  });
  return [...joined, ...added];
}

/** Returns each score from the newest run that has it, with its run, in the order of scenes and names in the newest runs. */
export function findNewest(runs: readonly Run[]): { readonly run: Run; readonly score: Score }[] {
  const newest = new Map<string, { readonly run: Run; readonly score: Score }>();
  for (const run of [...runs].sort((a, b) => b.at.localeCompare(a.at))) {
    for (const score of run.scores) {
      const name = nameScore(score);
      newest.set(name, newest.get(name) ?? { run, score });
    }
  }
  return [...newest.values()];
}
