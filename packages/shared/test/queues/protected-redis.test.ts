import { spawnSync } from 'node:child_process';
import { UnusableServiceError } from '@image-gateway/shared/errors';
import { createLogger } from '@image-gateway/shared/logging';
import { refuseCluster } from '@image-gateway/shared/queues';
import {
  type Certificates,
  canCreateCertificates,
  createCertificates,
  findRedisServer,
  freePort,
  killPrograms,
  startProgram,
  startRedisCluster,
  startSentinelGroup,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type OwnRedis, ownRedis } from './own-redis.js';

/** Says whether a server was built with TLS: such a one fails without its certificate. */
function knowsTls(server: string): boolean {
  const files = ['--tls-cert-file', '/nonexistent', '--tls-key-file', '/nonexistent'];
  const args = ['--port', '0', '--save', '', '--tls-port', '1', ...files];
  const { stdout } = spawnSync(server, args, { timeout: 5_000, encoding: 'utf8' });
  return stdout.includes('Failed to configure TLS');
}

const testEncrypted = canCreateCertificates() && knowsTls(await findRedisServer()) ? test : test.skip;
let certificates: Certificates | undefined;
let redis: OwnRedis;
beforeAll(async () => {
  certificates = canCreateCertificates() ? createCertificates() : undefined;
  redis = await ownRedis();
});
afterEach(async () => {
  killPrograms();
  await redis.kill();
});
afterAll(async () => {
  certificates?.dispose();
  await redis.dispose();
});

/** Runs a hint and a limit through a Redis, in a process that trusts the authority. */
async function makeRoundTrip(url: string, env: Record<string, string> = {}) {
  const program = startProgram('packages/shared', ['test/queues/support/round-trip.ts'], {
    REDIS_URL: url,
    ...env,
  });
  const { code } = await program.ended;
  return { code, said: `${program.output()}${program.errors()}` };
}

const TAKEN = { code: 0, said: 'taken\n' };
// As docs/services.md has it.
const RULES = ['on', '>p:ss', '~{gw}*', '&{gw}*', '+@all', '-@dangerous', '+info'];

describe("a Redis of one's own", () => {
  testEncrypted(
    'behind TLS of a private authority serves a user who may touch only the keys of the gateway',
    async () => {
      const { authority, certificate, key } = certificates as Certificates;
      const port = await freePort();
      await redis.start(
        ...['--tls-port', String(port), '--tls-cert-file', certificate, '--tls-key-file', key],
        ...['--tls-ca-cert-file', authority, '--tls-auth-clients', 'no', '--user', 'gateway', ...RULES],
      );
      const url = `rediss://gateway:${encodeURIComponent('p:ss')}@localhost:${port}`;
      expect(await makeRoundTrip(url, { NODE_EXTRA_CA_CERTS: authority })).toEqual(TAKEN);
    },
  );

  testEncrypted('behind Sentinels, all with TLS and log-ins, serves hints and limits', async () => {
    const group = await startSentinelGroup({ certificates: certificates as Certificates });
    try {
      const env = { NODE_EXTRA_CA_CERTS: (certificates as Certificates).authority };
      expect(await makeRoundTrip(group.url, env)).toEqual(TAKEN);
    } finally {
      await group.dispose();
    }
  });

  test('in cluster mode is refused with what to do, and one that is away or without cluster mode is not', async () => {
    const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });
    const cluster = await startRedisCluster();
    try {
      await expect(refuseCluster(cluster.url, logger)).rejects.toThrow(UnusableServiceError);
      await expect(refuseCluster(cluster.url, logger)).rejects.toThrow(
        /cluster mode, which the gateway cannot use/,
      );
    } finally {
      await cluster.dispose();
    }
    await refuseCluster(cluster.url, logger);
    await redis.start();
    await refuseCluster(redis.url, logger);
  });
});
