import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
const programs = new Set([
  ...Object.values(scripts).flatMap(
    (script) => /^exec sh scripts\/node\.sh (\S+\.mjs)/.exec(script)?.[1] ?? [],
  ),
  'scripts/check-deploy.mjs',
  'scripts/check-house.mjs',
]);

test('every program behind a script prints its usage for --help, and does nothing else', async () => {
  const said = await Promise.all(
    [...programs].map(async (program) => {
      const { stdout } = await promisify(execFile)(process.execPath, [program, '--help'], { cwd: root });
      return [program, /^Usage: /.test(stdout)];
    }),
  );
  expect(said.length).toBeGreaterThan(14);
  expect(said.filter(([, isUsage]) => !isUsage)).toEqual([]);
});
