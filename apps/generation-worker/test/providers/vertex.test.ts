import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  FEDERATED,
  listServiceAccountKeys,
  type StubUpstreams,
  startStubUpstreams,
} from '@image-gateway/stub-upstreams';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createVertex } from '../../src/providers/gemini/create-vertex.js';
import { parseResponse } from '../../src/providers/gemini/parse-response.js';
import { getFailure, parseErrorDetails } from '../../src/providers/gemini/to-provider-error.js';
import { createMachineUpstream, type Upstream } from '../../src/providers/http/create-upstream.js';
import type { ProviderRequest } from '../../src/providers/port.js';
import { aRequest } from './support/a-request.js';
import { collectEvents } from './support/collect-events.js';
import { describeOutcome, wanted } from './support/describe-outcome.js';
import { describeSyncFaults } from './support/describe-sync-faults.js';
import { loadFixtures } from './support/fixture.js';
import { startReplay } from './support/replay.js';
import { upstreamAt } from './support/upstream-at.js';

const LOCATION = '/projects/p/locations/global';
const IMPERSONATION =
  'https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/stub-1@stub.iam.gserviceaccount.com:generateAccessToken';
const at = (url: string, folder: string) => {
  const upstream = upstreamAt('vertex', url);
  return {
    ...upstream,
    call: (request, scope) =>
      upstream.call({ ...request, path: request.baseUrl ? request.path : `${folder}${request.path}` }, scope),
  } satisfies typeof upstream;
};
/** Requests for tokens go to Google's own hosts; here all of them are the stub. */
const withGoogleAt = (url: string): Pick<Upstream, 'call'> & { readonly hosts: string[] } => {
  const hosts: string[] = [];
  return {
    hosts,
    call: ({ baseUrl = '', ...request }, scope) => {
      hosts.push(baseUrl);
      const base = baseUrl.includes('.google') ? url : baseUrl;
      return upstreamAt('vertex', url).call({ ...request, baseUrl: base }, scope);
    },
  };
};
const create = (url: string, ms = 20_000) =>
  createVertex(
    { upstream: at(url, LOCATION), machine: withGoogleAt(url) },
    { timeoutMs: ms, largeTimeoutMs: ms },
  );

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

  test('a key file whose line ends became backslashes draws, and one that cannot be read is sent nowhere', async () => {
    const [key = ''] = listServiceAccountKeys(stub.url);
    const text = Buffer.from(key, 'base64').toString();
    const encode = (file: string): string => Buffer.from(file).toString('base64');
    expect(await ask(create(stub.url), encode(text.replaceAll('\\n', '\\\\n')))).toBe(1);
    stub.forgetCalls();
    expect(await ask(create(stub.url), encode(text.replaceAll('\\n', '\n')))).toBe('auth');
    expect(stub.calls()).toEqual([]);
  });

  test('a place for tokens that cannot be reached costs nothing, and is tried again', async () => {
    const provider = create(stub.url);
    expect(await ask(provider, account({ token_uri: 'http://127.0.0.1:1/token' }))).toBe('transport');
    expect(stub.calls()).toEqual([]);
  });
});

