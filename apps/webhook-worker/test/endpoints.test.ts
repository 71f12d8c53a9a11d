import { adjustAccount, creditAccount } from '@image-gateway/shared/billing';
import { createDatabase } from '@image-gateway/shared/db';
import { withPrisma } from '@image-gateway/shared/db/prisma';
import { newId } from '@image-gateway/shared/ids';
import { newWebhookSecret } from '@image-gateway/shared/webhooks';
import {
  createTestAccount,
  createTestDatabase,
  createTestTask,
  eventually,
  type Receiver,
  type Responder,
  readEvents,
  startReceiver,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { startMailServer } from '../../../tests/mail/start-mail-server.js';
import { finishTask } from './support/finish-task.js';
import { startWorker, type TestWorker } from './support/start-worker.js';

const WITHOUT_REDIS = 'redis://127.0.0.1:1';
let database: TestDatabase;
let account: TestAccount;
let receiver: Receiver;
let respond: Responder;
const workers: TestWorker[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  account = await createTestAccount(database);
  respond = (response) => response.end();
  receiver = await startReceiver((response, request, count) => respond(response, request, count));
});
afterEach(async () => {
  for (const worker of workers.splice(0)) {
    await worker.stop();
  }
  await receiver.close();
  await database.checkInvariants();
  await database.close();
});

const start = (env: Record<string, string> = {}): void => {
  workers.push(
    startWorker(database.db, { OUTBOUND_ALLOW: receiver.hostPort, ...env }, WITHOUT_REDIS, {
      searchEveryMs: 50,
    }),
  );
};
interface EndpointOptions {
  readonly types: readonly string[];
  readonly url?: string;
  readonly dollars?: number;
  readonly accountId?: string | null;
}
/** Adds an endpoint as the command line does; returns its id and secret. */
const addEndpoint = async ({
  types,
  url = `${receiver.url}/events`,
  dollars,
  accountId = account.id,
}: EndpointOptions) => {
  const [id, secret] = [newId('ept'), newWebhookSecret()];
  const { host } = new URL(url);
  await database.pool.query(
    `INSERT INTO endpoints (id, account_id, slot, url, host_port, types, threshold_micros, secret)
     SELECT $1, $2, 1 + count(*), $3, $4, $5, $6, $7 FROM endpoints WHERE account_id IS NOT DISTINCT FROM $2`,
    [id, accountId, url, host, types, dollars === undefined ? null : dollars * 1_000_000, secret],
  );
  return { id, secret };
};
const book = async (dollars: number, { id } = account): Promise<void> => {
  const deps = { db: database.db, newId };
  await (dollars > 0
    ? creditAccount(deps, { accountId: id, amountMicros: BigInt(dollars * 1_000_000) })
    : adjustAccount(deps, {
        accountId: id,
        deltaMicros: BigInt(dollars * 1_000_000),
        reason: 'x',
        actor: 'test',
      }));
};
const readEndpoint = async (id: string) =>
  (
    await database.pool.query(
      'SELECT failures, failing_since, disabled_at, dropped::int FROM endpoints WHERE id = $1',
      [id],
    )
  ).rows[0] as {
    readonly failures: number;
    readonly failing_since: Date | null;
    readonly disabled_at: Date | null;
    readonly dropped: number;
  };

test('an endpoint gets the test event that it was sent, signed, whatever its types', async () => {
  const { id, secret } = await addEndpoint({ types: ['webhook.failing'] });
  start();
  await database.pool.query(
    `SELECT add_event($1, 'endpoint.test', jsonb_build_object('endpoint_id', $1::text), NULL)`,
    [id],
  );
  await eventually(() => expect(receiver.requests).toHaveLength(1));
  const [request] = receiver.requests;
  const body = request?.body.toString() ?? '';
  expect(JSON.parse(body)).toMatchObject({ type: 'endpoint.test', data: { endpoint_id: id } });
  expect(() => new Webhook(secret).verify(body, request?.headers as Record<string, string>)).not.toThrow();
});

