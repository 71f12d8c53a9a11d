import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '@image-gateway/testing';
import { describe, expect, test } from '@jest/globals';
import { listTests } from '../../scripts/testing/list-tests.mjs';
import { readSeconds } from '../../scripts/testing/longest-first.mjs';
import { listLeftOut, selectTests } from '../../scripts/testing/select-tests.mjs';
import { FAILURES, NIGHTLY, REST } from '../../scripts/testing/test-lists.mjs';
import { findHolder, readRows } from '../acceptance/support/specification-table.js';

const root = repositoryRoot();
const names = listTests(root);
const select = (part: 'short' | 'rest' | 'all'): string[] => selectTests(names, { part });
const read = (name: string): string => fs.readFileSync(path.join(root, name), 'utf8');
/** Seconds that files took when they were recorded, several beside each other. */
const SHORT_SECONDS = 1_125;

describe('npm test', () => {
  test('npm test and npm run test:rest run each file once, but those that only the night runs', () => {
    expect([...select('short'), ...select('rest')].sort()).toEqual([...select('all')].sort());
    const nightly = NIGHTLY.map((name) => `${name}.test.ts`);
    expect([...select('all'), ...nightly].sort()).toEqual([...names].sort());
  });

  test('every file of the lists exists and stands in one of them', () => {
    const listed = [...REST.flatMap(({ files }) => files), ...NIGHTLY].map((name) => `${name}.test.ts`);
    expect(listed.filter((name, index) => listed.indexOf(name) !== index || !names.includes(name))).toEqual(
      [],
    );
    expect(REST.filter(({ subject, why, files }) => !subject || why.length < 20 || !files.length)).toEqual(
      [],
    );
  });

  test('Jest finds each file, and no other', () => {
    const args = [...process.execArgv, 'node_modules/jest/bin/jest.js', '--listTests', '--json'];
    const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    const found = (JSON.parse(stdout) as string[]).map((file) => path.relative(root, file));
    expect(found.sort()).toEqual([...names].sort());
  });

  test('.ci/run runs npm test and the rest, and leaves no more to .ci/long than before', () => {
    const lines = read('.ci/run').split('\n');
    expect(lines.filter((line) => /run_tests npm (test|run --silent test:(rest|all))$/.test(line))).toEqual([
      "check 'tests' run_tests npm test",
      "check 'rest of the tests' run_tests npm run --silent test:rest",
    ]);
    const nights = ['chained-gateways', 'clients-killed', 'facade-proxies', 'facade-nginx'];
    expect(NIGHTLY).toEqual(
      [...nights, 'provider-keys', 'who-spent'].map((name) => `tests/acceptance/${name}`),
    );
  });

  test.each(readRows().filter(({ heldBy }) => !heldBy.startsWith('none:')))(
    'npm test runs what holds the row: $section: $rule',
    (row) => expect(select('short')).toContain(findHolder(row).file),
  );

  test.each(Object.entries(FAILURES))('npm test has a case in which %s: %s', (_, file) =>
    expect(select('short')).toContain(`${file}.test.ts`),
  );

  test('the files of npm test took no more seconds than five minutes have room for, when they were recorded', () => {
    const seconds: Readonly<Record<string, number>> = readSeconds();
    const sum = select('short').reduce((total, name) => total + (seconds[name] ?? 0), 0);
    expect(sum).toBeLessThanOrEqual(SHORT_SECONDS);
  });

  test('patterns select by path, whatever the lists say', () => {
    const patterns = ['/(apps|packages)/[^/]+/src/.*/run-tasks', 'acceptance/who-spent[.]test'];
    expect(selectTests([...names, 'apps/x/src/y/run-tasks.test.ts'], { patterns })).toEqual([
      'tests/acceptance/who-spent.test.ts',
      'apps/x/src/y/run-tasks.test.ts',
    ]);
  });

  test('what is left out is named by subject, with the command for it', () => {
    const text = listLeftOut('short').join('\n');
    expect(text).toContain('npm run test:rest');
    expect(REST.filter(({ subject }) => !text.includes(subject))).toEqual([]);
    expect(listLeftOut('all').join()).toContain('tests/acceptance/who-spent.test.ts');
  });
});