describe('Vertex AI with the identity of a workload', () => {
  let stub: StubUpstreams;
  let folder: string;
  beforeAll(async () => {
    stub = await startStubUpstreams();
    folder = await mkdtemp(path.join(tmpdir(), 'identity-'));
    await writeFile(path.join(folder, 'token'), `${FEDERATED.subject}\n`);
    await writeFile(path.join(folder, 'token.json'), JSON.stringify({ id_token: FEDERATED.subject }));
  });
  beforeEach(() => {
    stub.behaveWell();
    stub.forgetCalls();
  });
  afterAll(() => Promise.all([stub.close(), rm(folder, { recursive: true })]));

  const account = (changes: object = {}): string => {
    const file = {
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/k',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: 'https://sts.googleapis.com/v1/token',
      credential_source: { file: path.join(folder, 'token') },
      service_account_impersonation_url: IMPERSONATION,
      ...changes,
    };
    return Buffer.from(JSON.stringify(file)).toString('base64');
  };
  const draw = async (secret: string) => {
    const google = withGoogleAt(stub.url);
    const machine = withGoogleAt(stub.url);
    const own = at(stub.url, LOCATION);
    const upstream = {
      ...own,
      call: ((request, scope) =>
        (request.baseUrl ? google : own).call(request, scope)) satisfies Upstream['call'],
    };
    const provider = createVertex({ upstream, machine });
    const { events, error } = await collectEvents(
      provider,
      aRequest({ model: 'gemini-3-pro-image', key: { fingerprint: 'f', secret } }),
    );
    const drawn = stub.calls({ kind: 'submit' }).map(({ key }) => key);
    const images = events.filter(({ type }) => type === 'image').length;
    return {
      outcome: error?.failure ?? images,
      message: error?.message,
      drawn,
      google: google.hosts,
      machine: machine.hosts,
    };
  };

  test('the metadata server of the machine gives the token, and gets no other request', async () => {
    expect(await draw('metadata')).toMatchObject({
      outcome: 1,
      drawn: ['stub-vertex-1'],
      google: [],
      machine: ['http://metadata.google.internal'],
    });
  });

  test.each([
    ['as a text', { file: 'token' }],
    [
      'as a field of JSON',
      { file: 'token.json', format: { type: 'json', subject_token_field_name: 'id_token' } },
    ],
  ])(
    'the token of a workload outside of Google is exchanged for that of a service account: %s',
    async (_how, { file, ...source }) => {
      const given = account({ credential_source: { ...source, file: path.join(folder, file) } });
      expect(await draw(given)).toMatchObject({
        outcome: 1,
        drawn: ['stub-vertex-1'],
        google: ['https://sts.googleapis.com', 'https://iamcredentials.googleapis.com'],
        machine: [],
      });
    },
  );

  test.each([
    ['whose file is missing', { credential_source: { file: '/none/such' } }, 'cannot be read'],
    [
      'whose file has no such field',
      { credential_source: { file: '/dev/null', format: { type: 'json', subject_token_field_name: 'x' } } },
      'has no token',
    ],
    ['of another kind', { credential_source: { environment_id: 'aws1' } }, 'in a file'],
    [
      'that goes elsewhere',
      { token_url: 'https://sts.googleapis.com.evil.example/v1/token' },
      'googleapis.com',
    ],
    ['that goes there in the clear', { token_url: 'http://sts.googleapis.com/v1/token' }, 'googleapis.com'],
  ])('an external account %s is refused before anything is sent', async (_what, changes, text) => {
    const { outcome, message, google, drawn } = await draw(account(changes));
    expect([outcome, google, drawn]).toEqual(['auth', [], []]);
    expect(message).toContain(text);
  });

  test('a service account that is not at googleapis.com gets no token', async () => {
    const evil = { service_account_impersonation_url: 'https://evil.example/token' };
    expect(await draw(account(evil))).toMatchObject({
      outcome: 'auth',
      google: ['https://sts.googleapis.com'],
      drawn: [],
    });
  });

  test('the client of the metadata server reaches no other address', async () => {
    const call = { method: 'GET', path: '/', headers: {}, timeoutMs: 1_000, isPaid: false } as const;
    const scope = { signal: AbortSignal.timeout(10_000) };
    for (const baseUrl of ['http://169.254.169.254', stub.url, 'http://localhost:1']) {
      await expect(createMachineUpstream().call({ ...call, baseUrl }, scope)).rejects.toThrow(
        'is not public',
      );
    }
    expect(stub.calls()).toEqual([]);
  });
});

describe('what Vertex AI is asked', () => {
  test.each([
    [{ service_tier: 'flex' }, undefined, '890', 900_000],
    [{ service_tier: 'flex' }, 60_000, '50', 60_000],
    [{}, undefined, '110', 120_000],
  ])(
    'the tier flex has the time that it takes: %j, timeout %s',
    async (options, timeoutMs, server, limit) => {
      const asked: unknown[] = [];
      const upstream = {
        ...upstreamAt('vertex', 'http://127.0.0.1:1'),
        call: (call: { headers: Readonly<Record<string, string>>; timeoutMs: number }) => {
          asked.push([call.headers['x-server-timeout'], call.timeoutMs]);
          return Promise.resolve({ status: 429, headers: {}, json: null });
        },
      };
      const key = { fingerprint: 'f', secret: 'AIza-key' };
      const given = { key, options, ...(timeoutMs !== undefined && { timeoutMs }) };
      await collectEvents(createVertex({ upstream, machine: upstream }), aRequest(given));
      expect(asked).toEqual([[server, limit]]);
    },
  );
});

describe('what Vertex AI says', () => {
  test.each([...loadFixtures('vertex')])('is read as recorded: %s', async (_name, { exchanges, meta }) => {
    const replay = await startReplay(exchanges);
    try {
      const upstream = upstreamAt('vertex', replay.url);
      const key = { fingerprint: 'f', secret: 'TEST_EXPRESS_KEY' };
      const collected = await collectEvents(
        createVertex({ upstream, machine: upstream }),
        aRequest({ model: 'gemini-3-pro-image', key }),
      );
      expect(await replay.faults()).toEqual([]);
      expect(describeOutcome(collected, meta.expected)).toEqual(wanted(meta.expected));
    } finally {
      await replay.close();
    }
  });

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
      createVertex({ upstream, machine: upstream }),
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
