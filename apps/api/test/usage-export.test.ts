import { refundTask } from '@image-gateway/shared/billing';
import { checkDocument } from '@image-gateway/shared/catalog/document';
import { newId } from '@image-gateway/shared/ids';
import { createTestTask, eventually, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createKeyMaker } from './support/create-key-maker.js';
import { finishTask } from './support/finish-task.js';
import { startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ ENABLED_MODELS: 'nanobanana,nanobanana-pro,gpt-image' });
  const checked = checkDocument('');
  const document = JSON.stringify('document' in checked && checked.document).replaceAll("'", "''");
  // Tasks of tests have the first version's prices, and that is older than prices by quality.
  await api.test.pool.query(
    `SET session_replication_role = replica; UPDATE catalog_versions SET document = '${document}' WHERE id = 1;
     SET session_replication_role = DEFAULT`,
  );
});
afterAll(async () => {
  await api.test.checkInvariants();
  await api.stop();
});

interface Item {
  readonly id: string;
  readonly task_id: string;
  readonly model: string;
  readonly type: string;
  readonly units: number;
  readonly cost: string;
  readonly created_at: string;
  readonly quality?: string;
}

const toMicros = (dollars: string): number => Math.round(Number(dollars.replace('$', '')) * 1e6);
const sum = (items: readonly { readonly cost: string }[]): number =>
  items.reduce((total, { cost }) => total + toMicros(cost), 0);

function parseCsv(text: string): Item[] {
  const [header = '', ...lines] = text.trimEnd().split('\r\n');
  const names = header.split(',');
  return lines.map((line) => {
    const {
      quality,
      metadata: _none,
      ...fields
    } = Object.fromEntries(line.split(',').map((value, i) => [names[i], value]));
    return { ...fields, ...(quality !== '' && { quality }), units: Number(fields.units) } as unknown as Item;
  });
}

const parseNdjson = (text: string): Item[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Item);

const get = (as: TestAccount, path: string) => api.call(path, { as });
const getItems = async (as: TestAccount, query: string): Promise<Item[]> =>
  (await get(as, `/v1/usage?per_page=100${query}`)).json.data.items as unknown as Item[];

/** Reads usage with refunds page by page, and one page behind the end. */
async function readPages(as: TestAccount, size: number, total: number): Promise<Item[]> {
  const pages: Item[] = [];
  for (let page = 1; page <= Math.ceil(total / size) + 1; page++) {
    const { json } = await get(as, `/v1/usage?include=refunds&per_page=${size}&page=${page}`);
    expect(json.data.pagination.total).toBe(total);
    pages.push(...(json.data.items as unknown as Item[]));
  }
  return pages;
}

async function sumLedger(account: TestAccount): Promise<number> {
  const { rows } = await api.test.pool.query<{ sum: string }>(
    `SELECT COALESCE(sum(CASE kind WHEN 'capture' THEN amount_micros ELSE -amount_micros END), 0) AS sum
       FROM ledger_transfers WHERE account_id = $1 AND kind IN ('capture', 'refund')`,
    [account.id],
  );
  return Number(rows[0]?.sum);
}

/** Metadata of 8 kB: a few thousand lines with it are more than the sockets of a connection hold. */
const LONG_METADATA = Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`key${i}`, 'x'.repeat(500)]));

/** Adds captures with their tasks, all at one moment. */
async function addCharges(
  account: TestAccount,
  count: number,
  metadata: object | null = null,
): Promise<void> {
  const { id } = await finishTask(api, account);
  await api.test.pool.query(
    `WITH many AS (SELECT n FROM generate_series(1, $3::int) n),
     tasks AS (INSERT INTO tasks SELECT (jsonb_populate_record(t, jsonb_build_object('id', 'gen_' || $2 || n, 'idem_key', null))).*
                 FROM tasks t, many WHERE t.id = $1),
     uses AS (INSERT INTO usage_records (id, task_id, account_id, api_key_id, model, type, units, cost_micros, created_at, metadata)
              SELECT 'use_' || $2 || n, 'gen_' || $2 || n, $2, 'key_t', 'nanobanana', 'image_generate', 1, 10000, now(), $4::jsonb FROM many)
     INSERT INTO ledger_transfers (id, kind, debit_account, credit_account, amount_micros, account_id, task_id, created_at)
     SELECT 'led_' || $2 || n, 'capture', 'cust:' || $2::text, 'revenue', 10000, $2, 'gen_' || $2 || n, now() FROM many`,
    [id, account.id, count, metadata && JSON.stringify(metadata)],
  );
}

/** Removes them again, so that the books agree at the end. */
const removeCharges = (account: TestAccount): Promise<unknown> =>
  api.test.pool.query(
    `SET session_replication_role = replica;
     DELETE FROM ledger_transfers WHERE id LIKE 'led_${account.id}%'; DELETE FROM usage_records WHERE id LIKE 'use_${account.id}%';
     DELETE FROM tasks WHERE id LIKE 'gen_${account.id}%';
     SET session_replication_role = DEFAULT; SELECT recount_lists(), recount_key_spend(), recount_hours()`,
  );

