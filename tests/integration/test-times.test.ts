import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { repositoryRoot } from '@image-gateway/testing';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { sumUpTimes } from '../../scripts/testing/report-times.mjs';
import { keepTimes, readTimes } from '../../scripts/testing/test-times.mjs';

let folder: string;

beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'times-')));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

// Computes until a process has used so much of the processor, however busy the machine is.
const COMPUTE = `const compute = "const start = process.cpuUsage(); while (process.cpuUsage(start).user < 300_000);";`;
const FILE = `${COMPUTE}
  const { execFileSync } = require('node:child_process');
  const wait = () => new Promise((resolve) => setTimeout(resolve, 400));
  beforeAll(wait);
  test('waits', wait);
  test('computes', () => new Function('process', compute)(process));
  test('has a program compute', () => void execFileSync(process.execPath, ['-e', compute]));`;

test('start-up, waiting and work of a test file are told apart, and the work of its programs counts', () => {
  const root = repositoryRoot();
  const lines = path.join(folder, 'lines');
  fs.writeFileSync(path.join(folder, 'package.json'), '{}');
  fs.writeFileSync(path.join(folder, 'one.test.js'), FILE);
  const config = {
    rootDir: folder,
    testEnvironment: path.join(root, 'tests/environment/test-environment.mjs'),
    transform: {},
  };
  const args = [...process.execArgv, path.join(root, 'node_modules/jest/bin/jest.js')];
  const { status, stderr } = spawnSync(process.execPath, [...args, '--config', JSON.stringify(config)], {
    cwd: folder,
    env: { ...process.env, TEST_TIMES_FILE: lines },
    encoding: 'utf8',
  });
  expect([stderr, status]).toEqual([expect.stringContaining('3 passed'), 0]);
  const kept = path.join(folder, 'kept');
  keepTimes(lines, kept);
  const [times] = Object.values(readTimes(kept));
  expect(times?.loading).toBeGreaterThan(0);
  expect(times?.services).toBeGreaterThan(0.39);
  expect(times?.waiting).toBeGreaterThan(0.39);
  expect(times?.work).toBeGreaterThan(0.55);
});

test('the times of a file are those of its last run, and nothing is lost of the others', () => {
  const lines = path.join(folder, 'lines');
  const kept = path.join(folder, 'kept');
  const write = (rows: readonly object[]) =>
    fs.writeFileSync(lines, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const parts = { loading: 1, services: 2, waiting: 3, work: 4 };
  write([
    { file: 'a', ...parts },
    { file: 'b', ...parts },
  ]);
  keepTimes(lines, kept);
  write([
    { file: 'b', ...parts, work: 5 },
    { file: 'b', ...parts, work: 6 },
  ]);
  keepTimes(lines, kept);
  expect([fs.existsSync(lines), readTimes(kept)]).toEqual([false, { a: parts, b: { ...parts, work: 6 } }]);
});

test('the report names the longest file first, and adds up folders and kinds', () => {
  const parts = { loading: 1, services: 0, waiting: 1, work: 1 };
  const { files, folders, kinds, total } = sumUpTimes({
    'apps/api/src/a/b.test.ts': parts,
    'apps/api/test/x/long.test.ts': { ...parts, work: 9 },
    'apps/api/test/x/short.test.ts': parts,
  });
  const name = ({ name }: { name: string }) => name;
  expect(files.map(name)[0]).toBe('apps/api/test/x/long.test.ts');
  expect(folders).toMatchObject([
    { name: 'apps/api/test/x', files: 2, seconds: 14, loading: 2, services: 0, waiting: 2, work: 10 },
    { name: 'apps/api/src/a', files: 1, seconds: 3 },
  ]);
  expect(kinds.map(name)).toEqual(['integration', 'unit']);
  expect(total).toMatchObject([{ files: 3, seconds: 17 }]);
});
