import type { TestDatabase } from '@image-gateway/testing';

/** The live invariants of prisma/invariants.sql, checked over and over. */
export interface InvariantWatch {
  /** Violations found, each listed once. */
  readonly broken: () => readonly string[];
  readonly rounds: () => number;
  readonly stop: () => Promise<void>;
}

const EVERY_MS = 700;

/** Checks until it is stopped; an unreachable database is no violation. `where` names the current scenario. */
export function watchInvariants(
  database: Pick<TestDatabase, 'checkInvariants'>,
  where: () => string,
): InvariantWatch {
  const broken: string[] = [];
  let rounds = 0;
  let stopped = false;
  const round = async (): Promise<void> => {
    try {
      await database.checkInvariants('live');
      rounds += 1;
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('broken invariants'))) {
        return;
      }
      const what = `${where()}: ${error.message.replaceAll('\n', ' ')}`;
      if (broken.length < 20 && !broken.includes(what)) {
        broken.push(what);
      }
    }
  };
  const watch = async (): Promise<void> => {
    while (!stopped) {
      await round();
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  };
  const watching = watch();
  return {
    broken: () => broken,
    rounds: () => rounds,
    stop: async () => {
      stopped = true;
      await watching;
    },
  };
}
