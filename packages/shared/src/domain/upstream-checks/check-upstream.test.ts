import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { describeUpstream } from '../upstreams/index.js';
import { checkUpstream } from './index.js';

const asked: string[] = [];
let list: object | null = null;
const server = createServer(({ url }, response) => {
  asked.push(url ?? '');
  if (list !== null) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list));
    return;
  }
  response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}');
});
let address = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  list = null;
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

describe('the ends that a list of models states', () => {
  const check = async (protocol: 'openai' | 'azure-openai' | 'openrouter', data: unknown) => {
    list = { data };
    const settings = { keys: 'KEYS', address: 'base_url' };
    const upstream = describeUpstream({ name: 'one', protocol, settings, address }, ['key']);
    const { ends } = await checkUpstream(upstream, {
      OUTBOUND_ALLOW: [],
      HTTPS_PROXY: undefined,
      NO_PROXY: [],
    });
    return ends;
  };

  test('the ends that a list of models states are days, times or seconds, and nothing else is one', async () => {
    const states = ['2026-12-01', '2026-12-02T10:00:00Z', 1_796_083_200];
    const none = [null, undefined, '', 'soon', '2026-13-41', true, {}, [], -1e30, Number.MAX_SAFE_INTEGER];
    const data = [...states, ...none].map((shutdown_date, at) => ({ id: `m${at}`, shutdown_date }));
    expect(await check('openai', [...data, null, 7, 'm', { shutdown_date: '2026-12-01' }])).toEqual([
      { model: 'm0', on: '2026-12-01' },
      { model: 'm1', on: '2026-12-02' },
      { model: 'm2', on: '2026-12-01' },
    ]);
  });

  test('the ends that a list of models states are bounded', async () => {
    const many = Array.from({ length: 2_500 }, (_, at) => ({ id: `m${at}`, shutdown_date: '2026-12-01' }));
    const long = { id: 'm'.repeat(201), shutdown_date: '2026-12-01' };
    const ends = await check('openai', [long, ...many]);
    expect([ends?.length, ends?.[0]?.model]).toEqual([2_000, 'm0']);
  });

  test('the ends that a list of models states are those of inference at Azure, by model with and without version', async () => {
    const model = (id: string, day: string) => ({
      id,
      deprecation: { fine_tune: 1, inference: Date.parse(day) / 1_000 },
    });
    const data = [
      model('gpt-image-1-2025-04-15', '2026-12-10'),
      model('gpt-image-1-2025-12-16', '2027-02-01'),
      { id: 'gpt-image-2', deprecation: {} },
    ];
    expect(await check('azure-openai', data)).toEqual([
      { model: 'gpt-image-1-2025-04-15', on: '2026-12-10' },
      { model: 'gpt-image-1', on: '2027-02-01' },
      { model: 'gpt-image-1-2025-12-16', on: '2027-02-01' },
    ]);
  });

  test('the ends that a list of models states are none where a protocol has no field for them', async () => {
    expect(await check('openrouter', [{ id: 'm', shutdown_date: '2026-12-01' }])).toBeNull();
    expect(await check('openai', [{ id: 'm' }])).toEqual([]);
  });
});
