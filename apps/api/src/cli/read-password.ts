import { AppError } from '@image-gateway/shared/errors';
import type { CliContext } from './cli-context.js';
import { flag, option } from './define-command.js';

/** Options of a command that takes a password. */
export const passwordOptions = {
  password: option('<text>', 'password for the dashboard, 8 to 128 characters'),
  passwordStdin: flag(
    'read the password from standard input, which hides it from other users of this machine',
  ),
};

/** Values of these options. */
interface Passwords {
  readonly password: string | undefined;
  readonly passwordStdin: boolean;
}

/**
 * Returns the given password without a line break at its end; undefined for none. Throws AppError `BAD_REQUEST` when both
 * options are given.
 */
export async function readPassword(
  { readInput }: Pick<CliContext, 'readInput'>,
  { password, passwordStdin }: Passwords,
): Promise<string | undefined> {
  if (!passwordStdin) {
    return password;
  }
  if (password !== undefined) {
    throw new AppError('BAD_REQUEST', { publicMessage: 'Give either --password or --password-stdin.' });
  }
  return (await readInput()).replace(/\r?\n$/, '');
}

/** Returns the given password. Throws AppError `BAD_REQUEST`, with this message for none. */
export async function requirePassword(
  context: Pick<CliContext, 'readInput'>,
  passwords: Passwords,
  publicMessage: string,
): Promise<string> {
  const password = await readPassword(context, passwords);
  if (password === undefined) {
    throw new AppError('BAD_REQUEST', { publicMessage });
  }
  return password;
}