describe('account.balance_low', () => {
  test('is sent once when the balance falls below the threshold, signed by the secret of its endpoint, and armed again at it', async () => {
    const { secret } = await addEndpoint({ types: ['account.balance_low'], dollars: 5 });
    start();
    await book(-5); // $5: not below
    expect(await readEvents(database)).toEqual([]);
    await book(-1);
    await book(-1);
    await eventually(() => expect(receiver.requests).toHaveLength(1));
    const [request] = receiver.requests;
    const body = request?.body.toString() ?? '';
    expect(JSON.parse(body)).toEqual({
      type: 'account.balance_low',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: { account_id: account.id, balance: '$4.0000', threshold: '$5.0000' },
    });
    expect(() => new Webhook(secret).verify(body, request?.headers as Record<string, string>)).not.toThrow();
    expect(request?.headers['webhook-id']).toMatch(/^msg_[0-9A-Za-z]{22}$/);
    await book(2);
    await book(-1);
    await eventually(() => expect(receiver.requests).toHaveLength(2));
    expect(await readEvents(database)).toHaveLength(2);
  });

  test('is one event for forty charges at once, and for operators one of any account', async () => {
    const own = await addEndpoint({ types: ['account.balance_low'], dollars: 9.8 });
    const all = await addEndpoint({ types: ['account.balance_low'], dollars: 9.9, accountId: null });
    await addEndpoint({
      types: ['account.balance_low'],
      dollars: 9.9,
      accountId: (await createTestAccount(database)).id,
    });
    const tasks = await Promise.all(Array.from({ length: 40 }, () => createTestTask(database.db, account)));
    await database.pool.query(
      `INSERT INTO task_outputs (task_id, index, slot, key, content_type, bytes, width, height, sha256)
       SELECT id, 0, 0, id, 'image/png', 1, 1, 1, 'x' FROM tasks`,
    );
    await database.pool.query('UPDATE tasks SET stored_count = 1');
    const { settleTask } = await import('@image-gateway/shared/billing');
    const deps = { db: database.db, newId, fileUrl: 'http://x/files' };
    await Promise.all(tasks.map(({ id }) => settleTask(deps, { taskId: id, attempt: 0, reason: 'x' })));
    const [[event, ...more], ofOperators] = [
      await readEvents(database, own.id),
      await readEvents(database, all.id),
    ];
    expect(more).toEqual([]);
    expect(event?.data.threshold).toBe('$9.8000');
    expect(Number(String(event?.data.balance).slice(1))).toBeLessThan(9.8);
    expect(ofOperators.map(({ data }) => data.account_id)).toEqual([account.id]);
    expect(await readEvents(database)).toHaveLength(2);
  });
});

