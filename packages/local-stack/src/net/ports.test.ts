import net from 'node:net';
import { expect, test } from '@jest/globals';
import { findFreePort } from './ports.js';

test('a port that nobody wished for is none of those that the system gives to connections', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, () => findFreePort()));
  expect(Math.max(...ports)).toBeLessThan(32_768);
});

test('a wanted port that is taken gives way to the next one', async () => {
  const wanted = await findFreePort();
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(wanted, '127.0.0.1', resolve));
  expect(await findFreePort(wanted)).toBeGreaterThan(wanted);
  expect(await findFreePort(wanted + 1, new Set([wanted + 1]))).toBeGreaterThan(wanted + 1);
  server.close();
});
