import fs from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '@image-gateway/testing';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';

const read = (name: string): string => fs.readFileSync(path.join(repositoryRoot(), name), 'utf8');

test('the nightly workflow runs each check of .ci/long once', () => {
  const { jobs } = parse(read('.github/workflows/nightly.yml')) as {
    jobs: { long: { strategy: { matrix: { checks: string[] } } } };
  };
  const known = /^checks='(.*)'$/m.exec(read('.ci/long'))?.[1]?.split(' ') ?? [];
  const run = jobs.long.strategy.matrix.checks.flatMap((group) => group.split(' '));
  expect(known.length).toBeGreaterThan(10);
  expect(run.sort()).toEqual(known.sort());
});

test.each(['ci', 'nightly'])(
  'the workflow %s names the major version of each action, and has a limit of time',
  (name) => {
    const text = read(`.github/workflows/${name}.yml`);
    const uses = [...text.matchAll(/uses: (\S+)/g)].map(([, action]) => action);
    expect(uses.length).toBeGreaterThan(1);
    expect(uses.filter((action) => !/^actions\/[\w-]+@v\d+$/.test(action ?? ''))).toEqual([]);
    expect(text).toMatch(/timeout-minutes: \d+/);
  },
);
