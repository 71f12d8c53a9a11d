import { AppError } from '@image-gateway/shared/errors';
import type { LimitCheck, RateDecision } from '@image-gateway/shared/limits';
import { describe, expect, test } from '@jest/globals';
import { admission } from './admission.js';
import { getState, setState } from './framework/request-state.js';

const rate = { limit: 5, windowSeconds: 60 };

async function admit(options: { path?: string; authorization?: string; off?: boolean; refuse?: boolean }) {
  const { path = '/tasks', authorization, off = false, refuse = false } = options;
  let checks: readonly LimitCheck[] = [];
  let asked = 0;
  const looks: string[] = [];
  const guard = admission({
    authenticate: async (token) => {
      asked++;
      if (token !== 'good') {
        throw new AppError('UNAUTHORIZED');
      }
      return {
        accountId: 'acc_1',
        apiKeyId: 'key_1',
        models: [],
        scopes: ['read'],
        joinEqual: false,
        capPerKey: null,
      };
    },
    isUnknown: (token) => token === 'strange',
    limiter: {
      consume: async (wanted): Promise<RateDecision> => {
        checks = wanted;
        looks.push(wanted.map(({ policy, cost = 1 }) => `${policy} ${cost}`).join());
        const policies = wanted.map((check) => ({ ...check, remaining: 4, resetSeconds: 12 }));
        return { allowed: !refuse, retryAfterMs: refuse ? 1_200 : 0, policies };
      },
    },
    keyRate: off ? null : rate,
    accountRate: null,
    ipRate: off ? null : rate,
    authRate: off ? null : rate,
    openPaths: new Set(['/v1/openapi.json']),
  });
  const headers: Record<string, string> = {};
  const response = { setHeader: (name: string, value: string) => (headers[name] = value) };
  const request = {
    method: 'GET',
    baseUrl: '/v1',
    path,
    headers: authorization === undefined ? {} : { authorization },
    rawHeaders: authorization === undefined ? [] : ['Authorization', authorization],
  };
  setState(request as never, {
    id: 'req_1',
    address: '192.0.2.1',
    startedAt: 0,
    logger: () => undefined as never,
  });
  const error = await new Promise<unknown>((next) => void guard(request as never, response as never, next));
  return {
    error: error as AppError | undefined,
    subjects: checks.map(({ policy, key }) => `${policy} ${key}`),
    headers,
    caller: getState(request as never).caller,
    asked,
    looks,
  };
}

describe('admission', () => {
  test('admission counts a good key and its address in one go, and announces both', async () => {
    const { error, subjects, headers, caller } = await admit({ authorization: 'Bearer good' });
    expect([error, caller?.accountId]).toEqual([undefined, 'acc_1']);
    expect(subjects).toEqual(['key key_1', 'ip 192.0.2.1']);
    expect(headers['RateLimit-Policy']).toBe('"key";q=5;w=60, "ip";q=5;w=60');
    expect(headers.RateLimit).toBe('"key";r=4;t=12, "ip";r=4;t=12');
  });

  test('admission counts a failure against the address twice, and announces both limits', async () => {
    for (const authorization of [undefined, 'Basic x', 'Bearer bad']) {
      const { error, subjects, headers } = await admit(authorization === undefined ? {} : { authorization });
      expect(error?.code).toBe('UNAUTHORIZED');
      expect(subjects).toEqual(['ip 192.0.2.1', 'auth 192.0.2.1']);
      expect(headers['RateLimit-Policy']).toBe('"ip";q=5;w=60, "auth";q=5;w=60');
    }
  });

  test('admission answers a refused request with RATE_LIMITED and whole seconds, whatever else is wrong with it', async () => {
    for (const authorization of ['Bearer good', 'Bearer bad']) {
      const { error, caller } = await admit({ authorization, refuse: true });
      expect([error?.code, error?.retryAfterSeconds, caller]).toEqual(['RATE_LIMITED', 2, undefined]);
    }
  });

  test('a key that was not seen lately is looked up only while its address has some of both limits left', async () => {
    const left = await admit({ authorization: 'Bearer strange' });
    expect([left.error?.code, left.asked, left.looks]).toEqual([
      'UNAUTHORIZED',
      1,
      ['ip 0,auth 0', 'ip 1,auth 1'],
    ]);
    const none = await admit({ authorization: 'Bearer strange', refuse: true });
    expect([none.error?.code, none.asked, none.looks]).toEqual(['RATE_LIMITED', 0, ['ip 0,auth 0']]);
  });

  test('admission lets documents through without a key, and malformed URLs not at all', async () => {
    expect((await admit({ path: '/openapi.json' })).error).toBeUndefined();
    expect((await admit({ path: '/tasks/%', authorization: 'Bearer good' })).error?.code).toBe('BAD_REQUEST');
  });

  test('limits that are off are neither counted nor announced, that of failures too', async () => {
    const { subjects, headers } = await admit({ authorization: 'Bearer good', off: true });
    expect([subjects, headers]).toEqual([[], {}]);
    expect((await admit({ authorization: 'Bearer bad', off: true })).subjects).toEqual([]);
  });
});
