import { killPrograms, type RedisCluster, startProgram, startRedisCluster } from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DoctorCheck } from './cli/support/doctor-check.js';
import { runCommand } from './cli/support/run-command.js';
import { startApi, type TestApi } from './support/start-api.js';

const REASON = /cluster mode, which the gateway cannot use\. Name one without it, or a Sentinel group/;

let cluster: RedisCluster;
let api: TestApi;
beforeAll(async () => {
  cluster = await startRedisCluster();
  // As when the server behind the address became one after the start.
  api = await startApi({ REDIS_URL: cluster.url });
});
afterAll(async () => {
  killPrograms();
  await api.stop();
  await cluster.dispose();
});

test.each([
  ['apps/api', {}],
  ['apps/generation-worker', { PROVIDERS: 'sandbox' }],
  ['apps/webhook-worker', {}],
])('a Redis Cluster is refused at the start of %s, with the reason', async (folder, env) => {
  const settings = { ...api.workerEnv, REDIS_URL: cluster.url, METRICS_PORT: '0', PORT: '0', ...env };
  const program = startProgram(folder, ['src/main.ts'], { HOST: '127.0.0.1', ...settings });
  expect(await program.ended).toMatchObject({ code: 1 });
  expect(program.errors()).toMatch(REASON);
});

test('a Redis Cluster is refused by the doctor, with the reason', async () => {
  const env = { ...api.workerEnv, REDIS_URL: cluster.url };
  const { value } = await runCommand<{ checks: DoctorCheck[] }>({ env }, 'doctor');
  expect(value.checks.filter(({ part }) => part === 'Redis')).toEqual([
    { part: 'Redis', level: 'fault', seen: 'is in cluster mode', mend: expect.stringMatching(REASON) },
  ]);
});

test('a Redis Cluster is refused by /readyz, with the reason', async () => {
  const { status, json } = await api.call('/readyz');
  expect([status, json.data.redis]).toEqual([200, 'degraded']);
  expect(json.data.reasons?.redis).toMatch(REASON);
});
