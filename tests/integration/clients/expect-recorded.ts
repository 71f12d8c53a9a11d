import fs from 'node:fs';
import path from 'node:path';
import { expect } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../../..');

/** Compares a file with its present text, which RECORD_INTERFACE=1 in the environment writes first. */
export function expectRecorded(file: string, present: string): void {
  const target = path.join(root, file);
  if (process.env.RECORD_INTERFACE === '1') {
    fs.writeFileSync(target, present);
  }
  expect(fs.readFileSync(target, 'utf8')).toBe(present);
}