describe('key.cap_reached', () => {
  test('is sent once for each percent and window, under forty submits at once too, and again in the next window', async () => {
    await addEndpoint({ types: ['key.cap_reached'] });
    await database.pool.query(
      'UPDATE api_keys SET cap_day_micros = 200000, cap_total_micros = 100000000 WHERE id = $1',
      [account.apiKeyId],
    );
    // Of four processes, which share no statement.
    const processes = Array.from({ length: 4 }, () =>
      withPrisma(createDatabase({ url: database.url, applicationName: 'api', max: 2 })),
    );
    await Promise.allSettled(
      processes.flatMap((db) => Array.from({ length: 10 }, () => createTestTask(db, account))),
    );
    await Promise.all(processes.map((db) => db.close()));
    const told = (await readEvents(database))
      .map(({ data }) => data)
      .sort((a, b) => Number(a.percent) - Number(b.percent));
    const event = { key_id: account.apiKeyId, cap: 'day', limit: '$0.2000' };
    expect(told).toMatchObject([
      { ...event, percent: 80 },
      { ...event, percent: 100, used: '$0.2000' },
    ]);
    expect(Number(String(told[0]?.used).slice(1))).toBeGreaterThanOrEqual(0.16);
    // A failed task frees the cap; the percents of the window were told.
    await database.pool.query('UPDATE key_spend SET held_micros = 0');
    await database.pool.query('UPDATE cap_notices SET starts_on = starts_on - 1 WHERE percent = 80');
    await createTestTask(database.db, account);
    await database.pool.query('UPDATE key_spend SET held_micros = 170000');
    await createTestTask(database.db, account);
    await createTestTask(database.db, account);
    expect((await readEvents(database)).map(({ data }) => data.percent).sort()).toEqual([100, 80, 80]);
    await database.pool.query('SELECT recount()');
  });

  test('names the value of a cap by value, which leaves the event with the erasure of its task', async () => {
    const { id: endpointId } = await addEndpoint({ types: ['key.cap_reached'] });
    await database.pool.query(
      "UPDATE api_keys SET cap_per_key = 'user', cap_per_micros = 20000 WHERE id = $1",
      [account.apiKeyId],
    );
    const request = { metadata: { user: 'a-secret-otter' } };
    for (let count = 0; count < 2; count++) {
      await createTestTask(database.db, account, { request, capPerKey: 'user' });
    }
    const data = {
      key_id: account.apiKeyId,
      cap: 'day_per',
      value: 'a-secret-otter',
      limit: '$0.0200',
      used: '$0.0200',
    };
    expect((await readEvents(database, endpointId)).map((event) => event.data)).toEqual([
      expect.objectContaining({ ...data, percent: expect.any(Number) }),
      expect.objectContaining({ ...data, percent: expect.any(Number) }),
    ]);
    start();
    await eventually(() => expect(receiver.requests).toHaveLength(2));
    await eventually(async () =>
      expect(
        (await database.pool.query("SELECT 1 FROM endpoint_deliveries WHERE state = 'delivered'")).rows,
      ).toHaveLength(2),
    );
    const { settleTask } = await import('@image-gateway/shared/billing');
    const { deleteEndedTask } = await import('@image-gateway/shared/db');
    for (const { id } of (await database.pool.query<{ id: string }>('SELECT id FROM tasks')).rows) {
      await settleTask({ db: database.db, newId, fileUrl: 'x' }, { taskId: id, attempt: 0, reason: 'x' });
      await deleteEndedTask(database.db, { taskId: id, accountId: account.id });
    }
    expect(JSON.stringify(await readEvents(database))).not.toContain('otter');
  });
});

test('an event for a mailbox is mailed in both forms, and again where the server did not take it', async () => {
  const mail = await startMailServer();
  const { id } = await addEndpoint({ types: ['account.balance_low'], dollars: 9 });
  await database.pool.query("UPDATE endpoints SET url = 'mailto:ann@example.com' WHERE id = $1", [id]);
  mail.refuses = true;
  start({
    SMTP_URL: mail.url,
    MAIL_FROM: 'Gateway <no-reply@gateway.example>',
    WEBHOOK_RETRY_SCHEDULE: '0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,60',
  });
  await book(-2);
  await eventually(async () => expect((await readEndpoint(id)).failures).toBeGreaterThanOrEqual(1));
  mail.refuses = false;
  await eventually(() => expect(mail.mails).toHaveLength(1));
  expect(mail.mails[0]).toMatchObject({
    subject: 'The balance is low',
    from: { text: '"Gateway" <no-reply@gateway.example>' },
    to: { text: 'ann@example.com' },
    text: expect.stringContaining('threshold: $9.0000'),
    html: expect.stringContaining('$9.0000'),
  });
  await eventually(async () => {
    const { rows } = await database.pool.query('SELECT state, last_status FROM endpoint_deliveries');
    expect(rows).toEqual([{ state: 'delivered', last_status: 250 }]);
  });
  expect(workers.some(({ log }) => log.some((line) => line.includes('mail-pass')))).toBe(false);
  await mail.close();
});

