import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { compiledApps, GENERATION_WORKER_ENV, watchedApps } from '../src/apps/app-commands.js';

const root = resolve(import.meta.dirname, '../../..');

test('npm start gives a generation worker the environment that its container image sets', () => {
  const dockerfile = readFileSync(resolve(root, 'docker/node.Dockerfile'), 'utf8');
  const [, stage] = /^FROM runtime AS generation-worker\n([\s\S]*?)^FROM /m.exec(dockerfile) ?? [];
  const set = [...(stage ?? '').matchAll(/^ENV ([A-Z_]+)=(\S+)$/gm)].map(([, name, value]) => [name, value]);
  expect(Object.fromEntries(set)).toEqual(GENERATION_WORKER_ENV);
  expect(compiledApps(root).generationWorker.env).toEqual(GENERATION_WORKER_ENV);
  expect(watchedApps(root).generationWorker.env).toEqual(GENERATION_WORKER_ENV);
});
