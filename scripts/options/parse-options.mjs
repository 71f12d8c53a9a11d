import { parseArgs } from 'node:util';

/**
 * Parses the options of a command with Node's own parser. Prints the usage and returns null for `--help`. Throws an error with
 * the name UsageError, whose message ends with the usage, for wrong options.
 * @template {import('node:util').ParseArgsConfig} const T
 * @param {string} usage
 * @param {T} config
 * @returns {ReturnType<typeof parseArgs<T>> | null}
 */
export function parseOptions(usage, config) {
  const help = /** @type {const} */ ({ type: 'boolean', short: 'h' });
  try {
    const parsed = parseArgs({ ...config, options: { ...config.options, help } });
    if (!(/** @type {{ help?: boolean }} */ (parsed.values).help)) {
      return /** @type {ReturnType<typeof parseArgs<T>>} */ (parsed);
    }
  } catch (error) {
    // Without Node's advice on arguments that begin with a dash: no command here takes one.
    throw usageError(
      /** @type {Error} */ (error).message.replace(/ To specify a positional argument.*/s, ''),
      usage,
    );
  }
  process.stdout.write(`${usage}\n`);
  return null;
}

/**
 * Creates the error for an unusable option.
 * @param {string} message
 * @param {string} usage
 */
export function usageError(message, usage) {
  return Object.assign(new Error(`${message}\n\n${usage}`), { name: 'UsageError' });
}
