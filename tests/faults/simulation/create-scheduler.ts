import type { Database } from '@image-gateway/shared/db';
import type { Random } from '../random.js';

/** Error that a crashed actor gets from its steps: it must do nothing more. */
class Crash extends Error {
  constructor() {
    super('died');
    this.name = 'Crash';
  }
}

/** How often what happens between two steps. */
export interface Dangers {
  /** The share of steps before which, and after which, the actor dies. */
  readonly crash: number;
  /** The share of rounds in which two or three actors take their step at the same time. */
  readonly together: number;
}

/** An actor's way to the database and to whatever else takes a step of its own. */
export interface Steps {
  readonly db: Pick<Database, 'run'>;
  /** A step outside the database, such as a call to a provider. */
  readonly step: <T>(action: () => T) => Promise<T>;
}

interface Turn {
  readonly take: () => Promise<void>;
}

/** Makes what decides who takes the next step: actors run until they want to take one, and wait there until it is their turn. */
export function createScheduler(
  db: Pick<Database, 'run'>,
  random: Random,
  dangers: Dangers,
  onError: (actor: string, error: unknown) => void,
) {
  let turns: Turn[] = [];
  let crash = dangers.crash;

  const createSteps = (): Steps => {
    let dead = false;
    const step = <T>(action: () => T | Promise<T>): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        if (dead) {
          return reject(new Crash());
        }
        const take = async (): Promise<void> => {
          const dies = random.chance(crash) ? random.pick(['before', 'after'] as const) : null;
          if (dies !== null) {
            dead = true;
          }
          if (dies === 'before') {
            return reject(new Crash());
          }
          try {
            const result = await action();
            if (dies === 'after') {
              reject(new Crash());
            } else {
              resolve(result);
            }
          } catch (error) {
            reject(dies === 'after' ? new Crash() : (error as Error));
          }
        };
        turns.push({ take });
      });
    return { step, db: { run: (statement, values) => step(() => db.run(statement, values)) } };
  };

  return {
    /** Lets an actor begin; its errors, its death excepted, are handed to `onError`. */
    start: (name: string, act: (steps: Steps) => Promise<void>) => {
      act(createSteps()).catch((error: unknown) => {
        if (!(error instanceof Crash)) {
          onError(name, error);
        }
      });
    },
    /** Lets one actor, or a few at once, take a step; false when nobody waits for one. */
    round: async () => {
      // Let the effects of the last step happen first: actors reach their next step by microtasks alone.
      await new Promise((resolve) => setImmediate(resolve));
      if (turns.length === 0) {
        return false;
      }
      const count = random.chance(dangers.together) ? random.int(2, 3) : 1;
      const order = random.shuffled(turns);
      const chosen = order.slice(0, count);
      turns = order.slice(count);
      await Promise.all(chosen.map(({ take }) => take()));
      return true;
    },
    waiting: () => turns.length,
    /** From now on nobody dies. */
    calm: () => {
      crash = 0;
    },
  };
}
