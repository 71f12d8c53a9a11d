import { Command, InvalidArgumentError } from '@commander-js/extra-typings';

/** Options of the command line. */
export interface Options {
  readonly seed: number;
  /** Parts of scenario names; all when empty. */
  readonly only: readonly string[];
  /** How long to go on, in minutes; null for once through all. */
  readonly soakMinutes: number | null;
  readonly json: boolean;
  /** Writes docs/reliability.md and keeps the figures. */
  readonly record: boolean;
}

/** Reads the command line. Prints the help, or what is wrong, and ends the process for anything but a run. */
export function readOptions(args: readonly string[]): Options {
  const { seed, only, soak, json, record } = new Command('npm run test:faults --')
    .description('Runs the product behind wires that fail, and verifies its whole history.')
    .option('--seed <n>', 'seed of all random choices; another one each time by default', parseNumber)
    .option('--only <names...>', 'runs the scenarios whose names contain one of these texts')
    .option('--soak <minutes>', 'repeats random faults for so long', parseNumber)
    .option('--json', 'prints the result as JSON', false)
    .option('--record', 'writes docs/reliability.md and keeps the figures', false)
    .parse([...args], { from: 'user' })
    .opts();
  return {
    seed: seed ?? Date.now() % 1_000_000,
    only: only ?? [],
    soakMinutes: soak ?? null,
    json,
    record,
  };
}

function parseNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0) {
    throw new InvalidArgumentError('It has to be a number from 0 on.');
  }
  return value;
}
