import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import {
  API_ENV,
  compiledApps,
  GENERATION_WORKER_ENV,
  MEMORY_FLAGS,
  watchedApps,
} from '../src/apps/app-commands.js';

const root = resolve(import.meta.dirname, '../../..');

/** Environment and command of a stage of the container images. */
function readStage(name: string): { readonly env: object; readonly command: readonly string[] } {
  const dockerfile = `${readFileSync(resolve(root, 'docker/node.Dockerfile'), 'utf8')}\nFROM `;
  const [, stage = ''] = new RegExp(`^FROM runtime AS ${name}\n([^]*?)^FROM `, 'm').exec(dockerfile) ?? [];
  const set = [...stage.matchAll(/^ENV ([A-Z_]+)=(\S+)$/gm)].map(([, key, value]) => [key, value]);
  const [, command = '[]'] = /^CMD (\[.*\])$/m.exec(stage) ?? [];
  return { env: Object.fromEntries(set), command: JSON.parse(command) as string[] };
}

test('npm start and systemd start a generation worker with the environment and the flags of its container image', () => {
  const { env, command } = readStage('generation-worker');
  const main = 'apps/generation-worker/dist/main.js';
  expect([env, command]).toEqual([GENERATION_WORKER_ENV, ['node', ...MEMORY_FLAGS, main]]);
  const { generationWorker } = compiledApps(root);
  expect([generationWorker.env, generationWorker.args]).toEqual([
    GENERATION_WORKER_ENV,
    [...MEMORY_FLAGS, resolve(root, main)],
  ]);
  const unit = readFileSync(resolve(root, 'deploy/systemd/image-gateway-generation-worker@.service'), 'utf8');
  expect(unit).toContain(`exec /usr/bin/${command.join(' ')}'\n`);
  expect(watchedApps(root).generationWorker.env).toEqual(GENERATION_WORKER_ENV);
});

test('npm start and systemd start an API with the environment and the flags of its container image', () => {
  const { env, command } = readStage('api');
  expect([env, command]).toEqual([API_ENV, ['node', ...MEMORY_FLAGS, 'apps/api/dist/main.js']]);
  const { api } = compiledApps(root);
  expect([api.env, api.args]).toEqual([API_ENV, [...MEMORY_FLAGS, resolve(root, 'apps/api/dist/main.js')]]);
  const unit = readFileSync(resolve(root, 'deploy/systemd/image-gateway-api.service'), 'utf8');
  expect(unit).toContain(`ExecStart=/usr/bin/${command.join(' ')}\n`);
});
