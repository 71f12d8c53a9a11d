import {
  listServiceAccountKeys,
  type StubUpstreams,
  startStubUpstreams,
} from '@image-gateway/stub-upstreams';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createVertex } from '../../src/providers/gemini/create-vertex.js';
import { parseResponse } from '../../src/providers/gemini/parse-response.js';
import { getFailure, parseErrorDetails } from '../../src/providers/gemini/to-provider-error.js';
import type { ProviderRequest } from '../../src/providers/port.js';
import { aRequest } from './support/a-request.js';
import { collectEvents } from './support/collect-events.js';
import { describeSyncFaults } from './support/describe-sync-faults.js';
import { upstreamAt } from './support/upstream-at.js';

const LOCATION = '/projects/p/locations/global';
const at = (url: string, path: string) => {
  const upstream = upstreamAt('vertex', url);
  return {
    ...upstream,
    call: (request, scope) =>
      upstream.call({ ...request, path: request.baseUrl ? request.path : `${path}${request.path}` }, scope),
  } satisfies typeof upstream;
};
const create = (url: string, ms = 20_000) =>
  createVertex({ upstream: at(url, LOCATION) }, { timeoutMs: ms, largeTimeoutMs: ms });

describeSyncFaults({
  name: 'vertex',
  create,
  request: aRequest({ slots: [3] }),
  answerWith: (data) => ({
    candidates: [{ content: { parts: [{ inlineData: { data } }] }, finishReason: 'STOP' }],
  }),
});

describe('Vertex AI with service accounts', () => {
  let stub: StubUpstreams;
  beforeAll(async () => {
    stub = await startStubUpstreams();
  });
  beforeEach(() => {
    stub.behaveWell();
    stub.forgetCalls();
  });
  afterAll(() => stub.close());
  const account = (changes: object = {}): string => {
    const [key = ''] = listServiceAccountKeys(stub.url);
    const file = JSON.parse(Buffer.from(key, 'base64').toString()) as object;
    return Buffer.from(JSON.stringify({ ...file, ...changes })).toString('base64');
  };
  const ask = async (
    provider: ReturnType<typeof create>,
    secret: string,
    changes: Partial<ProviderRequest> = {},
  ) => {
    const key = { fingerprint: secret.slice(-20), secret };
    const { events, error } = await collectEvents(
      provider,
      aRequest({ model: 'gemini-3-pro-image', key, ...changes }),
    );
    return error?.failure ?? events.filter(({ type }) => type === 'image').length;
  };

  test('a token is asked for once, by calls at the same time too, and draws', async () => {
    const provider = create(stub.url);
    const secret = account();
    expect(await Promise.all([ask(provider, secret), ask(provider, secret), ask(provider, secret)])).toEqual([
      1, 1, 1,
    ]);
    expect(await ask(provider, secret)).toBe(1);
    const calls = stub.calls({ provider: 'vertex' });
    expect(calls.filter(({ path }) => path === '/token')).toHaveLength(1);
    expect(calls.filter(({ kind }) => kind === 'submit').map(({ key }) => key)).toEqual(
      Array.from({ length: 4 }, () => 'stub-vertex-1'),
    );
  });

  test.each([
    ['of an account that is unknown', { client_email: 'nobody@stub.iam.gserviceaccount.com' }],
    ['that is broken', { private_key: 'no key' }],
  ])('a key %s is refused before anything is drawn', async (_what, changes) => {
    expect(await ask(create(stub.url), account(changes))).toBe('auth');
    expect(stub.calls({ kind: 'submit' })).toEqual([]);
  });

  test('a place for tokens that cannot be reached costs nothing, and is tried again', async () => {
    const provider = create(stub.url);
    expect(await ask(provider, account({ token_uri: 'http://127.0.0.1:1/token' }))).toBe('transport');
    expect(stub.calls()).toEqual([]);
  });
});

describe('what Vertex AI says', () => {
  test('an API key of express mode goes as it is', async () => {
    const asked: unknown[] = [];
    const upstream = {
      ...upstreamAt('vertex', 'http://127.0.0.1:1'),
      call: (request: { headers: object }) => {
        asked.push(request.headers);
        return Promise.resolve({ status: 429, headers: {}, json: null });
      },
    };
    await collectEvents(
      createVertex({ upstream }),
      aRequest({ key: { fingerprint: 'f', secret: 'AIza-key' } }),
    );
    expect(asked).toMatchObject([{ 'x-goog-api-key': 'AIza-key' }]);
  });

  test('an error in a list is read like one without', () => {
    const error = {
      code: 429,
      message: 'Resource exhausted. Please try again later.',
      status: 'RESOURCE_EXHAUSTED',
    };
    expect(getFailure(429, parseErrorDetails([{ error }]))).toBe('rate-limit');
    expect(parseErrorDetails([{ error }])).toEqual(parseErrorDetails({ error }));
  });

  test('a block by Model Armor is a refusal by moderation', () => {
    const body = { promptFeedback: { blockReason: 'MODEL_ARMOR' } };
    expect(() => parseResponse(body, null)).toThrow(expect.objectContaining({ failure: 'moderation' }));
  });
});
