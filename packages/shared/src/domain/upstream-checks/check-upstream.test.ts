import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeUpstream } from '../upstreams/index.js';
import { checkUpstream } from './index.js';

const asked: string[] = [];
const server = createServer(({ url }, response) => {
  asked.push(url ?? '');
  response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}');
});
let address = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

test('the check of a key that names no account of a workload says why, and sends nothing', async () => {
  const file = { type: 'external_account', credential_source: { file: '/none/such' } };
  const upstream = describeUpstream(
    {
      name: 'vertex',
      protocol: 'vertex',
      settings: { keys: 'KEYS', address: 'base_url' },
      address: `${address}/v1/projects/p/locations/global`,
    },
    [Buffer.from(JSON.stringify(file)).toString('base64'), 'AIza-key'],
  );
  const { keys } = await checkUpstream(upstream, {
    OUTBOUND_ALLOW: [],
    HTTPS_PROXY: undefined,
    NO_PROXY: [],
  });
  expect(keys).toMatchObject([
    { result: 'refused', reason: expect.stringContaining('cannot be read') },
    { result: 'refused', status: 401 },
  ]);
  // The key of express mode goes to the API itself.
  expect(asked).toEqual([
    '/v1/projects/p/locations/global/publishers/google/models/gemini-3-pro-image:countTokens',
  ]);
});
