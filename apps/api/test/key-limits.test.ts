import { createHash, randomUUID } from 'node:crypto';
import { KEY_SCOPES, type KeyScope } from '@image-gateway/shared/contract';
import { newApiKey, newId } from '@image-gateway/shared/ids';
import { buildPng, createTestTask, eventually, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runCommand } from './cli/support/run-command.js';
import { createKeyMaker, getMessage } from './support/create-key-maker.js';
import { finishTask } from './support/finish-task.js';
import { type Answer, startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
let account: TestAccount;
let newKey: ReturnType<typeof createKeyMaker>;
beforeAll(async () => {
  api = await startApi({ TRUST_PROXY: 'loopback', ENABLED_MODELS: 'nanobanana,nanobanana-pro' });
  account = await api.account();
  await api.store.ensureBucket();
  newKey = createKeyMaker(api, account);
});
afterAll(async () => {
  await api.test.checkInvariants();
  await api.stop();
});

/** Keeps a file of the account as if this key had uploaded it, whatever its scopes are. */
const keepFile = async ({ id, apiKeyId }: TestAccount): Promise<string> => {
  const { json } = await api.call('/v1/files', { as: account, ...FILE });
  const sql = 'UPDATE task_inputs SET api_key_id = $2 WHERE account_id = $1 AND expires_at IS NOT NULL';
  await api.test.pool.query(sql, [id, apiKeyId]);
  return json.data.id;
};
const run = <T>(...args: string[]) => runCommand<T>({ db: api.test.db }, ...args);
const body = { model: 'nanobanana', prompt: 'x' };
const FILE = {
  body: buildPng({ width: 8, height: 8, depth: 8, colour: 'rgb' }),
  headers: { 'content-type': 'image/png' },
};

/** Scopes of which a key needs one for each route that takes a key. */
const SCOPES: Readonly<Record<string, readonly KeyScope[]>> = {
  'post /v1/generate': ['generate'],
  'get /v1/tasks/:id': ['read', 'generate'],
  'get /v1/tasks/:id/events': ['read', 'generate'],
  'post /v1/tasks/:id/cancel': ['generate', 'delete'],
  'delete /v1/tasks/:id': ['delete'],
  'get /v1/tasks': ['read'],
  'post /v1/quote': ['generate'],
  'post /v1/files': ['generate'],
  'get /v1/files': ['read'],
  'get /v1/files/:id': ['read', 'generate'],
  'delete /v1/files/:id': ['delete', 'generate'],
  'get /v1/account': ['generate', 'read', 'delete'],
  'get /v1/account/statement': ['read'],
  'get /v1/models': ['generate', 'read', 'delete'],
  'get /v1/usage': ['read'],
  'get /v1/usage/summary': ['read'],
};

describe('scopes', () => {
  test('every route under /v1 is in the table', () => {
    const served = api.routes
      .map(({ method, path }) => `${method} ${path}`)
      .filter((name) => name.includes(' /v1/'));
    expect(served.filter((name) => name !== 'get /v1/openapi.json').sort()).toEqual(
      Object.keys(SCOPES).sort(),
    );
  });

  test.each(KEY_SCOPES)(
    'a key with the scope %s alone does what the table says and nothing else',
    async (scope) => {
      const as = await newKey('--scopes', scope);
      const [{ id }, fileId] = [await finishTask(api, as), await keepFile(as)];
      for (const [route, scopes] of Object.entries(SCOPES)) {
        const [method = '', path = ''] = route.split(' ');
        const isFile = path.startsWith('/v1/files');
        const answer = await api.call(path.replace(':id', isFile ? fileId : id), {
          as,
          method: method.toUpperCase(),
          ...(method === 'post' && (isFile ? FILE : { body })),
        });
        const name = scopes.map((one) => `"${one}"`).join(' or ');
        if (scopes.includes(scope)) {
          expect([route, Math.floor(answer.status / 100)]).toEqual([route, 2]);
        } else {
          expect([route, ...getMessage(answer)]).toEqual([
            route,
            403,
            'FORBIDDEN',
            `This key lacks the scope ${name}.`,
          ]);
        }
      }
    },
  );

  test.each(KEY_SCOPES)(
    'a key with the scope %s alone uses the facade only if that is generate, for each route that the facade has but a poll of its tasks',
    async (scope) => {
      const as = await newKey('--scopes', scope);
      const request = { prompt: 'x', async: true };
      const edit = { ...request, images: [{ image_url: 'https://example.com/a.png' }] };
      const bodies: Readonly<Record<string, object>> = {
        'post /openai/v1/images/generations': request,
        'post /openai/v1/images/edits': edit,
        'post /openai/v1/images/generations/async': request,
        'post /openai/v1/images/tasks': request,
        'post /openai/v1/images/edits/async': edit,
      };
      const routes = api.routes
        .filter(({ path }) => path.startsWith('/openai/') && !path.includes('/tasks/'))
        .map(({ method, path }) => `${method} ${path}`);
      expect(routes).toEqual(expect.arrayContaining(Object.keys(bodies)));
      expect(routes).toHaveLength(7);
      for (const route of routes) {
        const [method = '', path = ''] = route.split(' ');
        const { status, text } = await api.call(path.replace(':id', 'nanobanana'), {
          as,
          method: method.toUpperCase(),
          body: bodies[route],
        });
        expect([route, Math.floor(status / 100), text.includes('This key lacks the scope')]).toEqual(
          scope === 'generate' ? [route, 2, false] : [route, 4, true],
        );
      }
    },
  );

  test('a key reads its own tasks, with the scope read those of all keys of its account', async () => {
    const [one, two] = [await newKey('--scopes', 'generate'), await newKey('--scopes', 'generate')];
    const { id } = await createTestTask(api.test.db, one);
    const ask = async (as: TestAccount) => (await api.call(`/v1/tasks/${id}`, { as })).status;
    expect([await ask(one), await ask(two), await ask(account), await ask(await api.account())]).toEqual([
      200, 404, 200, 404,
    ]);
    const done = await finishTask(api, one);
    expect((await api.call(`/v1/tasks/${done.id}`, { as: one })).status).toBe(200);
    for (const path of ['', '/events']) {
      expect((await api.call(`/v1/tasks/${done.id}${path}`, { as: two })).status).toBe(404);
    }
  });

  test('a key cancels its own tasks, with the scope delete those of other keys', async () => {
    const owner = await newKey('--scopes', 'generate');
    const cancel = async (as: TestAccount, id: string) =>
      (await api.call(`/v1/tasks/${id}/cancel`, { as, method: 'POST' })).status;
    const { id } = await createTestTask(api.test.db, owner);
    expect(await cancel(await newKey('--scopes', 'generate'), id)).toBe(404);
    expect(await cancel(await newKey('--scopes', 'generate,read'), id)).toBe(403);
    expect((await api.call(`/v1/tasks/${id}`, { as: owner })).text).toContain('"pending"');
    expect(await cancel(owner, id)).toBe(200);
    const other = await createTestTask(api.test.db, owner);
    expect(await cancel(await newKey('--scopes', 'delete'), other.id)).toBe(200);
  });

  test('keys made before there were scopes submit and read', async () => {
    const { key, prefix } = newApiKey();
    const hash = createHash('sha256').update(key).digest();
    await api.test.pool.query('INSERT INTO api_keys (id, account_id, prefix, hash) VALUES ($1, $2, $3, $4)', [
      newId('key'),
      account.id,
      prefix,
      hash,
    ]);
    const as = { ...account, apiKey: key };
    expect((await api.call('/v1/generate', { as, body })).status).toBe(202);
    expect((await api.call('/v1/tasks', { as })).status).toBe(200);
  });
});

describe('models, networks and caps', () => {
  test('a key is limited to its models, in the list of models too', async () => {
    const as = await newKey('--models', 'nanobanana-pro');
    expect(getMessage(await api.call('/v1/generate', { as, body }))).toEqual([
      403,
      'FORBIDDEN',
      'This key may not use the model nanobanana.',
    ]);
    expect((await api.call('/v1/generate', { as, body: { ...body, model: 'nanobanana-pro' } })).status).toBe(
      202,
    );
    const { data } = (await api.call('/v1/models', { as })).json as unknown as {
      data: readonly { id: string }[];
    };
    expect(data.map(({ id }) => id)).toEqual(['nanobanana-pro']);
  });

  test('the address behind a trusted proxy counts', async () => {
    const as = await newKey('--cidrs', '192.0.2.0/24, 2001:db8::/32');
    const from = (address: string): Promise<Answer> =>
      api.call('/v1/tasks', { as, headers: { 'x-forwarded-for': address } });
    expect((await from('192.0.2.200')).status).toBe(200);
    expect((await from('2001:db8::1')).status).toBe(200);
    expect((await from('198.51.100.1, 192.0.2.1')).status).toBe(200);
    for (const written of [
      '192.0.2.6:51234',
      '[2001:db8::1]:51234',
      '2001:db8::1%eth0',
      '::ffff:192.0.2.6',
    ]) {
      expect([written, (await from(written)).status]).toEqual([written, 200]);
    }
    expect((await from('198.51.100.1:443')).status).toBe(403);
    expect((await from('unknown')).status).toBe(403);
    expect(getMessage(await from('192.0.2.1, 198.51.100.1'))).toEqual([
      403,
      'FORBIDDEN',
      'This key may not be used from this address.',
    ]);
    expect((await api.call('/v1/tasks', { as })).status).toBe(403);
  });

  test('a request is judged in order: address, scope, replay, body, model, cap', async () => {
    const as = await newKey();
    const headers = { 'idempotency-key': randomUUID(), 'x-forwarded-for': '192.0.2.1' };
    const ask = async (given: object, more: object = headers) =>
      getMessage(
        await api.call('/v1/generate', { as, headers: more as Record<string, string>, body: given }),
      );
    const first = await api.call('/v1/generate', { as, headers, body });
    await run(
      'key',
      'update',
      as.apiKeyId,
      '--models',
      'other',
      '--cap-day',
      '0.000001',
      '--cidrs',
      '192.0.2.0/24',
    );
    await eventually(
      async () => expect(await ask(body, {})).toEqual([403, 'FORBIDDEN', expect.stringContaining('address')]),
      {
        timeoutMs: 5_000,
      },
    );
    const replayed = await api.call('/v1/generate', { as, headers, body });
    expect([replayed.status, replayed.json.data.id]).toEqual([202, first.json.data.id]);
    const fresh = { 'x-forwarded-for': '192.0.2.1' };
    expect((await ask({ ...body, num_outputs: 9 }, fresh))[1]).toBe('VALIDATION_ERROR');
    expect(await ask(body, fresh)).toEqual([403, 'FORBIDDEN', expect.stringContaining('model')]);
    await run('key', 'update', as.apiKeyId, '--models', '');
    await eventually(async () => expect((await ask(body, fresh))[1]).toBe('INSUFFICIENT_BALANCE'), {
      timeoutMs: 5_000,
    });
    expect((await ask(body, fresh))[2]).toContain('daily cap of $0.000001 (cap_day)');
    await run('key', 'update', as.apiKeyId, '--scopes', 'read');
    await eventually(async () => expect((await ask({ bad: true }, fresh))[2]).toContain('"generate"'), {
      timeoutMs: 5_000,
    });
  });
});
