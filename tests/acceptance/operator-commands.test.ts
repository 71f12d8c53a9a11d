import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { newKey } from './support/product/accounts.js';
import { gateway, mustGateway } from './support/product/gateway.js';
import { projectRoot } from './support/product/product.js';
import { environmentWith } from './support/product/settings.js';
import { type Customer, openSharedScene, type Scene } from './support/scene.js';

let scene: Scene;
let customer: Customer;

beforeAll(async () => {
  scene = await openSharedScene();
  customer = await scene.customer();
}, 700_000);
afterAll(() => scene.audit());

const must = <T>(...args: string[]) => mustGateway<T>(scene.product, ...args);
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

describe('gateway', () => {
  test('npm run --silent gateway prints what the command prints alone, and ends with its code', async () => {
    const args = ['account', 'show', 'acc_none'];
    const ended = await new Promise((resolve) => {
      execFile(
        'npm',
        ['run', '--silent', 'gateway', '--', ...args, '--json'],
        { cwd: projectRoot, env: environmentWith({ DATA_DIR: scene.product.dataDir }) },
        (error, stdout) => resolve({ code: error?.code, value: JSON.parse(stdout) }),
      );
    });
    expect(ended).toEqual({ code: 1, value: expect.objectContaining({ error: expect.anything() }) });
    expect(ended).toEqual(await gateway(scene.product, args));
  });

  test('account create gives the account with its secret, and refuses the same e-mail again', async () => {
    const create = ['account', 'create', '--email', `new-${randomUUID()}@example.com`, '--balance', '2.5'];
    expect(await must(...create)).toMatchObject({
      id: expect.stringMatching(/^acc_[0-9A-Za-z]{22,}$/),
      email: create[3],
      status: 'active',
      balance: '$2.5000',
      webhook_secret: expect.stringMatching(/^whsec_/),
    });
    expect((await gateway(scene.product, create)).code).toBe(1);
  });

  test('account show and account list agree about an account', async () => {
    const shown = await must<Record<string, unknown>>('account', 'show', customer.id);
    expect(shown).toMatchObject({
      id: customer.id,
      email: customer.email,
      status: 'active',
      balance: '$10.0000',
      held: '$0.00',
    });
    const list = await must<Record<string, unknown>[]>('account', 'list');
    expect(list.find(({ id }) => id === customer.id)).toMatchObject({
      email: customer.email,
      status: 'active',
    });
  });

  test('key list shows the life of each key', async () => {
    const made = await newKey(scene.product, customer.id, '--expires', '2099-01-01T00:00:00Z');
    await scene.caller(made.key).tasks();
    await must('key', 'revoke', customer.keyId);
    const list = () => must<Record<string, unknown>[]>('key', 'list', '--account', customer.id);
    await eventually(async () => {
      expect(await list()).toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            id: made.id,
            name: 'acceptance',
            prefix: made.prefix,
            created_at: timestamp,
            last_used_at: timestamp,
            expires_at: '2099-01-01T00:00:00.000Z',
            revoked_at: null,
          }),
          expect.objectContaining({ id: customer.keyId, expires_at: null, revoked_at: timestamp }),
        ]),
      );
    });
    customer.client = scene.caller(made.key);
  });

  test('task show tells about any task', async () => {
    const task = await customer.client.run({ prompt: 'sandbox:fixed' });
    expect(JSON.stringify(await must('task', 'show', task.id))).toContain(task.id);
    expect((await gateway(scene.product, ['task', 'show', 'gen_none'])).code).toBe(1);
  });

  test('task requeue is refused for a task that is not waiting', async () => {
    const finished = await customer.client.run({ prompt: 'sandbox:fixed' });
    expect((await gateway(scene.product, ['task', 'requeue', finished.id])).code).toBe(1);
    expect((await gateway(scene.product, ['task', 'requeue', 'gen_none'])).code).toBe(1);
  });

  test('operator create makes a log-in without an account', async () => {
    const email = `operator-${randomUUID()}@example.com`;
    await must('operator', 'create', '--email', email, '--password', 'correct horse 9 battery');
    expect(JSON.stringify(await must('account', 'list'))).not.toContain(email);
  });

  test('exits with 1 and says why in one JSON value, whatever is wrong with a command', async () => {
    const wrong = [
      ['nonsense'],
      ['account', 'nonsense'],
      ['account', 'show', 'acc_none'],
      ['account', 'create', '--email', 'no-address'],
      ['key', 'create', '--account', 'acc_none'],
      ['key', 'create', '--account', customer.id, '--expires', 'tomorrow'],
      ['key', 'revoke', 'key_none'],
      ['webhook', 'list', '--task'],
    ];
    const answers = await Promise.all(wrong.map((args) => gateway(scene.product, args)));
    const failure = { code: 1, value: { error: { code: expect.any(String), message: expect.any(String) } } };
    expect(answers).toEqual(wrong.map(() => failure));
  });
});
