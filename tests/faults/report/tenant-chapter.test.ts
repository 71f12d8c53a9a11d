import { readFileSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '@image-gateway/testing';
import { expect, test } from '@jest/globals';
import { SCENARIOS } from '../scenarios/index.js';
import type { ScenarioResult } from '../scenarios/scenario.js';
import type { RunSummary } from './run-summary.js';
import { tenantChapter } from './tenant-chapter.js';
import { BEFORE, TESTED_ATTACKS } from './tenant-history.js';

const result = (
  name: string,
  latestMs: number,
  { isTenant = true, faults = [] as string[] } = {},
): ScenarioResult => ({
  name,
  fault: `${name} happens`,
  outcome: '',
  injected: 1,
  restMs: 0,
  slowestMs: 0,
  faults,
  tookMs: 0,
  submissions: { accepted: 0, refused: 0, unknown: 0 },
  tasks: { completed: 0, failed: 0 },
  figures: { 'latest ms': latestMs, 'told 429': 3 },
  ...(isTenant && { tenants: { worstMs: 'latest ms', cost: ['told 429', 'places'] } }),
});
const run = (startedAt: string, scenarios: readonly ScenarioResult[], load?: number): RunSummary => ({
  seed: 7,
  commit: 'abc',
  startedAt,
  tookSeconds: 1,
  tasks: 0,
  submissions: 0,
  injected: 0,
  liveChecks: 0,
  simulation: null,
  scenarios,
  closing: [],
  green: true,
  ...(load !== undefined && { load }),
});

test('the chapter about accounts that harm others shows the newest result of each such scenario, and says what was not measured and in which runs it failed', () => {
  const rows = tenantChapter([
    run('2026-01-02', [result('flood', 20)], 4.26),
    run('2026-01-01', [
      result('flood', 10, { faults: ['lost'] }),
      result('image-bombs', 5),
      result('other', 1, { isTenant: false }),
    ]),
  ])
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2);
  expect(rows.slice(0, 2)).toEqual([
    '| flood | flood happens | latest ms 20 | told 429 3; places not measured | - | held; not in 1 of 2 kept runs | seed 7, commit abc, load 4.3 |',
    `| image-bombs | image-bombs happens | latest ms 5 | told 429 3; places not measured | ${BEFORE['image-bombs']} | held | seed 7, commit abc |`,
  ]);
});

test('the chapter about accounts that harm others has earlier figures of scenarios that measure what one account does, and no others', () => {
  const names = new Set(SCENARIOS.filter(({ tenants }) => tenants).map(({ name }) => name));
  expect(Object.keys(BEFORE).filter((name) => !names.has(name))).toEqual([]);
});

test.each(TESTED_ATTACKS)(
  'the chapter about accounts that harm others names a test that exists: $title',
  ({ file, title }) => {
    const source = readFileSync(path.join(repositoryRoot(), file), 'utf8');
    expect(source).toContain(title);
  },
);
