import { adjustAccount, creditAccount, grantSignupCredit } from '@image-gateway/shared/billing';
import { addTaskInputs, type Statement } from '@image-gateway/shared/db';
import { newId, newInputEntry } from '@image-gateway/shared/ids';
import { eventually, type TestAccount, takeEvents } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { createAccount } from '../src/account/create-account.js';
import { connectClient } from './mcp/support/connect-client.js';
import { endTask } from './support/end-task.js';
import { startApi, type TestApi } from './support/start-api.js';
import { subscribe } from './support/subscribe.js';

// Decoders start from sources here, which takes seconds on a busy machine.

const OWN_BYTES = 100 * 1024 ** 2;
const ALL_BYTES = 2 * OWN_BYTES;

let api: TestApi;
let png: Buffer;
beforeAll(async () => {
  api = await startApi({ UNPAID_FILES_BYTES: String(ALL_BYTES) });
  await api.store.ensureBucket();
  png = await sharp({ create: { width: 60, height: 40, channels: 3, background: '#246' } })
    .png()
    .toBuffer();
  const types = ['files.unpaid_full'];
  await subscribe(api.test, types);
});
afterAll(async () => {
  await api.test.checkInvariants();
  await api.stop();
});

interface Answered {
  readonly status: number;
  readonly message: string;
}
const readAnswer = async (response: Response): Promise<Answered & { readonly url: string }> => {
  const { data, error } = (await response.json()) as { data?: { url?: string }; error?: { message: string } };
  return { status: response.status, url: data?.url ?? '', message: error?.message ?? '' };
};
const upload = async ({ apiKey }: TestAccount) =>
  readAnswer(
    await fetch(`${api.url}/v1/files`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'image/png' },
      body: new Uint8Array(png),
    }),
  );
const sendForm = async (path: string, { apiKey }: TestAccount, fields: Record<string, string | Blob>) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    form.append(name, value);
  }
  const headers = { authorization: `Bearer ${apiKey}` };
  return readAnswer(await fetch(api.url + path, { method: 'POST', headers, body: form }));
};
const toUrl = (): string => `data:image/png;base64,${png.toString('base64')}`;
const edit = async (as: TestAccount) => {
  const body = { model: 'nanobanana', prompt: 'at night', image_urls: [toUrl()] };
  const { status, text } = await api.call('/v1/generate', { as, body });
  type Answer = { readonly data?: { readonly id: string }; readonly error?: { readonly message: string } };
  const { data, error } = JSON.parse(text) as Answer;
  return { status, id: data?.id ?? '', message: error?.message ?? '' };
};
/** Account that has only the credit that everybody gets who signs up. */
const newVisitor = async (): Promise<TestAccount> => {
  const account = await api.account({ balanceMicros: 0n });
  const terms = { network: account.id, amountMicros: 500_000n, dayLimitMicros: 1_000_000_000n };
  await grantSignupCredit(
    { db: api.test.db, newId },
    { accountId: account.id, address: account.id, ...terms },
  );
  return account;
};
/** Makes an account store so many bytes less than its share, as if by files. */
const fill = async (account: TestAccount, { missing }: { readonly missing: number }): Promise<void> => {
  expect((await upload(account)).status).toBe(200);
  await api.test.pool.query('UPDATE task_inputs SET unpaid_bytes = $2 WHERE account_id = $1', [
    account.id,
    OWN_BYTES - missing,
  ]);
};
const free = (account: TestAccount) =>
  api.test.pool.query(
    "UPDATE task_inputs SET expires_at = '-infinity' WHERE account_id = $1 AND expires_at IS NOT NULL",
    [account.id],
  );
const sum = async (): Promise<number> =>
  Number((await api.test.pool.query('SELECT sum(bytes) AS bytes FROM sum_unpaid_uploads()')).rows[0].bytes);
const REFUSED = {
  status: 429,
  message: expect.stringMatching(/at most 100 MiB .*top-up of this account lifts/),
};

