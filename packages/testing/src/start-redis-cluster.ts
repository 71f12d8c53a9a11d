import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { askRedis } from './ask-redis.js';
import { eventually } from './eventually.js';
import { findRedisServer } from './find-redis-server.js';
import { freePort } from './free-port.js';
import { killProcess } from './kill-process.js';

/** Three Redis servers that share the slots of a cluster. */
export type RedisCluster = Awaited<ReturnType<typeof startRedisCluster>>;

const SLOTS = 16_384;

/** Starts the cluster and waits until it serves all slots. */
export async function startRedisCluster() {
  const file = await findRedisServer();
  const dir = mkdtempSync(path.join(tmpdir(), 'gw-cluster-'));
  const ports = [await freePort(), await freePort(), await freePort()];
  // A server ends when somebody has the port of its bus, which Redis 6 does not let choose.
  const isOld = / v=6\./.test(execFileSync(file, ['--version'], { encoding: 'utf8' }));
  const buses = isOld
    ? ports.map((port) => port + 10_000)
    : [await freePort(), await freePort(), await freePort()];
  const children = ports.map((port, i) => {
    const bus = isOld ? {} : { 'cluster-port': buses[i] };
    const options = { port, bind: '127.0.0.1', dir, 'cluster-enabled': 'yes', ...bus };
    const more = { 'cluster-config-file': `${port}.conf`, save: '', loglevel: 'warning' };
    const args = Object.entries({ ...options, ...more }).flatMap(([name, value]) => [
      `--${name}`,
      String(value),
    ]);
    return spawn(file, args, { stdio: 'ignore' });
  });
  // On a busy machine a connection may end before it is ready: each command is repeated then.
  const ask = (port: number, ...words: string[]) =>
    eventually(async () => String(await askRedis(port, ['cluster', ...words])));
  const [first = 0] = ports;
  for (const [i, port] of ports.entries()) {
    await ask(port, 'info');
    const from = Math.ceil((SLOTS * i) / ports.length);
    const to = Math.ceil((SLOTS * (i + 1)) / ports.length);
    await ask(port, 'addslots', ...Array.from({ length: to - from }, (_, slot) => String(from + slot)));
  }
  for (const [i, port] of [...ports.entries()].slice(1)) {
    await ask(first, 'meet', '127.0.0.1', String(port), String(buses[i]));
  }
  for (const port of ports) {
    await eventually(async () => {
      if (!/cluster_state:ok[\s\S]*cluster_known_nodes:3/.test(await ask(port, 'info'))) {
        throw new Error('the cluster is not complete');
      }
    });
  }
  return {
    /** URL of one of them. */
    url: `redis://127.0.0.1:${first}`,
    dispose: async () => {
      await Promise.all(children.map(killProcess));
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
