import { parseArgs } from 'node:util';
import { StackError } from '../stack-error.js';

export interface StackArguments {
  api: number;
  generationWorkers: number;
  webhookWorkers: number;
  dashboard: boolean;
}

const usage = 'npm start -- [--workers N] [--webhook-workers N] [--api N] [--no-dashboard]';

function count(name: string, value: string): number {
  if (!/^\d{1,3}$/.test(value))
    throw new StackError(
      `--${name} wants a whole number from 0 to 999, not ${JSON.stringify(value)}.\n${usage}`,
    );
  return Number(value);
}

/** Reads how many processes of each kind are asked for (one each by default, 0 allowed); throws StackError for anything unknown. */
export function parseArguments(argv: string[]): StackArguments {
  try {
    const { values } = parseArgs({
      args: argv,
      options: {
        workers: { type: 'string', default: '1' },
        'webhook-workers': { type: 'string', default: '1' },
        api: { type: 'string', default: '1' },
        'no-dashboard': { type: 'boolean', default: false },
      },
    });
    return {
      api: count('api', values.api),
      generationWorkers: count('workers', values.workers),
      webhookWorkers: count('webhook-workers', values['webhook-workers']),
      dashboard: !values['no-dashboard'],
    };
  } catch (error) {
    if (error instanceof StackError) throw error;
    throw new StackError(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  }
}
