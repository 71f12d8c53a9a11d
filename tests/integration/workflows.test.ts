import fs from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '@image-gateway/testing';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';

const read = (name: string): string => fs.readFileSync(path.join(repositoryRoot(), name), 'utf8');

/** Checks that a machine of the workflow can't do: it is never quiet, and has no ComfyUI. */
const BY_HAND = ['bench', 'comfyui'];

test('the nightly workflow runs each check of .ci/long once, but those that need a machine of their own', () => {
  const { jobs } = parse(read('.github/workflows/nightly.yaml')) as {
    jobs: { long: { strategy: { matrix: { checks: string[] } } } };
  };
  const known = /^checks='(.*)'$/m.exec(read('.ci/long'))?.[1]?.split(' ') ?? [];
  const run = jobs.long.strategy.matrix.checks.flatMap((group) => group.split(' '));
  expect(known.length).toBeGreaterThan(10);
  expect([...run, ...BY_HAND].sort()).toEqual(known.sort());
});

const workflows = fs.readdirSync(path.join(repositoryRoot(), '.github/workflows'));

test('there are workflows for changes, documents, nights, releases and advisories', () => {
  const names = ['advisories.yaml', 'ci.yaml', 'docs.yaml', 'nightly.yaml', 'release.yaml'];
  expect(workflows.sort()).toEqual(names);
});

test.each(workflows)(
  'the workflow %s names the major version of each action, and has a limit of time for each job',
  (name) => {
    const text = read(`.github/workflows/${name}`);
    const uses = [...text.matchAll(/uses: (\S+)/g)].map(([, action]) => action);
    expect(uses.length).toBeGreaterThan(1);
    expect(uses.filter((action) => !/^[\w-]+\/[\w-]+@v\d+$/.test(action ?? ''))).toEqual([]);
    const { jobs } = parse(text) as { jobs: Record<string, { 'timeout-minutes'?: number }> };
    expect(Object.values(jobs).filter((job) => job['timeout-minutes'] === undefined)).toEqual([]);
  },
);

test('every script that a workflow calls exists and may be run', () => {
  const called = workflows.flatMap((name) =>
    [
      ...read(`.github/workflows/${name}`).matchAll(
        /(?:run:|&&|^\s+)\s*(?:node )?((?:scripts|\.ci)\/[\w./-]+)/gm,
      ),
    ].map(([, file = '']) => file),
  );
  expect(called.length).toBeGreaterThan(5);
  for (const file of called) {
    const { mode } = fs.statSync(path.join(repositoryRoot(), file));
    expect([file, file.endsWith('.mjs') || (mode & 0o111) !== 0]).toEqual([file, true]);
  }
});
