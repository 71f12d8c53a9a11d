import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { AppError } from '@image-gateway/shared/errors';

/**
 * Makes the options of a command strict: one that is given twice, or whose value is the next option, is an error. Commander
 * takes the last value, and `--email --balance` as an e-mail address. A value such as `-1.00` stays allowed, and so does
 * `--reason=--x`.
 */
export function requireSingleValues(command: CommandUnknownOpts, argv: readonly string[]): void {
  for (const option of command.options) {
    const { long, parseArg } = option;
    if (long == null || !option.required) {
      continue;
    }
    let isGiven = false;
    option.argParser((value: string, previous: unknown) => {
      if (isGiven) {
        throw new AppError('BAD_REQUEST', { publicMessage: `Option ${long} is given twice.` });
      }
      if (value.startsWith('--') && !argv.includes(`${long}=${value}`)) {
        throw new AppError('BAD_REQUEST', { publicMessage: `Option ${long} needs a value: ${option.flags}` });
      }
      isGiven = true;
      return parseArg ? parseArg(value, previous) : value;
    });
  }
}
