import { newId } from '@image-gateway/shared/ids';
import type { KeyItem } from '@image-gateway/shared/key/schema';
import { createTestTask, eventually, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runCommand } from './cli/support/run-command.js';
import { connectClient } from './mcp/support/connect-client.js';
import { createKeyMaker, getMessage } from './support/create-key-maker.js';
import { startApi, type TestApi } from './support/start-api.js';

const TOP_UP_URL = 'https://pay.example/top-up';

let api: TestApi;
let account: TestAccount;
let newKey: ReturnType<typeof createKeyMaker>;
beforeAll(async () => {
  api = await startApi({
    TOP_UP_URL,
    TRUST_PROXY: 'loopback',
    ENABLED_MODELS: 'nanobanana,nanobanana-pro',
  });
  account = await api.account();
  newKey = createKeyMaker(api, account);
});
afterAll(async () => {
  await api.test.checkInvariants();
  await api.stop();
});

const run = <T>(...args: string[]) => runCommand<T>({ db: api.test.db }, ...args);
const body = { model: 'nanobanana', prompt: 'x' };

describe('the account and quotes', () => {
  const read = async (as: TestAccount) => (await api.call('/v1/account', { as })).json.data as unknown;
  const price = async (as: TestAccount, more: object = {}) =>
    (await api.call('/v1/quote', { as, body: { ...body, ...more } })).json.data as unknown;

  test('a key without limits sees the money of its account and itself', async () => {
    const rich = await api.account();
    await createTestTask(api.test.db, rich, { request: { num_outputs: 3 } });
    expect(await read(rich)).toEqual({
      id: rich.id,
      balance: '$10.0000',
      held: '$0.0300',
      available: '$9.9700',
      key: {
        id: rich.apiKeyId,
        name: 'test',
        prefix: rich.apiKey.slice(0, 12),
        scopes: ['generate', 'read'],
      },
    });
  });

  test('a key sees its limits and what is used, and no money without the scope read', async () => {
    const limits = [
      '--models',
      'nanobanana',
      '--cidrs',
      '127.0.0.0/8',
      '--cap-day',
      '0.03',
      '--cap-total',
      '1',
    ];
    const as = await newKey('--name', 'k', '--scopes', 'generate', ...limits);
    await createTestTask(api.test.db, as, { request: { num_outputs: 2 } });
    expect(await read(as)).toEqual({
      id: account.id,
      key: {
        id: as.apiKeyId,
        name: 'k',
        prefix: expect.any(String),
        scopes: ['generate'],
        models: ['nanobanana'],
        allowed_cidrs: ['127.0.0.0/8'],
        caps: { day: { limit: '$0.0300', used: '$0.0200' }, total: { limit: '$1.0000', used: '$0.0200' } },
      },
    });
    expect(await price(as, { num_outputs: 2 })).toMatchObject({ cost: '$0.0200', affordable: false });
    expect(await price(as)).toEqual({
      model: 'nanobanana',
      type: 'image_generate',
      units: 1,
      unit_cost: '$0.0100',
      cost: '$0.0100',
      affordable: true,
    });
  });

  test('a quote counts the money of the account, judges the body as a submit does, and holds nothing', async () => {
    const poor = await api.account({ balanceMicros: 20_000n });
    expect(await price(poor, { num_outputs: 2 })).toMatchObject({ affordable: true });
    expect(await price(poor, { num_outputs: 3 })).toMatchObject({ units: 3, affordable: false });
    expect(
      (await api.call('/v1/quote', { as: poor, body: { ...body, num_outputs: 9 } })).json.error.code,
    ).toBe('VALIDATION_ERROR');
    const as = await newKey('--models', 'nanobanana-pro');
    expect(getMessage(await api.call('/v1/quote', { as, body }))).toEqual([
      403,
      'FORBIDDEN',
      'This key may not use the model nanobanana.',
    ]);
    expect(await read(poor)).toMatchObject({ held: '$0.00', available: '$0.0200' });
  });

  test('a refusal about money says what the request costs, and what is available to keys with the scope read', async () => {
    const poor = await api.account({ balanceMicros: 20_000n });
    const refuse = async (as: TestAccount) =>
      getMessage(await api.call('/v1/generate', { as, body: { ...body, num_outputs: 3 } }));
    const advice = 'Ask the operator of this gateway for credit, or ask for fewer images.';
    expect(await refuse(poor)).toEqual([
      403,
      'INSUFFICIENT_BALANCE',
      `The balance does not cover this request, which costs $0.0300: $0.0200 is available. ${advice}`,
    ]);
    await run('key', 'update', poor.apiKeyId, '--scopes', 'generate');
    await eventually(
      async () =>
        expect((await refuse(poor))[2]).toBe(
          `The balance does not cover this request, which costs $0.0300. ${advice}`,
        ),
      { timeoutMs: 5_000 },
    );
  });

  test('a refusal for money has its numbers beside the message at each door; what is available only for keys with the scope read', async () => {
    const poor = await api.account({ balanceMicros: 20_000n });
    const blind = await createKeyMaker(api, poor)('--name', 'blind', '--scopes', 'generate');
    const capped = await createKeyMaker(api, poor)('--name', 'capped', '--cap-day', '0.015');
    const three = { ...body, num_outputs: 3 };
    const details = { needed: '$0.0300', top_up_url: TOP_UP_URL };
    for (const [as, known] of [
      [poor, { available: '$0.0200' }],
      [blind, {}],
      [capped, { limit: '$0.0150', used: '$0.00' }],
    ] as const) {
      const refused = await api.call('/v1/generate', { as, body: three });
      expect(refused.json.error).toEqual({
        code: 'INSUFFICIENT_BALANCE',
        message: expect.any(String),
        details: { ...details, ...known },
      });
      const image = { prompt: 'x', n: 3, model: 'nanobanana' };
      const facade = await api.call('/openai/v1/images/generations', { as, body: image });
      expect([facade.status, JSON.parse(facade.text)]).toEqual([
        403,
        {
          error: {
            message: refused.json.error.message,
            type: 'insufficient_quota',
            param: null,
            code: 'insufficient_quota',
            details: { ...details, ...known },
          },
        },
      ]);
      const client = await connectClient(api, as);
      const { isError, value, text } = await client.call('generate_image', three);
      await client.close();
      expect({ isError, value }).toEqual({ isError: true, value: { error: refused.json.error } });
      expect(text).toBe(`INSUFFICIENT_BALANCE: ${refused.json.error.message} Top up at ${TOP_UP_URL}`);
    }
    const other = await api.call('/v1/generate', { as: poor, body: { prompt: '' } });
    expect(Object.keys(other.json.error)).toEqual(['code', 'message']);
  });
});

