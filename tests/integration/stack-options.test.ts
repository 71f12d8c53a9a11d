import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { parseStackOptions } from '../../scripts/options/stack-options.mjs';

const parse = (...args: string[]) => parseStackOptions('npm start --', args);

describe('the options of npm start', () => {
  let printed: string;
  beforeEach(() => {
    printed = '';
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed += String(text);
      return true;
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('npm start without options starts one process of each kind, with the dashboard', () => {
    const counts = { api: 1, generationWorkers: 1, webhookWorkers: 1 };
    expect(parse()).toEqual({ counts, dashboard: true, force: false });
  });

  test('npm start takes any count of processes, also none', () => {
    const counts = { api: 3, generationWorkers: 2, webhookWorkers: 0 };
    const options = parse('--workers', '2', '--webhook-workers=0', '--api', '3', '--no-dashboard', '--force');
    expect(options).toEqual({ counts, dashboard: false, force: true });
  });

  test.each([
    [['--wrokers', '2'], "Unknown option '--wrokers'\n\nUsage: npm start --"],
    [['two'], "Unexpected argument 'two'"],
    [['--workers'], "Option '--workers <value>' argument missing"],
    [['--workers', '-1'], "Option '--workers' argument is ambiguous"],
    [['--api', '1.5'], '--api needs a whole number from 0 to 999, not "1.5".'],
  ])('npm start refuses %j and prints the options there are', (args, message) => {
    const error = (() => {
      try {
        return parse(...args);
      } catch (caught) {
        return caught as Error;
      }
    })();
    expect(error).toMatchObject({ name: 'UsageError', message: expect.stringContaining(message) });
    expect(error).toMatchObject({ message: expect.stringContaining('--no-dashboard') });
  });

  test.each(['--help', '-h'])('npm start -- %s prints the options and starts nothing', (flag) => {
    expect(parse(flag, '--workers', '2')).toBeNull();
    expect(printed).toContain('Usage: npm start -- [--workers N]');
    expect(printed).toContain('--webhook-workers N');
  });
});
