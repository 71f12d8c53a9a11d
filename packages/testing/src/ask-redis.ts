import { Redis, type RedisOptions } from 'ioredis';

/** Runs one command on a connection of its own to a port of this machine. */
export async function askRedis(
  port: number,
  [name, ...args]: readonly [name: string, ...args: string[]],
  options: Pick<RedisOptions, 'password' | 'tls'> = {},
): Promise<unknown> {
  const client = new Redis(port, '127.0.0.1', { lazyConnect: true, retryStrategy: () => null, ...options });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await client.call(name, ...args);
  } finally {
    client.disconnect();
  }
}