describe('an account without a payment', () => {
  test('stores 100 MiB to the last byte by every door, leaves nothing of what is refused, and a top-up lifts the limit', async () => {
    const account = await newVisitor();
    await fill(account, { missing: 2 * png.length });
    const held = await edit(account);
    expect(held.status).toBe(202);
    const last = await upload(account);
    expect(last.status).toBe(200);
    const objects = (await api.store.list('inputs/')).length;
    const image = new Blob([new Uint8Array(png)], { type: 'image/png' });
    expect(await upload(account)).toMatchObject(REFUSED);
    expect(await sendForm('/v1/files', account, { file: image })).toMatchObject(REFUSED);
    expect(await edit(account)).toMatchObject(REFUSED);
    const fields = { model: 'nanobanana', prompt: 'at night' };
    expect(await sendForm('/openai/v1/images/edits', account, { ...fields, image })).toMatchObject(REFUSED);
    const agent = await connectClient(api, account);
    const base64 = { data: png.toString('base64'), content_type: 'image/png' };
    expect((await agent.call('upload_image', base64)).text).toMatch(/RATE_LIMITED.*at most 100 MiB/);
    const given = { prompt: 'at night', image_urls: [toUrl()] };
    expect((await agent.call('edit_image', given)).text).toMatch(/RATE_LIMITED.*at most 100 MiB/);
    await agent.close();
    expect((await api.store.list('inputs/')).length).toBe(objects);
    const { rows } = await api.test.pool.query('SELECT open_count FROM accounts WHERE id = $1', [account.id]);
    expect(rows).toEqual([{ open_count: 1 }]);

    const gone = await api.call(new URL(last.url).pathname, { as: account, method: 'DELETE' });
    expect(gone.status).toBe(204);
    expect((await upload(account)).status).toBe(200);
    expect(await upload(account)).toMatchObject(REFUSED);
    await endTask(api, held.id, { images: [] });
    expect((await upload(account)).status).toBe(200);
    expect(await upload(account)).toMatchObject(REFUSED);

    await creditAccount({ db: api.test.db, newId }, { accountId: account.id, amountMicros: 1n });
    expect((await upload(account)).status).toBe(200);
    expect((await edit(account)).status).toBe(202);
    expect(await sum()).toBe(0);
  });

  test('has one once it had an opening balance or a credit by hand; neither the credit of a sign-up nor money taken is one', async () => {
    const deps = { db: api.test.db, newId };
    const isPaid = async (id: string): Promise<boolean> =>
      (await api.test.pool.query<{ paid: boolean }>('SELECT is_paid($1) AS paid', [id])).rows[0]?.paid ??
      false;
    const email = `${newId('acc')}@example.com`;
    const opened = await createAccount({ db: api.test.db }, { email, openingMicros: 1n, actor: 'test' });
    expect(await isPaid(opened.id)).toBe(true);
    const { id: accountId } = await newVisitor();
    expect(await isPaid(accountId)).toBe(false);
    await adjustAccount(deps, { accountId, deltaMicros: -1n, reason: 'taken' });
    expect(await isPaid(accountId)).toBe(false);
    await adjustAccount(deps, { accountId, deltaMicros: 1n, reason: 'given' });
    expect(await isPaid(accountId)).toBe(true);
  });

  test('stores no more by many uploads at once', async () => {
    const account = await newVisitor();
    await fill(account, { missing: 3 * png.length });
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, () => upload(account)),
      ...Array.from({ length: 4 }, () => edit(account)),
    ]);
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(3);
    // The rest is refused: for the share, or on a busy machine because its turn did not come in time.
    expect(answers.filter(({ status }) => status === 429 || status >= 500)).toHaveLength(7);
    expect(await sum()).toBe(OWN_BYTES);
    await free(account);
    await api.test.pool.query('UPDATE task_inputs SET unpaid_bytes = NULL');
  });

  test('has its uploads judged one after another, however many processes add them at once', async () => {
    const account = await newVisitor();
    const limits = { ownBytes: OWN_BYTES, allBytes: ALL_BYTES };
    const add = (db: Parameters<typeof addTaskInputs>[0]) => {
      const uploads = [{ id: newInputEntry().id, bytes: 0.6 * OWN_BYTES }];
      return addTaskInputs(db, { accountId: account.id, uploads, limits });
    };
    const session = await api.test.pool.connect();
    await session.query('BEGIN');
    const first = await add({
      run: async <Row>({ text }: Statement, values: readonly unknown[]) =>
        (await session.query(text, [...values])).rows as Row[],
    });
    expect(first).toMatchObject({ isAdded: true, refused: null });
    const second = add(api.test.db);
    await eventually(async () => {
      const { rows } = await api.test.pool.query(
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      expect(rows).toHaveLength(1);
    });
    await session.query('COMMIT');
    session.release();
    expect(await second).toMatchObject({ isAdded: false, refused: 'own' });
    await api.test.pool.query('DELETE FROM task_inputs WHERE account_id = $1', [account.id]);
  });
});

describe('all accounts without a payment', () => {
  test('store no more than UNPAID_FILES_BYTES together, also by many at once; others store on, and operators are told at 80 and 100 percent', async () => {
    const [first, second, ...more] = await Promise.all(Array.from({ length: 6 }, newVisitor));
    const takePercents = async () =>
      (await takeEvents(api.test))
        .map(({ data }) => data)
        .sort((a, b) => Number(a.percent) - Number(b.percent));
    await api.test.pool.query('TRUNCATE operator_notices');
    await takePercents();
    await fill(first as TestAccount, { missing: 0 });
    expect(await takePercents()).toEqual([]);
    await fill(second as TestAccount, { missing: 3 * png.length });
    const answers = await Promise.all([...more, ...more, ...more].map(upload));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array(3).fill(200),
      ...Array(9).fill(429),
    ]);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(9);
    for (const { message } of refused) {
      expect(message).toMatch(
        /at most 200 MiB together \(UNPAID_FILES_BYTES\).*top-up of this account lifts/,
      );
    }
    expect(await sum()).toBe(ALL_BYTES);
    expect(await takePercents()).toEqual([
      { percent: 80, limit: ALL_BYTES, used: expect.any(Number) },
      { percent: 100, limit: ALL_BYTES, used: ALL_BYTES },
    ]);
    expect((await upload(more[0] as TestAccount)).status).toBe(429);
    expect(await takePercents()).toEqual([]);
    expect((await upload(await api.account())).status).toBe(200);
  });
});
