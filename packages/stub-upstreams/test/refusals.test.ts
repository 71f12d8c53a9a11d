import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type StubMode, type StubProvider, type StubUpstreams, startStubUpstreams } from '../src/index.js';
import { submit } from './support/requests.js';

let stub: StubUpstreams;
beforeAll(async () => {
  stub = await startStubUpstreams();
});
afterAll(() => stub.close());

/** Statuses after answers that were seen or are documented. */
const STATUSES: Readonly<Record<StubProvider, Readonly<Partial<Record<StubMode, number>>>>> = {
  gemini: {
    overload: 503,
    'rate-limit': 429,
    quota: 429,
    auth: 400,
    billing: 429,
    'model-gone': 404,
    geo: 400,
    'server-error': 500,
    timeout: 504,
    moderation: 200,
    'invalid-input': 400,
    'no-image': 200,
  },
  fal: {
    overload: 503,
    'rate-limit': 429,
    quota: 403,
    auth: 401,
    billing: 403,
    'model-gone': 404,
    geo: 403,
    'server-error': 500,
    timeout: 504,
    moderation: 200,
    'invalid-input': 200,
    'no-image': 200,
  },
  replicate: {
    overload: 503,
    'rate-limit': 429,
    quota: 402,
    auth: 401,
    billing: 402,
    'model-gone': 404,
    geo: 403,
    'server-error': 500,
    timeout: 504,
    moderation: 201,
    'invalid-input': 201,
    'no-image': 201,
  },
  openai: {
    overload: 503,
    'rate-limit': 429,
    quota: 429,
    auth: 401,
    billing: 400,
    'model-gone': 400,
    geo: 403,
    'server-error': 500,
    timeout: 504,
    moderation: 400,
    'invalid-input': 400,
    'no-image': 200,
  },
  openrouter: {
    overload: 503,
    'rate-limit': 429,
    quota: 402,
    auth: 401,
    billing: 402,
    'model-gone': 400,
    geo: 403,
    'server-error': 502,
    timeout: 504,
    moderation: 400,
    'invalid-input': 400,
    'no-image': 200,
  },
  comfyui: {
    overload: 503,
    'rate-limit': 429,
    quota: 402,
    auth: 401,
    billing: 402,
    'model-gone': 400,
    geo: 403,
    'server-error': 500,
    timeout: 504,
    moderation: 200,
    'invalid-input': 200,
    'no-image': 200,
  },
  vertex: {
    overload: 503,
    'rate-limit': 429,
    quota: 429,
    auth: 401,
    billing: 429,
    'model-gone': 404,
    geo: 400,
    'server-error': 500,
    timeout: 504,
    moderation: 200,
    'invalid-input': 400,
    'no-image': 200,
  },
  'azure-openai': {
    overload: 503,
    'rate-limit': 429,
    quota: 429,
    auth: 401,
    billing: 400,
    'model-gone': 404,
    geo: 403,
    'server-error': 500,
    timeout: 504,
    moderation: 400,
    'invalid-input': 400,
    'no-image': 200,
  },
  bfl: {
    overload: 503,
    'rate-limit': 429,
    quota: 402,
    auth: 403,
    billing: 402,
    'model-gone': 404,
    geo: 403,
    'server-error': 500,
    timeout: 504,
    moderation: 200,
    'invalid-input': 422,
    'no-image': 200,
  },
  dashscope: {
    overload: 503,
    'rate-limit': 429,
    quota: 403,
    auth: 401,
    billing: 400,
    'model-gone': 404,
    geo: 403,
    'server-error': 500,
    timeout: 408,
    moderation: 400,
    'invalid-input': 400,
    'no-image': 200,
  },
  sdapi: {
    overload: 503,
    'rate-limit': 429,
    quota: 402,
    auth: 401,
    billing: 402,
    'model-gone': 200,
    geo: 403,
    'server-error': 500,
    timeout: 504,
    moderation: 400,
    'invalid-input': 500,
    'no-image': 200,
  },
  task: {
    overload: 503,
    'rate-limit': 429,
    quota: 402,
    auth: 401,
    billing: 402,
    'model-gone': 404,
    geo: 403,
    'server-error': 500,
    timeout: 504,
    moderation: 200,
    'invalid-input': 200,
    'no-image': 200,
  },
};
const cases = Object.entries(STATUSES).flatMap(([provider, statuses]) =>
  Object.entries(statuses).map(
    ([mode, status]) => [provider as StubProvider, mode as StubMode, status] as const,
  ),
);

describe('a refusal', () => {
  test.each(cases)(
    'a refusal of %s in mode %s has the status %i and bills nothing',
    async (provider, mode, status) => {
      stub.behave(provider, mode);
      stub.forgetCalls();
      expect((await submit(stub.url, provider)).status).toBe(status);
      expect(stub.calls()).toMatchObject([{ provider, kind: 'submit', mode, status, billed: 0 }]);
    },
  );

  test('a refusal for a while says how long, each provider in its own place', async () => {
    const waits = await Promise.all(
      (['gemini', 'fal', 'replicate', 'openai', 'openrouter', 'comfyui'] as const).map(async (provider) => {
        stub.behave(provider, { mode: 'rate-limit', retryAfterS: 37 });
        const answer = await submit(stub.url, provider);
        return [provider, answer.headers.get('retry-after'), (await answer.text()).includes('37s')] as const;
      }),
    );
    expect(waits).toEqual([
      ['gemini', null, true],
      ['fal', '37', false],
      ['replicate', '37', true],
      ['openai', '37', true],
      ['openrouter', '37', false],
      ['comfyui', '37', false],
    ]);
  });
});
