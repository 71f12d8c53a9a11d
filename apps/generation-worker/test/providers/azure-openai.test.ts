import { type StubUpstreams, startStubUpstreams } from '@image-gateway/stub-upstreams';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { AZURE, createOpenai } from '../../src/providers/openai/create-openai.js';
import type { ProviderRequest } from '../../src/providers/port.js';
import { aRequest } from './support/a-request.js';
import { collectEvents } from './support/collect-events.js';
import { describeSyncFaults } from './support/describe-sync-faults.js';
import { upstreamAt } from './support/upstream-at.js';

const create = (url: string, ms = 20_000) =>
  createOpenai(
    { upstream: upstreamAt('azure-openai', url), ...AZURE },
    { timeoutMs: { openai: ms, compatible: ms }, downloadPausesMs: [] },
  );

describeSyncFaults({
  name: 'azure-openai',
  create,
  request: aRequest({ slots: [3] }),
  answerWith: (data) => ({ data: [{ b64_json: data }] }),
});

describe('the path of a request to Azure', () => {
  const path = (baseUrl: string, options: Readonly<Record<string, unknown>> = {}) =>
    AZURE.toPath?.('/images/edits', { baseUrl, model: 'my deployment', options });

  test.each([
    [
      'https://x.openai.azure.com/openai',
      {},
      '/deployments/my%20deployment/images/edits?api-version=2025-04-01-preview',
    ],
    [
      'https://x.openai.azure.com/openai',
      { api_version: '2024-10-21' },
      '/deployments/my%20deployment/images/edits?api-version=2024-10-21',
    ],
    ['https://x.openai.azure.com/openai/v1', {}, '/images/edits'],
    ['https://x.openai.azure.com/openai/v1', { api_version: 'preview' }, '/images/edits?api-version=preview'],
  ])('at %s with %j is %s', (baseUrl, options, expected) => {
    expect(path(baseUrl, options)).toBe(expected);
  });
});

describe('Azure as the stub understands it', () => {
  let stub: StubUpstreams;
  beforeAll(async () => {
    stub = await startStubUpstreams();
  });
  beforeEach(() => {
    stub.behaveWell();
    stub.forgetCalls();
  });
  afterAll(() => stub.close());
  const ask = async (changes: Partial<ProviderRequest> = {}) => {
    const key = { fingerprint: 'a', secret: stub.keys['azure-openai'][0] ?? '' };
    const { events, error } = await collectEvents(
      create(stub.url),
      aRequest({ model: 'draw', key, ...changes }),
    );
    return [events.filter(({ type }) => type === 'image').length, error?.failure ?? null] as const;
  };

  test('draws several images of a deployment, with the moderation that its route names', async () => {
    expect(await ask({ slots: [0, 1, 2], options: { moderation: 'low' } })).toEqual([3, null]);
    expect(stub.calls()).toMatchObject([{ model: 'draw', asked: 3, billed: 3 }]);
  });

  test.each([
    ['auth', 'auth'],
    ['model-gone', 'model-gone'],
    ['rate-limit', 'rate-limit'],
    ['moderation', 'moderation'],
    ['quota', 'billing'],
  ] as const)('refuses as %s', async (mode, failure) => {
    stub.behave('azure-openai', mode);
    expect(await ask()).toEqual([0, failure]);
  });

  test('refuses another key, which is sent in a header of its own', async () => {
    expect(await ask({ key: { fingerprint: 'b', secret: 'other' } })).toEqual([0, 'auth']);
    expect(stub.calls()).toMatchObject([{ key: 'other' }]);
  });
});
