import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually, repositoryRoot } from '@image-gateway/testing';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

let folder: string;
beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'kept-')));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

// Says what it finds of the files before it, and leaves something of each kind.
const FILE = `
  const fs = require('node:fs');
  const say = (what) => fs.appendFileSync(process.env.LINES, what + '\\n');
  const { loads } = require('library');
  const { helper } = require('./helper.js');
  afterAll(() => say('end of ' + require('node:path').basename(__filename)));
  test('leaves something', () => {
    say([loads, helper(), process.env.LEFT ?? 'clean', jest.isMockFunction(Date.now) ? 'mocked' : 'real'].join());
    process.env.LEFT = 'left';
    jest.spyOn(Date, 'now');
    jest.useFakeTimers();
  });`;

function writeFiles(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries({ 'package.json': '{}', ...files })) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
}

/** Returns the program and the arguments of a run of Jest over the folder in one process. */
function describeRun(): readonly string[] {
  const root = repositoryRoot();
  const config = {
    rootDir: folder,
    runtime: path.join(root, 'tests/environment/test-runtime.cjs'),
    testEnvironment: path.join(root, 'tests/environment/test-environment.mjs'),
    transform: {},
  };
  const jest = path.join(root, 'node_modules/jest/bin/jest.js');
  return [...process.execArgv, jest, '--runInBand', '--config', JSON.stringify(config)];
}

function runFiles(files: Readonly<Record<string, string>>): string[] {
  const lines = path.join(folder, 'lines');
  writeFiles({
    'node_modules/library/index.js':
      'globalThis.loads = (globalThis.loads ?? 0) + 1; exports.loads = globalThis.loads;',
    'helper.js':
      'globalThis.helpers = (globalThis.helpers ?? 0) + 1; exports.helper = () => globalThis.helpers;',
    ...files,
  });
  const { status, stderr } = spawnSync(process.execPath, describeRun(), {
    cwd: folder,
    env: { ...process.env, LINES: lines, TEST_TIMES_FILE: path.join(folder, 'times') },
    encoding: 'utf8',
  });
  expect([stderr, status]).toEqual([expect.anything(), 0]);
  // Each file is measured once: no listener of the one before is left.
  expect(fs.readFileSync(path.join(folder, 'times'), 'utf8').trim().split('\n')).toHaveLength(2);
  return fs.readFileSync(lines, 'utf8').trim().split('\n').sort();
}

test('a library is loaded once for the files of a worker; helpers, hooks, mocks and settings are those of each file', () => {
  expect(runFiles({ 'a.test.js': FILE, 'b.test.js': FILE })).toEqual([
    '1,1,clean,real',
    '1,2,clean,real',
    'end of a.test.js',
    'end of b.test.js',
  ]);
});

test('a file that says so finds every module as new', () => {
  const own = `/** @jest-own-modules */${FILE}`;
  expect(runFiles({ 'a.test.js': FILE, 'b.test.js': own })).toEqual([
    '1,1,clean,real',
    '1,1,clean,real',
    'end of a.test.js',
    'end of b.test.js',
  ]);
});

test('while files are watched, a changed module of the product is loaded again', async () => {
  const seen = path.join(folder, 'lines');
  const product = 'apps/one/src/answer.js';
  writeFiles({
    [product]: 'exports.answer = 1;',
    'a.test.js': `const { answer } = require('./${product}');
      test('says it', () => require('node:fs').appendFileSync(process.env.LINES, answer + ';'));`,
  });
  const watching = spawn(process.execPath, [...describeRun(), '--watchAll'], {
    cwd: folder,
    env: { ...process.env, LINES: seen },
    stdio: 'ignore',
  });
  try {
    await eventually(() => expect(fs.readFileSync(seen, 'utf8')).toBe('1;'));
    writeFiles({ [product]: 'exports.answer = 2;' });
    await eventually(() => expect(fs.readFileSync(seen, 'utf8')).toMatch(/2;$/));
    expect(fs.readFileSync(seen, 'utf8').replaceAll('1;', '')).toMatch(/^(2;)+$/);
  } finally {
    watching.kill();
  }
});
