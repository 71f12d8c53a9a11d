import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { repositoryRoot } from '@image-gateway/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

const DEADLOCK = `Error: external connector error\nTransaction write conflict\n  with migration_name="2026_counts"\n`;
let folder: string;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'apply-migrations-'));
  const program = path.join(repositoryRoot(), 'docker/migrate/apply-migrations.mjs');
  fs.copyFileSync(program, path.join(folder, 'apply-migrations.mjs'));
  fs.mkdirSync(path.join(folder, 'node_modules/prisma/build'), { recursive: true });
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Runs the program over a Prisma whose `migrate deploy` fails with these texts in turn, and then succeeds. */
function apply(errors: readonly string[]) {
  const calls = path.join(folder, 'calls.txt');
  fs.writeFileSync(
    path.join(folder, 'node_modules/prisma/build/index.js'),
    `const fs = require('node:fs');
     const args = process.argv.slice(2).join(' ');
     fs.appendFileSync(${JSON.stringify(calls)}, args + '\\n');
     const times = fs.readFileSync(${JSON.stringify(calls)}, 'utf8').split('migrate deploy').length - 2;
     const error = args === 'migrate deploy' ? ${JSON.stringify(errors)}[times] : undefined;
     if (error) { console.error(error); process.exitCode = 3; }`,
  );
  const { status } = spawnSync(process.execPath, [path.join(folder, 'apply-migrations.mjs')]);
  return { status, calls: fs.readFileSync(calls, 'utf8').trim().split('\n') };
}

describe('migrations beside processes that work', () => {
  test('a migration that PostgreSQL ended in a deadlock is marked as rolled back and applied again', () => {
    const again = ['migrate deploy', 'migrate resolve --rolled-back 2026_counts'];
    expect(apply([DEADLOCK, DEADLOCK])).toEqual({ status: 0, calls: [...again, ...again, 'migrate deploy'] });
  });

  test('a migration that fails for another reason is not applied again, and its exit code is passed on', () => {
    expect(apply(['Error: P3018 with migration_name="2026_counts"'])).toEqual({
      status: 3,
      calls: ['migrate deploy'],
    });
  });
});
