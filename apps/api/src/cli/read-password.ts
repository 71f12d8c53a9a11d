import type { CliInput, CliOption } from './cli-command.js';
import type { CliContext } from './cli-context.js';
import { usageError } from './usage-error.js';

/** Options of commands that take a password. */
export const PASSWORD_OPTIONS: Readonly<Record<'password' | 'password-stdin', CliOption>> = {
  password: { value: 'P', help: 'password of the log-in, 8 to 128 characters' },
  'password-stdin': { help: 'read the password from standard input, out of sight of other users' },
};

/** Returns the password that a command was given, without the line break at its end; undefined for none. Throws a usage error for two. */
export async function readPassword(
  context: Pick<CliContext, 'readInput'>,
  input: Pick<CliInput, 'optional' | 'flag'>,
): Promise<string | undefined> {
  const given = input.optional('password');
  if (!input.flag('password-stdin')) return given;
  if (given !== undefined) throw usageError('Give either --password or --password-stdin.');
  return (await context.readInput()).replace(/\r?\n$/, '');
}
