import { Command, InvalidArgumentError } from '@commander-js/extra-typings';

/** Options of the command line. */
export interface Options {
  /** How long requests are sent, in seconds. */
  readonly seconds: number;
  /** The version or commit to upgrade from; null for the newest releases of docs/releases.md. */
  readonly from: string | null;
}

const SECONDS = 20;
const MIN_SECONDS = 10;

/** Reads the command line. Prints the help, or what is wrong, and ends the process for anything but a run. */
export function readOptions(args: readonly string[]): Options {
  const { seconds, from } = new Command('npm run test:upgrade --')
    .description(
      'Upgrades each of the last two releases to this checkout step by step, under load, on one database.',
    )
    .option('--seconds <n>', 'how long requests are sent', parseSeconds, SECONDS)
    .option(
      '--from <release>',
      'version in docs/releases.md, or commit, to upgrade from; the last two by default',
    )
    .parse([...args], { from: 'user' })
    .opts();
  return { seconds, from: from ?? null };
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!Number.isFinite(seconds) || seconds < MIN_SECONDS) {
    throw new InvalidArgumentError(`It has to be a number of at least ${MIN_SECONDS}.`);
  }
  return seconds;
}
