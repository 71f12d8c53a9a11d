import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { eventually, freePort } from '@image-gateway/testing';
import { afterEach, expect, test } from '@jest/globals';
import { type FakeStack, makeDataDir, type RunJson, readRun, startFakeStack, untilUp } from './fake-stack.js';

const stacks: FakeStack[] = [];
const dataDirs: string[] = [];
const makeDir = (): string => {
  const dataDir = makeDataDir();
  dataDirs.push(dataDir);
  return dataDir;
};
const start = (env: Record<string, string>, args: string[] = []): FakeStack => {
  const stack = startFakeStack({ HOST: '127.0.0.1', ...env }, args);
  stacks.push(stack);
  return stack;
};
afterEach(async () => {
  for (const { child } of stacks) {
    child.kill('SIGTERM');
  }
  await Promise.all(stacks.splice(0).map(({ ended }) => ended));
  for (const dataDir of dataDirs.splice(0)) {
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
});

/** Lists every port that a stack chose by itself. */
function listPorts(run: RunJson & { readonly api: { readonly metricsUrls: string[] } }): string[] {
  const workers = [...run.generationWorkers, ...run.webhookWorkers].map(({ metricsUrl }) => metricsUrl);
  const services = [run.postgres.url, run.redis.url, run.s3.url];
  return [...run.api.metricsUrls, ...workers, ...services].map((url) => new URL(url).port);
}

/** Takes a port in the moment in which a killed service leaves it. */
async function takePort(port: number, killService: () => void): Promise<net.Server> {
  const server = net.createServer();
  await eventually(async () => {
    killService();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, host: '127.0.0.1', exclusive: true }, resolve);
    });
  });
  return server;
}

test('two gateways that start in the same moment, with the same ports in mind, have different ports for everything', async () => {
  const wanted = { postgres: await freePort(), redis: await freePort(), s3: await freePort() };
  const pair = await Promise.all(
    [makeDir(), makeDir()].map(async (dataDir) => {
      fs.writeFileSync(path.join(dataDir, 'ports.json'), JSON.stringify(wanted), { mode: 0o600 });
      const env = { DATA_DIR: dataDir, PORT: String(await freePort()) };
      return { dataDir, stack: start(env, ['--api', '2']) };
    }),
  );
  await Promise.all(pair.map(({ stack }) => untilUp(stack)));
  await eventually(async () => {
    const ports = pair.flatMap(({ dataDir }) =>
      listPorts(readRun(dataDir) as Parameters<typeof listPorts>[0]),
    );
    expect(ports).toHaveLength(2 * 7);
    expect(new Set(ports).size).toBe(ports.length);
    for (const { dataDir } of pair) {
      const run = readRun(dataDir) as Parameters<typeof listPorts>[0];
      const [first, second] = await Promise.all(
        run.api.metricsUrls.map(async (url) => (await fetch(url)).status),
      );
      expect([run.api.pids.length, first, second]).toEqual([2, 200, 200]);
    }
  });
});

test('a stack whose object store lost its port to another program ends with what to do', async () => {
  const dataDir = makeDir();
  const stack = start({ DATA_DIR: dataDir, PORT: String(await freePort()) });
  await untilUp(stack);
  const { url } = readRun(dataDir).s3;
  const port = Number(new URL(url).port);
  const stranger = await takePort(port, () => {
    const { pid } = readRun(dataDir).s3 as { pid?: number };
    if (pid !== undefined) {
      process.kill(pid, 'SIGKILL');
    }
  });
  expect(await stack.ended).toBe(1);
  expect(stack.output()).toContain(
    `Another program took port ${port} while s3 was down. Start again: s3 then gets another port.`,
  );
  stranger.close();
});
