import { describe, expect, test } from '@jest/globals';
import { judgeRun } from './hunt-by-test.js';

const PASSED = `PASS unit a.test.ts

Test Suites: 1 passed, 1 total
Tests:       2 skipped, 1 passed, 3 total
`;
const FAILED = `FAIL unit a.test.ts
  ● sums › adds two amounts

    expect(received).toBe(expected)

Tests:       1 failed, 1 passed, 2 total
`;
const BROKEN = `FAIL unit a.test.ts
  ● Test suite failed to run

    Cannot find module './amounts.js'

Tests:       0 total
`;
const SKIPPED = `Test Suites: 1 skipped, 0 of 1 total
Tests:       3 skipped, 3 total
`;
const NOT_READY = `FAIL acceptance a.test.ts
  ● a task is completed

    the gateway did not become ready

Tests:       1 failed, 1 total
`;

describe('a mutant that a test hunts', () => {
  test('is caught by the first test that fails', () => {
    expect(judgeRun({ code: 1, report: FAILED })).toBe('sums › adds two amounts');
  });

  test('is not caught when all tests pass', () => {
    expect(judgeRun({ code: 0, report: PASSED })).toBeNull();
  });

  test.each([
    ['a test file cannot be loaded', 1, BROKEN],
    ['no title matches', 0, SKIPPED],
    ['the product does not start', 1, NOT_READY],
    ['the run is killed', 1, ''],
  ])('is not judged when %s', (_what, code, report) => {
    expect(() => judgeRun({ code, report })).toThrow('no test ran');
  });
});
