import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startWorker, type TestWorker } from '../facade/support/start-worker.js';
import { startApi, type TestApi } from '../support/start-api.js';
import type { Content } from './support/connect-client.js';

// Set by .ci/mcp.
const { INSPECTOR_BIN } = process.env;

let api: TestApi;
let worker: TestWorker;
let account: TestAccount;

/** Runs the inspector's command line as docs/clients/mcp.md shows it, and returns what it prints. */
async function inspect(...given: string[]): Promise<Record<string, unknown>> {
  const header = `Authorization: Bearer ${account.apiKey}`;
  const target = ['--cli', `${api.url}/mcp`, '--transport', 'http', '--header', header];
  const { stdout } = await promisify(execFile)(INSPECTOR_BIN ?? '', [...target, ...given], {
    env: { ...process.env, NODE_OPTIONS: '' },
    maxBuffer: 16 * 1024 * 1024,
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

(INSPECTOR_BIN === undefined ? describe.skip : describe)("the inspector's command line", () => {
  beforeAll(async () => {
    api = await startApi();
    await api.store.ensureBucket();
    worker = startWorker(api);
    account = await api.account();
  });
  afterAll(async () => {
    await worker.stop();
    await api.stop();
  });

  test("the inspector's command line lists the tools and calls them", async () => {
    const { tools } = await inspect('--method', 'tools/list');
    expect((tools as { readonly name: string }[]).map(({ name }) => name)).toContain('generate_image');
    const call = ['--method', 'tools/call', '--tool-name'];
    const drawn = await inspect(...call, 'generate_image', '--tool-arg', 'prompt=a red fox');
    expect(drawn).toMatchObject({ structuredContent: { status: 'completed', cost: '$0.0100' } });
    expect((drawn.content as Content[]).map(({ type }) => type)).toEqual(['text', 'resource_link', 'image']);
    const asked = await inspect(...call, 'generate_image', '--tool-arg', 'prompt=x', 'confirm_above=0.001');
    expect(asked).toMatchObject({ structuredContent: { status: 'confirmation_required' } });
  });
});
