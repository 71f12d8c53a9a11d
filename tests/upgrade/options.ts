import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';

/** Parts of the test: the stop in three ways, a database that is too old, and two builds without a stop. */
export const PARTS = ['ctrl-c', 'kill', 'migrate', 'older', 'builds'] as const;

/** Options of the command line. */
export interface Options {
  /** How long requests are sent between two builds, in seconds. */
  readonly seconds: number;
  readonly parts: readonly (typeof PARTS)[number][];
}

const SECONDS = 20;
const MIN_SECONDS = 10;

/** Reads the command line. Prints the help, or what is wrong, and ends the process for anything but a run. */
export function readOptions(args: readonly string[]): Options {
  const { seconds, only } = new Command('npm run test:upgrade --')
    .description(
      'Upgrades the last release to this checkout with a stop, and this checkout to another build of it under load.',
    )
    .option(
      '--seconds <n>',
      'how long requests are sent while one build takes the place of another',
      parseSeconds,
      SECONDS,
    )
    .addOption(new Option('--only <part>', 'one part of it').choices(PARTS))
    .parse([...args], { from: 'user' })
    .opts();
  return { seconds, parts: only === undefined ? PARTS : [only] };
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!Number.isFinite(seconds) || seconds < MIN_SECONDS) {
    throw new InvalidArgumentError(`It has to be a number of at least ${MIN_SECONDS}.`);
  }
  return seconds;
}
