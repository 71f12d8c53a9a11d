import { spawnSync } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const full = '/dev/full';
const program = `
  import { createLogger } from '@image-gateway/shared/logging';
  const logger = createLogger({ service: 'test', level: 'info' });
  logger.error('first');
  setTimeout(() => logger.error('second'), 50);
  setTimeout(() => process.stderr.write('alive'), 100);
`;

(existsSync(full) ? test : test.skip)('a log on a full disk costs its lines and not the process', () => {
  const args = [
    '--conditions=@image-gateway/source',
    '--import',
    'tsx',
    '--input-type=module',
    '-e',
    program,
  ];
  const { status, stderr } = spawnSync(process.execPath, args, {
    stdio: ['ignore', openSync(full, 'w'), 'pipe'],
  });
  expect([status, stderr.toString()]).toEqual([0, 'alive']);
});