const events = fc.array(
  fc.record({
    kind: fc.constantFrom('deliver', 'deliver', 'partly', 'fail', 'cancel', 'refund'),
    images: fc.integer({ min: 1, max: 4 }),
    key: fc.integer({ min: 0, max: 1 }),
    model: fc.constantFrom('nanobanana', 'nanobanana-pro', 'gpt-image'),
    quality: fc.constantFrom('low', 'max'),
  }),
  { minLength: 1, maxLength: 12 },
);

describe('files of usage', () => {
  test('files of usage add up to what the ledger took, as the list and every sum do, for any history', async () => {
    await fc.assert(
      fc.asyncProperty(events, async (history) => {
        const account = await api.account({ balanceMicros: 10_000_000n });
        const newKey = createKeyMaker(api, account);
        const keys = [account, await newKey()] as const;
        for (const { kind, images, key, model, quality } of history) {
          const as = keys[key] ?? account;
          const stored = Array.from({ length: images }, () => Buffer.from('x'));
          if (kind === 'cancel') {
            const { id } = await createTestTask(api.test.db, as);
            await api.call(`/v1/tasks/${id}/cancel`, { as, method: 'POST' });
            continue;
          }
          const request = { model, ...(kind === 'partly' && { num_outputs: 4 }) };
          const { id } = await finishTask(api, as, {
            images: kind === 'fail' ? [] : stored,
            request: { ...request, ...(model === 'gpt-image' && { quality }) },
          });
          if (kind === 'refund') {
            await refundTask({ db: api.test.db, newId }, { taskId: id, reason: 'broken' });
          }
        }
        const taken = await sumLedger(account);
        const csv = parseCsv((await get(account, '/v1/usage?format=csv')).text);
        const ndjson = parseNdjson((await get(account, '/v1/usage?format=ndjson')).text);
        const listed = await getItems(account, '&include=refunds');
        expect([sum(csv), sum(ndjson), sum(listed)]).toEqual([taken, taken, taken]);
        const sizes = [1, 3];
        for (const size of sizes) {
          expect(await readPages(account, size, listed.length)).toEqual(listed);
        }
        expect(csv).toEqual(ndjson);
        const byId = (items: readonly Item[]) => [...items].sort((a, b) => (a.id < b.id ? -1 : 1));
        expect(byId(ndjson)).toEqual(byId(listed));
        const times = ndjson.map(({ created_at }) => created_at);
        expect(times).toEqual([...times].sort().reverse());
        const from = new Date(Date.now() - 86_400_000).toISOString();
        for (const group of [
          'hour',
          'day',
          'key',
          'model',
          'quality',
          'day,key,model',
          'key,hour',
          'day,quality',
        ]) {
          const { json } = await get(
            account,
            `/v1/usage/summary?include=refunds&group_by=${group}&from=${from}`,
          );
          const entries = json.data as unknown as { total_cost: string; total_units: number }[];
          expect([group, sum(entries.map(({ total_cost }) => ({ cost: total_cost })))]).toEqual([
            group,
            taken,
          ]);
          expect(entries.reduce((units, { total_units }) => units + total_units, 0)).toBe(
            listed.reduce((units, item) => units + item.units, 0),
          );
        }
      }),
      { numRuns: 12 },
    );
  });

  test('the quality of a task stands last in the list, in files and in the sums by quality; a plain price has none', async () => {
    const account = await api.account();
    const finish = (quality: 'low' | 'max', images = 1) =>
      finishTask(api, account, {
        request: { model: 'gpt-image', quality },
        images: Array(images).fill(Buffer.from('x')),
      });
    await finish('low', 2);
    await finish('max');
    const refunded = await finish('max');
    await refundTask({ db: api.test.db, newId }, { taskId: refunded.id, reason: 'broken' });
    await finishTask(api, account);
    const [first, ...rest] = (await get(account, '/v1/usage?format=csv')).text.trimEnd().split('\r\n');
    expect(first).toBe('id,task_id,model,type,units,cost,created_at,metadata,quality');
    expect(rest.map((line) => line.split(',').at(-1)).sort()).toEqual(['', 'low', 'max', 'max', 'max']);
    const listed = await getItems(account, '&include=refunds');
    expect(listed.map((item) => Object.keys(item).at(-1)).sort()).toEqual([
      'created_at',
      ...Array(4).fill('quality'),
    ]);
    expect((await getItems(account, '')).map(({ quality }) => quality ?? null).sort()).toEqual(
      ['low', 'max', 'max', null].sort(),
    );
    const from = new Date(Date.now() - 86_400_000).toISOString();
    const wanted = [
      { quality: 'low', total_units: 2, total_cost: '$0.0086', request_count: 1 },
      { quality: 'max', total_units: 2, total_cost: '$0.0381', request_count: 2 },
      { total_units: 1, total_cost: '$0.0100', request_count: 1 },
    ];
    const summarize = async (query: string) =>
      (await get(account, `/v1/usage/summary?include=refunds&${query}`)).json.data;
    expect(await summarize('group_by=quality')).toEqual(wanted);
    expect(await summarize(`group_by=quality&from=${from}`)).toEqual(wanted);
    expect(await summarize(`group_by=day,quality&from=${from}`)).toMatchObject(wanted);
    expect(await summarize('group_by=quality,model')).toEqual([
      ...wanted.slice(0, 2).map((entry) => ({ model: 'gpt-image', ...entry })),
      { model: 'nanobanana', ...wanted[2] },
    ]);
  });

  test('files of usage have the same filters as the list', async () => {
    const account = await api.account();
    const other = await createKeyMaker(api, account)();
    const { completedAt } = await finishTask(api, account, { request: { model: 'nanobanana-pro' } });
    const refunded = await finishTask(api, other);
    await refundTask({ db: api.test.db, newId }, { taskId: refunded.id, reason: 'broken' });
    const count = async (query: string) => {
      const file = parseNdjson((await get(account, `/v1/usage?format=ndjson${query}`)).text);
      const listed = await getItems(account, `&include=refunds${query}`);
      expect(file.map(({ id }) => id).sort()).toEqual(listed.map(({ id }) => id).sort());
      return file.length;
    };
    const at = completedAt?.toISOString() ?? '';
    expect(await count('')).toBe(3);
    expect(await count('&model=nanobanana-pro')).toBe(1);
    expect(await count(`&api_key_id=${other.apiKeyId}`)).toBe(2);
    expect(await count(`&to=${at}`)).toBe(0);
    expect(await count(`&from=${at}&to=${new Date(Date.parse(at) + 1).toISOString()}`)).toBeGreaterThan(0);
    expect((await getItems(account, '')).map(({ type }) => type)).not.toContain('refund');
    const { json } = await get(account, '/v1/usage?include=refunds&per_page=1&page=2');
    expect(json.data.pagination).toMatchObject({ total: 3, total_pages: 3 });
  });

  test('files of usage have every line once, also when thousands have one time', async () => {
    const account = await api.account();
    await addCharges(account, 2_500);
    const { text, headers } = await get(account, '/v1/usage?format=csv');
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const items = parseCsv(text);
    expect([items.length, new Set(items.map(({ id }) => id)).size]).toEqual([2_501, 2_501]);
    await removeCharges(account);
  });

  test('files of usage are read one at a time by an account, with no transaction and no connection in between', async () => {
    const account = await api.account();
    await addCharges(account, 4_000, LONG_METADATA);
    const ask = (as: TestAccount, signal?: AbortSignal) =>
      fetch(`${api.url}/v1/usage?format=ndjson`, {
        headers: { authorization: `Bearer ${as.apiKey}` },
        ...(signal && { signal }),
      });
    const stop = new AbortController();
    const slow = await ask(account, stop.signal);
    expect(slow.status).toBe(200);
    const second = await get(account, '/v1/usage?format=csv');
    expect([second.status, second.json.error.code, second.headers.get('retry-after')]).toEqual([
      429,
      'RATE_LIMITED',
      '5',
    ]);
    const neighbour = await ask(await api.account());
    expect([neighbour.status, await neighbour.text()]).toEqual([200, '']);
    await eventually(async () => {
      const { rows } = await api.test.pool.query(
        `SELECT state FROM pg_stat_activity
          WHERE datname = current_database() AND application_name LIKE '%-reads/%' AND state <> 'idle'`,
      );
      expect(rows).toEqual([]);
    });
    stop.abort();
    await eventually(async () => expect((await get(account, '/v1/usage?format=csv')).status).toBe(200));
    await removeCharges(account);
  });

  test('files of usage go on after a time without connections for reads', async () => {
    const account = await api.account();
    await addCharges(account, 4_000, LONG_METADATA);
    const response = await fetch(`${api.url}/v1/usage?format=ndjson`, {
      headers: { authorization: `Bearer ${account.apiKey}` },
    });
    const holder = await api.test.pool.connect();
    let text: Promise<string>;
    try {
      await holder.query('BEGIN; LOCK TABLE ledger_transfers IN ACCESS EXCLUSIVE MODE');
      text = response.text();
      await eventually(async () => {
        // A transaction sees the sessions of its first look, so this is another connection.
        const { rows } = await api.test.pool.query(
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        expect(rows).not.toEqual([]);
      });
      await holder.query('SELECT pg_sleep(1)');
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    expect(parseNdjson(await text)).toHaveLength(4_001);
    await removeCharges(account);
  });
});
