import type { CliCommand, CliInput } from './cli-command.js';
import { nearestWord } from './nearest-word.js';
import { usageError } from './usage-error.js';

/**
 * Reads what follows the name of a command: `--name value`, `--name=value`, flags and positional arguments in any order.
 * A value may begin with one dash (`--amount -1.00`). Throws a usage error for anything unknown, missing, repeated or left over.
 */
export function parseCommandLine(command: CliCommand, rest: readonly string[]): CliInput {
  const options = command.options ?? {};
  const expected = command.arguments ?? [];
  const given = new Map<string, string>();
  const positional: string[] = [];
  const see = `See: gateway ${command.name} --help`;

  for (let i = 0; i < rest.length; i++) {
    const token = rest[i] ?? '';
    if (!token.startsWith('--')) {
      positional.push(token);
      continue;
    }
    const [, name = '', inline] = /^--([^=]*)(?:=(.*))?$/s.exec(token) ?? [];
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option) throw usageError(`${command.name} has no option --${name}. ${hint(name, options)}${see}`);
    if (given.has(name)) throw usageError(`--${name} is given twice.`);
    if (option.value === undefined) {
      if (inline !== undefined) throw usageError(`--${name} takes no value.`);
      given.set(name, '');
      continue;
    }
    const value = inline ?? rest[++i];
    if (value === undefined || (inline === undefined && value.startsWith('--')))
      throw usageError(`--${name} needs a value: --${name} ${option.value}. ${see}`);
    given.set(name, value);
  }

  for (const [name, option] of Object.entries(options))
    if (option.required && !given.has(name))
      throw usageError(`--${name} ${option.value ?? ''} is missing. ${see}`);
  if (positional.length < expected.length)
    throw usageError(`${expected.slice(positional.length).join(' ')} is missing. ${see}`);
  const [extra] = positional.slice(expected.length);
  if (extra !== undefined) throw usageError(`"${extra}" is one argument too many. ${see}`);

  return {
    argument: (index) => positional[index] ?? '',
    option: (name) => given.get(name) ?? '',
    optional: (name) => given.get(name),
    flag: (name) => given.has(name),
  };
}

function hint(name: string, options: NonNullable<CliCommand['options']>): string {
  const near = nearestWord(name, [...Object.keys(options), 'json', 'help']);
  return near === null ? '' : `Did you mean --${near}? `;
}
