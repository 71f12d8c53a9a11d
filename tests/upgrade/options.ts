import { parseArgs } from 'node:util';

/** Options of the command line. */
export interface Options {
  /** How long requests are sent, in seconds. */
  readonly seconds: number;
  /** The release to upgrade from; null for the last one of docs/releases.md. */
  readonly from: string | null;
}

const SECONDS = 20;
const MIN_SECONDS = 10;

/** Reads the command line; throws Error for what it does not understand. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: { seconds: { type: 'string' }, from: { type: 'string' } },
  });
  const seconds = Number(values.seconds ?? SECONDS);
  if (!Number.isFinite(seconds) || seconds < MIN_SECONDS) {
    throw new Error(`--seconds needs a number of at least ${MIN_SECONDS}, not ${values.seconds}`);
  }
  return { seconds, from: values.from ?? null };
}
