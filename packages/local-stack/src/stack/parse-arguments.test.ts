import { describe, expect, test } from '@jest/globals';
import { parseArguments } from './parse-arguments.js';

describe('parseArguments', () => {
  test('starts one of each, with the dashboard, when nothing is said', () => {
    expect(parseArguments([])).toEqual({ api: 1, generationWorkers: 1, webhookWorkers: 1, dashboard: true });
  });

  test('takes any count, also none', () => {
    const counts = parseArguments(['--workers', '2', '--webhook-workers=0', '--api', '3', '--no-dashboard']);
    expect(counts).toEqual({ api: 3, generationWorkers: 2, webhookWorkers: 0, dashboard: false });
  });

  test.each([[['--worker', '2']], [['two']], [['--workers']], [['--workers', '-1']], [['--api', '1.5']]])(
    'refuses %j with the options there are',
    (argv) => {
      expect(() => parseArguments(argv)).toThrow('npm start -- [--workers N]');
    },
  );
});
