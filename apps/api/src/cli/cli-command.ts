import type { CliContext } from './cli-context.js';

/** What a command gives back: one value for `--json`, and the same for people. */
export interface CliResult {
  readonly value: unknown;
  readonly text: string;
  /** True when the command did its work and what it found is a fault: exit code 1. */
  readonly failed?: boolean;
}

/** An option such as `--email E`; without `value` it is a flag. */
export interface CliOption {
  /** The name of the value in the help, such as `E`. */
  readonly value?: string;
  readonly help: string;
  readonly required?: boolean;
}

/** The arguments of a command, checked against its description. */
export interface CliInput {
  /** A positional argument by its place, from 0. */
  readonly argument: (index: number) => string;
  /** The value of a required option. */
  readonly option: (name: string) => string;
  readonly optional: (name: string) => string | undefined;
  readonly flag: (name: string) => boolean;
}

/** A command of the operator command line, described well enough to check its arguments and to write its help. */
export interface CliCommand {
  /** One word or two, such as `account create`. */
  readonly name: string;
  readonly summary: string;
  /** Positional arguments, all of them required. */
  readonly arguments?: readonly string[];
  readonly options?: Readonly<Record<string, CliOption>>;
  /** Everything after `npm run gateway -- `. */
  readonly example: string;
  readonly run: (context: CliContext, input: CliInput) => Promise<CliResult>;
}
