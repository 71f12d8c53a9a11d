import type { TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi } from '../support/start-api.js';
import { connectClient } from './support/connect-client.js';

const ORIGIN = 'https://app.example.com';
let api: TestApi;
let closed: TestApi;
let account: TestAccount;
beforeAll(async () => {
  api = await startApi({ CORS_ORIGINS: ORIGIN, RATE_LIMIT_KEY: '5/60', MCP_CONFIRM_ABOVE: '0' });
  closed = await startApi({ MCP: 'false' });
});
beforeEach(async () => {
  account = await api.account();
});
afterAll(async () => {
  await api.stop();
  await closed.stop();
});

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const accept = 'application/json, text/event-stream';
const post = (
  body: unknown,
  { headers = {}, as = account }: { headers?: Record<string, string>; as?: TestAccount | null } = {},
) => api.call('/mcp', { body, headers: { accept, ...headers }, ...(as && { as }) });
const error = ({ text }: { readonly text: string }) =>
  (
    JSON.parse(text) as {
      readonly error: {
        readonly code: number;
        readonly message: string;
        readonly data: { readonly code?: string };
      };
    }
  ).error;

describe('POST /mcp', () => {
  test('a message without a valid key is refused before its body is read', async () => {
    const answer = await post('{', { as: null });
    expect([answer.status, error(answer).message]).toEqual([401, 'Missing Authorization header']);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="image-gateway"');
    const wrong = await post(initialize, { as: { ...account, apiKey: `gw_live_${'x'.repeat(40)}` } });
    expect([wrong.status, error(wrong).data.code]).toEqual([401, 'UNAUTHORIZED']);
  });

  test('a page of another origin is refused, whatever its key; one of CORS_ORIGINS may read the answer', async () => {
    for (const origin of ['https://evil.example.com', 'null']) {
      const answer = await post(initialize, { headers: { origin } });
      expect([answer.status, error(answer).data.code]).toEqual([403, 'FORBIDDEN']);
    }
    const answer = await post(initialize, { headers: { origin: ORIGIN } });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, ORIGIN]);
    const preflight = await api.call('/mcp', {
      method: 'OPTIONS',
      headers: { origin: ORIGIN, 'access-control-request-method': 'POST' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, ORIGIN]);
  });

  test('GET and DELETE are 405: there are no sessions', async () => {
    for (const method of ['GET', 'DELETE']) {
      const { status, headers } = await api.call('/mcp', { method, as: account });
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'POST']);
    }
    const answer = await post(initialize);
    expect(answer.headers.get('mcp-session-id')).toBeNull();
  });

  test('a body of more than 2 MiB, one that is no JSON and a list of messages are refused', async () => {
    const large = await post({ ...initialize, params: { text: 'x'.repeat(2 * 1024 * 1024) } });
    expect([large.status, error(large).message]).toEqual([400, 'The body is larger than 2048 KiB.']);
    const fits = await post({ ...initialize, more: 'x'.repeat(2 * 1024 * 1024 - 1_000) });
    expect(fits.status).not.toBe(413);
    const broken = await post('{');
    expect([broken.status, error(broken).code]).toEqual([400, -32_600]);
    const list = await post([initialize]);
    expect([list.status, error(list).message]).toMatchObject([
      400,
      expect.stringContaining('one JSON-RPC message'),
    ]);
  });

  test('each call is one request for the limits of the key', async () => {
    const statuses: number[] = [];
    for (let request = 0; request < 6; request++) {
      statuses.push((await post(initialize)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });

  test('with MCP_CONFIRM_ABOVE=0 every price is confirmed', async () => {
    const client = await connectClient(api, account);
    const { value } = await client.call('generate_image', { prompt: 'a fox' });
    expect(value.status).toBe('confirmation_required');
    await client.close();
  });

  test('with MCP=false there is no such path', async () => {
    const { status, json } = await closed.call('/mcp', { body: initialize, as: await closed.account() });
    expect([status, json.error.code]).toEqual([404, 'NOT_FOUND']);
  });
});
