import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type HeldPort, holdPort } from './reserve-port.js';

let dataDir: string;
let lost: string[];
const strangers: net.Server[] = [];
const hold = (): Promise<HeldPort> => holdPort(dataDir, 's3', ({ message }) => void lost.push(message));
const readPorts = (): unknown => JSON.parse(readFileSync(path.join(dataDir, 'ports.json'), 'utf8'));
const occupy = async (port: number): Promise<void> => {
  const server = net.createServer();
  strangers.push(server);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
};
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'ports-'));
  lost = [];
});
afterEach(async () => {
  await Promise.all(strangers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
  rmSync(dataDir, { recursive: true, force: true });
});

test('the port of the last run is taken again while it is free', async () => {
  const first = await hold();
  expect((await hold()).get()).toBe(first.get());
  expect(await first.prepare()).toBe(first.get());
});

test('a port that another program took between choosing and starting gives way to another one', async () => {
  const port = await hold();
  const chosen = port.get();
  await occupy(chosen);
  const next = await port.prepare();
  expect(next).not.toBe(chosen);
  expect([port.get(), readPorts(), lost]).toEqual([next, { s3: next }, []]);
});

test('a port that is lost after the apps know it is told at once, with the way on', async () => {
  const port = await hold();
  port.settle();
  await occupy(port.get());
  const words = `Another program took port ${port.get()} while s3 was down. Start again: s3 then gets another port.`;
  await expect(port.prepare()).rejects.toThrow(words);
  expect(lost).toEqual([words]);
});
