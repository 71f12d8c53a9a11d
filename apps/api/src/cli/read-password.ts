import { AppError } from '@image-gateway/shared/errors';
import type { CliContext } from './cli-context.js';

/** Description of `--password`. */
export const PASSWORD_HELP = 'password for the dashboard, 8 to 128 characters';
/** Description of `--password-stdin`. */
export const PASSWORD_STDIN_HELP =
  'read the password from standard input, which hides it from other users of this machine';

/** Values of `--password` and `--password-stdin`. */
export interface PasswordOptions {
  readonly password?: string | undefined;
  readonly passwordStdin?: boolean | undefined;
}

/**
 * Returns the given password without a line break at its end; undefined for none. Throws AppError `BAD_REQUEST` when both
 * options are given.
 */
export async function readPassword(
  { readInput }: Pick<CliContext, 'readInput'>,
  { password, passwordStdin = false }: PasswordOptions,
): Promise<string | undefined> {
  if (!passwordStdin) {
    return password;
  }
  if (password !== undefined) {
    throw new AppError('BAD_REQUEST', { publicMessage: 'Give either --password or --password-stdin.' });
  }
  return (await readInput()).replace(/\r?\n$/, '');
}
