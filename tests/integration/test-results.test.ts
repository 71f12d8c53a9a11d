import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createResults } from '../../scripts/testing/create-results.mjs';
import { judgeFlaky, repeatAlone } from '../../scripts/testing/judge-flaky.mjs';
import LongestFirst, { readSeconds } from '../../scripts/testing/longest-first.mjs';

let folder: string;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'results-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

type Outcome = 'passed' | 'failed' | 'pending';
/** Writes what Jest would write of one run. */
function run(results: ReturnType<typeof createResults>, files: Record<string, readonly Outcome[]>): string[] {
  const output = results.options()[1]?.replace('--outputFile=', '') ?? '';
  const testResults = Object.entries(files).map(([name, outcomes]) => ({
    name: path.join(folder, name),
    // Without a test: the file could not be loaded.
    status: outcomes.length === 0 || outcomes.includes('failed') ? 'failed' : 'passed',
    assertionResults: outcomes.map((status) => ({ status, fullName: 'a test' })),
    startTime: 1_000,
    endTime: 4_600,
  }));
  fs.writeFileSync(output, JSON.stringify({ testResults }));
  return results.collect();
}

test('a test file that fails beside others and passes alone is counted and named in the closing line', () => {
  const results = createResults(folder, folder);
  const failed = run(results, {
    'a.test.ts': ['passed', 'failed'],
    'b.test.ts': ['failed', 'pending'],
    'c.test.ts': [],
    'd.test.ts': ['passed', 'pending'],
  });
  expect(failed.map((file) => path.basename(file))).toEqual(['a.test.ts', 'b.test.ts', 'c.test.ts']);
  expect(results.total()).toBe('Total: 2 passed, 3 failed, 2 skipped');
  run(results, {
    'a.test.ts': ['passed', 'passed'],
    'b.test.ts': ['failed', 'pending'],
    'c.test.ts': ['passed'],
  });
  expect(results.total()).toBe('Total: 4 passed, 1 failed, 2 skipped, 2 flaky (a.test.ts c.test.ts)');
  expect(results.seconds()).toMatchObject({ 'a.test.ts': 4, 'd.test.ts': 4 });
});

test('a flaky test is named with its titles; a known one passes until its day, and is a fault after it', () => {
  const results = createResults(folder, folder);
  run(results, { 'a.test.ts': ['failed'], 'b.test.ts': [], 'c.test.ts': ['failed'] });
  run(results, { 'a.test.ts': ['passed'], 'b.test.ts': ['passed'], 'c.test.ts': ['failed'] });
  const flaky = results.flaky();
  expect(flaky).toEqual([
    { file: 'a.test.ts', tests: ['a test'] },
    { file: 'b.test.ts', tests: [] },
  ]);
  const known = [{ file: 'a', why: 'waits', until: '2027-01-31' }];
  const before = judgeFlaky(flaky, known, '2027-01-31');
  expect(before).toMatchObject({ overdue: false, suspects: [{ file: 'b.test.ts', tests: [] }] });
  expect(before.lines[0]).toContain('known until 2027-01-31: waits');
  expect(judgeFlaky(flaky, known, '2027-02-01')).toMatchObject({ overdue: true });
});

test('a flaky test runs ten times more, alone and by its name, and one further failure is a fault', async () => {
  const suspects = [
    { file: 'a.test.ts', tests: ['costs $1 (once)'] },
    { file: 'b.test.ts', tests: [] },
  ];
  const runs: (readonly [string, readonly string[]])[] = [];
  const runUntil = (failing: number) => (file: string, options: readonly string[]) => {
    runs.push([file, options]);
    return Promise.resolve(Number(runs.length === failing));
  };
  expect(await repeatAlone(suspects, runUntil(0))).toBe(0);
  expect(runs.map(([file]) => file)).toEqual([
    ...Array<string>(10).fill('a.test.ts'),
    ...Array<string>(10).fill('b.test.ts'),
  ]);
  expect(new RegExp(runs[0]?.[1].at(-1) ?? '').test('costs $1 (once)')).toBe(true);
  expect(runs[10]?.[1]).toEqual(['--runInBand', '--silent']);
  runs.length = 0;
  expect(await repeatAlone(suspects, runUntil(7))).toBe(1);
  expect(runs).toHaveLength(7);
});

test('test files start in the order of the times that were recorded, the longest first', () => {
  const [longest = '', ...others] = Object.keys(readSeconds());
  const at = (name: string) => ({ path: path.resolve(import.meta.dirname, '../..', name) });
  const shortest = others.at(-1) ?? '';
  const tests = [at(shortest), at('nobody/knows.test.ts'), at(longest)];
  const order = new LongestFirst().sort(tests).map(({ path: file }) => path.basename(file));
  expect(order).toEqual([path.basename(longest), 'knows.test.ts', path.basename(shortest)]);
});
