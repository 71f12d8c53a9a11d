import { answerWithin } from './answer-within.js';

/** Tells a database that is away from one that merely lost a connection or an answer. */
export interface Pulse {
  /** Notes that the database has answered just now. */
  readonly beat: () => void;
  /** Whether the database answers from now on: anybody's statement, or a question of our own, within `patienceMs`. Never rejects. */
  readonly lives: () => Promise<boolean>;
}

/** How a pulse is taken; times in milliseconds. */
export interface PulseOptions {
  /** Asks the database over a connection of its own: false or a rejection when it does not answer. */
  readonly ask: () => Promise<boolean>;
  readonly patienceMs: number;
  /** How long a database that did not answer is not asked again, unless it answers somebody. */
  readonly rememberMs: number;
}

/** Makes a pulse. However many ask at a time, the database is asked once. */
export function createPulse({ ask, patienceMs, rememberMs }: PulseOptions): Pulse {
  let deadUntil = Number.NEGATIVE_INFINITY;
  let looking: Promise<boolean> | undefined;
  let notice = (): void => undefined;

  const look = async (): Promise<boolean> => {
    const noticed = new Promise<true>((resolve) => {
      notice = () => resolve(true);
    });
    const asked = ask().catch(() => false);
    const lives = (await answerWithin(patienceMs, Promise.race([noticed, asked]))) === true;
    if (!lives) deadUntil = performance.now() + rememberMs;
    looking = undefined;
    return lives;
  };

  return {
    beat: () => {
      deadUntil = Number.NEGATIVE_INFINITY;
      notice();
    },
    lives: async () => {
      if (performance.now() < deadUntil) return false;
      looking ??= look();
      return looking;
    },
  };
}
