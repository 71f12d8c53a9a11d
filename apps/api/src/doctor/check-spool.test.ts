import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { checkSpool } from './check-spool.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'check-spool-'));
});
afterEach(() => rmSync(dir, { recursive: true }));
const getLevel = async (SPOOL_DIR: string, SPOOL_MAX: number): Promise<string> =>
  (await checkSpool({ SPOOL_DIR, SPOOL_MAX })).level;

test('a spool is fine that can be written and has room', async () => {
  expect(await getLevel(dir, 1)).toBe('ok');
});

test('a spool on a disk with less room than it may take is worth a warning', async () => {
  expect(await getLevel(dir, 2 ** 62)).toBe('warning');
});

test('a spool that is not there may be elsewhere; one that is no folder is a fault', async () => {
  const file = path.join(dir, 'file');
  writeFileSync(file, '');
  expect(await getLevel(path.join(dir, 'missing'), 1)).toBe('warning');
  expect(await getLevel(file, 1)).toBe('fault');
});
