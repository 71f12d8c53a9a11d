import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import {
  API_ENV,
  API_FLAGS,
  compiledApps,
  GENERATION_WORKER_ENV,
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

test('npm start gives a generation worker the environment that its container image sets', () => {
  expect(readStage('generation-worker').env).toEqual(GENERATION_WORKER_ENV);
  expect(compiledApps(root).generationWorker.env).toEqual(GENERATION_WORKER_ENV);
  expect(watchedApps(root).generationWorker.env).toEqual(GENERATION_WORKER_ENV);
});

test('npm start and systemd start an API with the environment and the flags of its container image', () => {
  const { env, command } = readStage('api');
  expect([env, command]).toEqual([API_ENV, ['node', ...API_FLAGS, 'apps/api/dist/main.js']]);
  const { api } = compiledApps(root);
  expect([api.env, api.args]).toEqual([API_ENV, [...API_FLAGS, resolve(root, 'apps/api/dist/main.js')]]);
  const unit = readFileSync(resolve(root, 'deploy/systemd/image-gateway-api.service'), 'utf8');
  expect(unit).toContain(`ExecStart=/usr/bin/${command.join(' ')}\n`);
});
