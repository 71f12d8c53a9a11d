import { parseOptions, usageError } from './parse-options.mjs';

const MAX_COUNT = 999;

/** @param {string} command */
const formatUsage = (
  command,
) => `Usage: ${command} [--workers N] [--webhook-workers N] [--api N] [--no-dashboard] [--force]

  --workers N           generation workers, 1 by default; tasks wait when there are none
  --webhook-workers N   webhook workers, 1 by default
  --api N               processes of the API on one port, 1 by default
  --no-dashboard        builds and serves no dashboard
  --force               applies CATALOG_FILE although another version of the catalog followed its last one
  -h, --help            prints this

Settings come from the environment; docs/settings.md lists them.`;

/**
 * Reads the options of `npm start`: how many processes of each kind to start (0 to 999), and whether with the dashboard.
 * Returns null after `--help`; throws an error that is named UsageError for anything else.
 * @param {string} command call of the command, for the usage
 * @param {string[]} args
 */
export function parseStackOptions(command, args) {
  const usage = formatUsage(command);
  const count = /** @type {const} */ ({ type: 'string', default: '1' });
  const flag = /** @type {const} */ ({ type: 'boolean' });
  const parsed = parseOptions(usage, {
    args,
    options: {
      workers: count,
      'webhook-workers': count,
      api: count,
      'no-dashboard': flag,
      force: flag,
    },
  });
  if (parsed === null) {
    return null;
  }
  const { values } = parsed;
  /** @param {'workers' | 'webhook-workers' | 'api'} name */
  const parseCount = (name) => {
    const text = values[name];
    if (!/^\d{1,3}$/.test(text)) {
      throw usageError(
        `--${name} needs a whole number from 0 to ${MAX_COUNT}, not ${JSON.stringify(text)}.`,
        usage,
      );
    }
    return Number(text);
  };
  return {
    counts: {
      api: parseCount('api'),
      generationWorkers: parseCount('workers'),
      webhookWorkers: parseCount('webhook-workers'),
    },
    dashboard: values['no-dashboard'] !== true,
    force: values.force === true,
  };
}
