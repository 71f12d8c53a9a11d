import { parseArgs } from 'node:util';

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

/** Reads the command line; throws Error for what it does not understand. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      only: { type: 'string', multiple: true },
      soak: { type: 'string' },
      json: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
    },
  });
  const number = (name: string, text: string): number => {
    const value = Number(text);
    if (!Number.isFinite(value) || value < 0) {
      throw new Error(`--${name} needs a number, not ${text}`);
    }
    return value;
  };
  return {
    seed: values.seed === undefined ? Date.now() % 1_000_000 : number('seed', values.seed),
    only: values.only ?? [],
    soakMinutes: values.soak === undefined ? null : number('soak', values.soak),
    json: values.json,
    record: values.record,
  };
}
