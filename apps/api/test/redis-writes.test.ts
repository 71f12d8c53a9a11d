import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually, findRedisServer, freePort } from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import type { DoctorCheck } from './cli/support/doctor-check.js';
import { runCommand } from './cli/support/run-command.js';
import { startApi, type TestApi } from './support/start-api.js';

const folder = mkdtempSync(path.join(tmpdir(), 'gw-redis-writes-'));
let server: ChildProcess;
let url: string;
let admin: Redis;
let api: TestApi;

beforeAll(async () => {
  const port = await freePort();
  const options = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'no',
  ];
  server = spawn(await findRedisServer(), options, { stdio: 'ignore' });
  url = `redis://127.0.0.1:${port}`;
  admin = new Redis(url);
  admin.on('error', () => undefined);
  await eventually(() => admin.ping());
  api = await startApi({ REDIS_URL: url });
  await eventually(async () => expect((await api.call('/readyz')).json.data.redis).toBe('ok'));
});
afterAll(async () => {
  await api.stop();
  admin.disconnect();
  server.kill('SIGKILL');
  await once(server, 'exit');
  rmSync(folder, { recursive: true, force: true });
});

/** Runs commands, one a line. */
const run = async (...commands: readonly string[]): Promise<void> => {
  for (const command of commands) {
    const [name = '', ...words] = command.split(' ');
    await admin.call(name, ...words);
  }
};
/** Makes a snapshot fail: its folder is gone. */
const failToSave = async (): Promise<void> => {
  rmSync(folder, { recursive: true });
  await run('SET x 1');
  await admin.config('SET', 'save', '3600 1');
  await run('BGSAVE');
  await eventually(async () =>
    expect(await admin.info('persistence')).toContain('rdb_last_bgsave_status:err'),
  );
};

test.each([
  [
    'READONLY',
    /it is a replica. Name the primary/,
    () => run('REPLICAOF 127.0.0.1 1'),
    () => run('REPLICAOF NO ONE'),
  ],
  ['OOM', /Raise maxmemory/, () => run('CONFIG SET maxmemory 1'), () => run('CONFIG SET maxmemory 0')],
  [
    'NOREPLICAS',
    /min-replicas-to-write/,
    () => run('CONFIG SET min-replicas-to-write 1'),
    () => run('CONFIG SET min-replicas-to-write 0'),
  ],
  ['MISCONF', /cannot save to its disk/, failToSave, () => run('CONFIG SET stop-writes-on-bgsave-error no')],
])(
  'a Redis that takes no writes (%s) is degraded and a fault for the doctor, with the reason',
  async (word, remediation, begin, end) => {
    await begin();
    await eventually(async () => {
      const { status, json } = await api.call('/readyz');
      expect([status, json.data.redis, json.data.reasons?.redis]).toEqual([
        200,
        'degraded',
        expect.stringContaining(`takes no writes (${word})`),
      ]);
      expect(json.data.reasons?.redis).toMatch(remediation);
    });
    const { value } = await runCommand<{ checks: DoctorCheck[] }>(
      { env: { ...api.workerEnv, REDIS_URL: url } },
      'doctor',
    );
    expect(value.checks.filter(({ part, level }) => part === 'Redis' && level === 'fault')).toEqual([
      expect.objectContaining({ seen: 'takes no writes', mend: expect.stringMatching(remediation) }),
    ]);
    await end();
    await eventually(async () => expect((await api.call('/readyz')).json.data.redis).toBe('ok'));
  },
);
