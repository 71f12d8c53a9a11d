import net from 'node:net';
import { expect, test } from '@jest/globals';
import { freePort } from './free-port.js';

test('free ports stay free: none repeats, and none is of those that the system gives to connections', async () => {
  const ports = await Promise.all(Array.from({ length: 300 }, freePort));
  expect(new Set(ports).size).toBe(300);
  expect(Math.max(...ports)).toBeLessThan(32_768);
});

test('a port that somebody listens on is not free', async () => {
  const server = net.createServer();
  const taken = await freePort();
  await new Promise<void>((resolve) => server.listen(taken, '127.0.0.1', resolve));
  expect(await Promise.all(Array.from({ length: 50 }, freePort))).not.toContain(taken);
  server.close();
});