describe('an endpoint that does not answer', () => {
  const failing = async () => {
    const dead = await addEndpoint({
      types: ['account.balance_low'],
      dollars: 9,
      url: `${receiver.url}/dead`,
    });
    const other = await addEndpoint({ types: ['webhook.failing'] });
    respond = (response, { path }) => response.writeHead(path === '/dead' ? 503 : 200).end();
    return { dead, other };
  };

  test('is told to the others once a day, and forgotten once it answers', async () => {
    const { dead, other } = await failing();
    start({ WEBHOOK_RETRY_SCHEDULE: '0.05,0.05,0.05,0.05,0.05,0.05,60' });
    await book(-2);
    await eventually(async () => expect((await readEndpoint(dead.id)).failures).toBeGreaterThanOrEqual(4));
    expect(await readEvents(database, other.id)).toMatchObject([
      {
        type: 'webhook.failing',
        data: {
          endpoint_id: dead.id,
          url: `${receiver.url}/dead`,
          since: expect.any(String),
          last_status: 503,
        },
      },
    ]);
    expect((await readEvents(database, dead.id)).map(({ type }) => type)).toEqual(['account.balance_low']);
    respond = (response) => response.end();
    await book(2);
    await book(-2);
    await eventually(async () =>
      expect(await readEndpoint(dead.id)).toMatchObject({ failures: 0, failing_since: null }),
    );
  });

  test('is switched off after three days, and what waits for it has failed', async () => {
    const { dead } = await failing();
    await book(-2);
    await database.pool.query(
      "UPDATE endpoints SET failing_since = now() - interval '3 days' WHERE id = $1",
      [dead.id],
    );
    start({ WEBHOOK_RETRY_SCHEDULE: '60' });
    await eventually(async () => expect((await readEndpoint(dead.id)).disabled_at).toBeInstanceOf(Date));
    await book(2);
    await book(-2);
    const { rows } = await database.pool.query(
      'SELECT state FROM endpoint_deliveries WHERE endpoint_id = $1',
      [dead.id],
    );
    expect(rows).toHaveLength(1);
  });

  test('keeps the newest 10,000 events and counts what it dropped', async () => {
    const { id } = await addEndpoint({ types: ['account.balance_low'], dollars: 9 });
    await database.pool.query(
      `INSERT INTO endpoint_deliveries (id, endpoint_id, account_id, host_port, type, body, next_attempt_at, created_at)
       SELECT 'msg_' || n, $1, $2, 'x:1', 'account.balance_low', '{}', now() + interval '1 hour', now() - interval '1 day' + n * interval '1 second'
         FROM generate_series(1, 10001) n`,
      [id, account.id],
    );
    await book(-2);
    expect(await readEndpoint(id)).toMatchObject({ dropped: 2 });
    const { rows } = await database.pool.query(
      'SELECT count(*)::int AS events, min(created_at) FROM endpoint_deliveries',
    );
    expect(rows).toMatchObject([{ events: 10_000 }]);
  });

  test('delays nobody: ten dead endpoints with a backlog, and others begin within two seconds', async () => {
    const silent = await startReceiver(() => undefined);
    for (let n = 0; n < 10; n++) {
      const { id } = await addEndpoint({
        types: ['key.cap_reached'],
        url: `http://localhost:${silent.port}/${n}`,
      });
      await database.pool.query(
        `INSERT INTO endpoint_deliveries (id, endpoint_id, account_id, host_port, type, body, next_attempt_at)
         SELECT 'msg_' || $3::int || '_' || n, $1, $2, 'localhost:' || $4::int, 'key.cap_reached', '{}', now() - interval '1 minute'
           FROM generate_series(1, 100) n`,
        [id, account.id, n, silent.port],
      );
    }
    const neighbour = await createTestAccount(database);
    const { id } = await addEndpoint({ types: ['account.balance_low'], dollars: 9, accountId: neighbour.id });
    start({ OUTBOUND_ALLOW: `${receiver.hostPort},localhost:${silent.port}` });
    await eventually(() => expect(silent.requests.length).toBeGreaterThan(2));
    const since = Date.now();
    await book(-2, neighbour);
    await finishTask(database, neighbour, `${receiver.url}/task`);
    await eventually(
      () => expect(receiver.requests.map(({ path }) => path).sort()).toEqual(['/events', '/task']),
      { timeoutMs: 2_000 },
    );
    expect(Date.now() - since).toBeLessThan(2_000);
    expect(await readEvents(database, id)).toHaveLength(1);
    await silent.close();
  });

  test('an attempt whose worker died is made again when its lease ends', async () => {
    await addEndpoint({ types: ['account.balance_low'], dollars: 9 });
    await book(-2);
    await database.pool.query(
      "UPDATE endpoint_deliveries SET state = 'sending', attempt = 1, next_attempt_at = now() + interval '300 milliseconds'",
    );
    start();
    await eventually(() => expect(receiver.requests).toHaveLength(1));
    const { rows } = await database.pool.query('SELECT state, attempt, attempts FROM endpoint_deliveries');
    expect(rows).toMatchObject([{ attempt: 2 }]);
  });
});
