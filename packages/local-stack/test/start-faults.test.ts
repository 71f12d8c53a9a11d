import fs from 'node:fs';
import path from 'node:path';
import { freePort, startReceiver } from '@image-gateway/testing';
import { afterAll, describe, expect, test } from '@jest/globals';
import { makeDataDir, ownPorts, startFakeStack } from './fake-stack.js';

describe('a start that cannot succeed', () => {
  const dataDir = makeDataDir();
  afterAll(() => fs.rmSync(dataDir, { recursive: true, force: true }));

  async function failingStart(env: Record<string, string>, args: string[] = []): Promise<string> {
    const stack = startFakeStack({ ...(await ownPorts()), DATA_DIR: dataDir, ...env }, args);
    expect(await stack.ended).toBe(1);
    expect(fs.existsSync(path.join(dataDir, 'run.json'))).toBe(false);
    return stack.output();
  }

  test('a start that cannot succeed names the port that is in use and the setting that changes it', async () => {
    const other = await startReceiver();
    const output = await failingStart({ PORT: String(other.port) });
    expect(output).toContain(`Port ${other.port} of 127.0.0.1 is in use`);
    expect(output).toContain('set PORT');
    await other.close();
  });

  test('a start that cannot succeed refuses an option that it does not know', async () => {
    const output = await failingStart({}, ['--wrokers', '2']);
    expect(output).toContain("Unknown option '--wrokers'");
    expect(output).toContain('Usage: npm start -- [--workers N]');
  });

  test('a start that cannot succeed says what to type when there is no Redis and none can be installed', async () => {
    const tools = path.join(dataDir, 'tools');
    fs.mkdirSync(tools, { recursive: true });
    for (const tool of ['sh', 'id']) {
      fs.symlinkSync(`/usr/bin/${tool}`, path.join(tools, tool));
    }
    const output = await failingStart({ PATH: tools });
    expect(output).toContain('A Redis 6.2 or Valkey 7.2 (or newer) is needed');
    expect(output).toContain('REDIS_URL');
  });

  test('a start that cannot succeed says which database does not answer, without its password', async () => {
    const port = await freePort();
    const output = await failingStart({
      DATABASE_URL: `postgresql://me:secret-word@127.0.0.1:${port}/mine`,
      REDIS_URL: 'redis://127.0.0.1:1',
      S3_ENDPOINT: 'http://127.0.0.1:1',
    });
    expect(output).toContain(`The database 127.0.0.1:${port}/mine cannot be used`);
    expect(output).not.toContain('secret-word');
  });

  test('a start that cannot succeed ends with what the program says when a program refuses its settings', async () => {
    const output = await failingStart({ FAKE_FAULT: 'worker' });
    expect(output).toContain('The settings are not right');
    expect(output).toContain('worker could not start (exit code 1)');
  });
});
