import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from './eventually.js';
import { findRedisServer } from './find-redis-server.js';
import { freePort } from './free-port.js';

/** Three Redis servers that share the slots of a cluster. */
export interface RedisCluster {
  /** URL of one of them. */
  readonly url: string;
  readonly dispose: () => Promise<void>;
}

const SLOTS = 16_384;

/** Starts the cluster and waits until it serves all slots. */
export async function startRedisCluster(): Promise<RedisCluster> {
  const file = await findRedisServer();
  const dir = mkdtempSync(path.join(tmpdir(), 'gw-cluster-'));
  const ports = [await freePort(), await freePort(), await freePort()];
  // A server ends when somebody has the port of its bus.
  const buses = [await freePort(), await freePort(), await freePort()];
  const children = ports.map((port, i) => {
    const bus = { 'cluster-enabled': 'yes', 'cluster-port': buses[i] };
    const options = { port, bind: '127.0.0.1', dir, ...bus };
    const more = { 'cluster-config-file': `${port}.conf`, save: '', loglevel: 'warning' };
    const args = Object.entries({ ...options, ...more }).flatMap(([name, value]) => [
      `--${name}`,
      String(value),
    ]);
    return spawn(file, args, { stdio: 'ignore' });
  });
  const ask = async (port: number, ...words: string[]): Promise<string> => {
    // On a busy machine a connection may end before it is ready: it is opened anew then, and only a command decides.
    const client = new Redis(port, '127.0.0.1', { lazyConnect: true, maxRetriesPerRequest: 50 });
    client.on('error', () => undefined);
    try {
      return String(await client.call('cluster', ...words));
    } finally {
      client.disconnect();
    }
  };
  const [first = 0] = ports;
  for (const [i, port] of ports.entries()) {
    await eventually(() => ask(port, 'info'));
    const from = Math.ceil((SLOTS * i) / ports.length);
    const to = Math.ceil((SLOTS * (i + 1)) / ports.length) - 1;
    await ask(port, 'addslotsrange', String(from), String(to));
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
    url: `redis://127.0.0.1:${first}`,
    dispose: async () => {
      for (const child of children) {
        child.kill('SIGKILL');
        if (child.exitCode === null && child.signalCode === null) {
          await once(child, 'exit');
        }
      }
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