describe('the command line', () => {
  test('sets, lists and removes limits, and each change is in the audit log', async () => {
    const as = await newKey(
      '--scopes',
      'generate,delete',
      '--cap-total',
      '0.05',
      '--models',
      'nanobanana',
      '--join-equal',
      'on',
    );
    await createTestTask(api.test.db, as, { request: { num_outputs: 2 } });
    const find = async () => {
      const { value } = await run<readonly KeyItem[]>('key', 'list', '--account', account.id);
      return value.find(({ id }) => id === as.apiKeyId);
    };
    expect(await find()).toMatchObject({
      scopes: ['generate', 'delete'],
      models: ['nanobanana'],
      allowed_cidrs: [],
      join_equal: true,
      caps: { total: { limit: '$0.0500', used: '$0.0200' } },
    });
    await run(
      'key',
      'update',
      as.apiKeyId,
      '--scopes',
      '',
      '--cap-total',
      '',
      '--models',
      '',
      '--cap-month',
      '2',
      '--join-equal',
      'off',
    );
    expect(await find()).toMatchObject({
      scopes: ['generate', 'read'],
      models: [],
      join_equal: false,
      caps: { month: { limit: '$2.0000', used: '$0.0200' } },
    });
    const { rows } = await api.test.pool.query(
      "SELECT detail FROM audit_entries WHERE action = 'key.update' AND subject = $1",
      [as.apiKeyId],
    );
    expect(rows).toEqual([
      {
        detail: {
          actor: 'cli',
          models: [],
          scopes: ['generate', 'read'],
          capMonth: '$2.0000',
          capTotal: null,
          joinEqual: false,
          before: {
            models: ['nanobanana'],
            scopes: ['generate', 'delete'],
            capMonth: null,
            capTotal: '$0.0500',
            joinEqual: true,
          },
        },
      },
    ]);
  });

  test.each([
    ['--scopes', 'generate,admin'],
    ['--cidrs', '192.0.2.0/33'],
    ['--cidrs', 'example.com'],
    ['--models', 'No Model'],
    ['--cap-day', '0'],
    ['--cap-day', '-1'],
    ['--join-equal', 'yes'],
  ])('the command line refuses %s %s', async (option, value) => {
    const { code, value: printed } = await run('key', 'update', account.apiKeyId, `${option}=${value}`);
    expect([code, printed.error?.code]).toEqual([1, 'VALIDATION_ERROR']);
  });

  test('an unknown key is refused', async () => {
    expect((await run('key', 'update', newId('key'), '--cap-day', '1')).value.error?.code).toBe('NOT_FOUND');
  });
});
