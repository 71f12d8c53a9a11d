import { type Command, Option } from 'commander';
import type { CliContext, CliResult } from './cli-context.js';
import { formatExample, getPath } from './help.js';
import { type Cell, renderFields, renderTable } from './render.js';

type Read<T> = (text: string) => T;

/** Option of a command: its help, and how its text is read. */
export interface CliOption<out T> {
  readonly about: string;
  /** Name of its value in the help, such as `<id>`; null for a switch. */
  readonly value: string | null;
  readonly isNeeded: boolean;
  readonly read: Read<T> | undefined;
}

type Options = Readonly<Record<string, CliOption<unknown>>>;
type Arguments = Readonly<Record<string, string>>;
type Input<A extends Arguments, O extends Options> = { readonly [Name in keyof A]: string } & {
  readonly [Name in keyof O]: O[Name] extends CliOption<infer T> ? T : never;
};

/** Option that may be left out. */
export function option(value: string, about: string): CliOption<string | undefined>;
export function option<T>(value: string, about: string, read: Read<T>): CliOption<T | undefined>;
export function option(value: string, about: string, read?: Read<unknown>): CliOption<unknown> {
  return { about, value, isNeeded: false, read };
}

/** Option that a call must have. */
export function needed(value: string, about: string): CliOption<string>;
export function needed<T>(value: string, about: string, read: Read<T>): CliOption<T>;
export function needed(value: string, about: string, read?: Read<unknown>): CliOption<unknown> {
  return { about, value, isNeeded: true, read };
}

/** Option without a value: true where it is given. */
export const flag = (about: string): CliOption<boolean> => ({
  about,
  value: null,
  isNeeded: false,
  read: undefined,
});

/** Completes a new command of the program by its definition. */
export type BuildCommand = (command: Command, run: CommandRun) => void;

/** Dependencies of the commands, and what takes the result of the one that is called. */
export interface CommandRun extends CliContext {
  readonly show: (result: CliResult) => void;
}

/** Defines a command: its words in the help, and what it does with the values of its arguments and options. */
export function defineCommand<
  const A extends Arguments = Readonly<Record<never, string>>,
  O extends Options = Readonly<Record<never, CliOption<unknown>>>,
>(definition: {
  readonly about: string;
  /** Descriptions of the arguments by their names. */
  readonly args?: A;
  /** By their names in camel case. */
  readonly options?: O;
  /** Rest of a call that shows it. */
  readonly example?: string;
  readonly run: (context: CliContext, input: Input<A, O>) => Promise<CliResult>;
}): BuildCommand {
  const { about, args = {}, options = {}, example = '' } = definition;
  return (command, context) => {
    command.description(about);
    for (const [name, help] of Object.entries<string>(args)) {
      command.argument(`<${name}>`, help);
    }
    const added = Object.entries<CliOption<unknown>>(options).map(([name, given]) => {
      const flags = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
      const one = new Option(given.value === null ? flags : `${flags} ${given.value}`, given.about);
      one.makeOptionMandatory(given.isNeeded);
      if (given.read) {
        one.argParser(given.read);
      }
      command.addOption(one);
      return { name, one };
    });
    command.addHelpText('after', formatExample(`${getPath(command)} ${example}`.trim()));
    command.action(async () => {
      const values = command.opts<Record<string, unknown>>();
      const read = ({ name, one }: (typeof added)[number]): readonly [string, unknown] => {
        const value = values[one.attributeName()];
        return [name, one.required ? value : value === !one.negate];
      };
      const input = Object.fromEntries([
        ...Object.keys(args).map((name, index) => [name, command.args[index]] as const),
        ...added.map(read),
      ]);
      context.show(await definition.run(context, input as Input<A, O>));
    });
  };
}

/** Result that is one thing; `note` follows its fields. */
export const fields = (value: Readonly<Record<string, Cell>>, note = ''): CliResult => ({
  value,
  text: `${renderFields(value)}${note && `\n\n${note}`}`,
});

/** Result that is a list; `none` stands for an empty one. */
export const table = (value: readonly Readonly<Record<string, Cell>>[], none?: string): CliResult => ({
  value,
  text: renderTable(value, none),
});
