import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settleTask } from '@image-gateway/shared/billing';
import { newId } from '@image-gateway/shared/ids';
import { createObjectStore } from '@image-gateway/shared/storage';
import { createTestTask, testBucket } from '@image-gateway/testing';
import { listCommandNames } from '../../cli/support/list-command-names.js';
import { runCommand } from '../../cli/support/run-command.js';
import { finishTask } from '../../support/finish-task.js';
import type { TestApi } from '../../support/start-api.js';
import { describeShape } from './describe-shape.js';

// Sold below cost, for the shape of a warning.
const CATALOG = `
models:
  nanobanana:
    routes: [{ provider: sandbox, model: m, cost: { 1k: "0.02", 2k: "0.02", 4k: "0.02" } }]
`;

// Without prices for 2k and 4k, for the shape of a fault.

interface Created {
  readonly id: string;
}
interface Delivery {
  readonly webhook: { readonly id: string };
}

/** Runs every command with `--json` and returns the shape of what each printed, by the words of its call. */
export async function runEveryCommand(api: TestApi): Promise<Record<string, unknown>> {
  const shapes: Record<string, unknown> = {};
  const run = async <T>(line: string, ...args: string[]): Promise<T> => {
    const words = [...line.split(' '), ...args];
    const { value } = await runCommand<T>({ db: api.test.db }, ...words);
    shapes[[...line.split(' '), ...args.filter((word) => word.startsWith('--'))].join(' ')] =
      describeShape(value);
    return value;
  };

  const password = ['--password', 'correct horse 9 battery'];
  const opening = ['--balance', '5', '--reason', 'r'];
  const customer = ['--email', 'a@example.com', ...opening, ...password];
  const { id } = await run<Created>('account create', ...customer);
  await run('settings');
  await run('account list');
  await run('account rotate-webhook-secret', id);
  await run('account show', id);
  await run('account set-password', id, '--email', 'a@example.com', ...password);
  await run('account show', id, '--secrets');
  await run('account set-email', id, '--user', 'a@example.com', '--email', 'b@example.com');
  await run('account limits', id, '--max-open', '5', '--requests', '60/60', '--failed', '9/3600');
  await run('account credit', id, '--amount', '1', '--reference', 'r');
  await run('account adjust', id, '--amount', '-1', '--reason', 'r');
  await run('account suspend', id, '--reason', 'r');
  await run('account resume', id);
  await run('operator create', '--email', 'o@example.com', ...password);
  const second = await run<Created>('operator create', '--email', 'second@example.com', ...password);
  await run('operator list');
  await run('operator set-email', second.id, '--email', 'third@example.com');
  await run('operator remove', second.id);
  const key = await run<Created>('key create', '--account', id, '--expires', '2099-01-01');
  const limits = [
    '--models',
    'nanobanana',
    '--scopes',
    'generate',
    '--cidrs',
    '192.0.2.0/24',
    '--join-equal',
    'on',
  ];
  const caps = ['--cap-day', '1', '--cap-month', '2', '--cap-total', '3', '--cap-day-per', 'user=1'];
  await run('key update', key.id, ...limits, ...caps);
  await run('key list', '--account', id);
  await run('key rotate', key.id, '--grace-hours', '1');
  await run('key revoke', key.id);

  const account = await api.account();
  const [requeued, canceled, failed, done] = await Promise.all([
    createTestTask(api.test.db, account),
    createTestTask(api.test.db, account),
    createTestTask(api.test.db, account),
    completedTask(api, account),
  ]);
  await run('task requeue', requeued.id);
  await run('task cancel', canceled.id);
  await run('task delete', canceled.id);
  await run('task fail', failed.id, '--reason', 'r');
  await run('task refund', done.id, '--reason', 'r');
  const { webhook } = await run<Delivery>('task show', done.id);
  await run('task show', done.id, '--verbose');
  const receiver = ['--url', 'https://hooks.example/x', '--types', 'account.balance_low', '--threshold', '5'];
  const { id: endpointId } = await run<{ id: string }>(
    'endpoint create',
    '--account',
    account.id,
    ...receiver,
  );
  await run('endpoint list', '--account', account.id);
  await run('endpoint test', endpointId);
  await run('endpoint delete', endpointId);
  await run('webhook list', '--task', done.id);
  await run('webhook resend', webhook.id);
  const folder = await mkdtemp(join(tmpdir(), 'catalog-'));
  const file = join(folder, 'catalog.yaml');
  await writeFile(file, CATALOG);
  await run('catalog check', file);
  await run('catalog apply', file, '--note', 'n');
  await run('catalog set-price', 'nanobanana', '1k', '0.01');
  await run('catalog enable', 'nanobanana');
  await run('catalog disable', 'gpt-image');
  await run('catalog show');
  await run('catalog history');
  await run('catalog rollback', '1');
  await run('catalog sync', '--force');
  await run('catalog show', '--version', '1');
  await rm(folder, { recursive: true });
  await run('provider limit', 'fal', '--cost-day', '5.00');
  await run('provider pause', 'fal', '--for', '2h');
  await run('providers');
  await run('provider resume', 'fal');
  await run('provider check', 'sandbox');
  await run('account limits', account.id, '--retention-days', '1');
  await run('retention run', '--dry-run');
  await run('retention run');
  await run('ledger check');
  await run('ledger recount');
  await run('doctor');
  const providerKey = async (input: string, ...args: string[]): Promise<void> => {
    const env = { DATABASE_URL: api.test.url, ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64') };
    const { value } = await runCommand({ env, input }, 'provider', 'key', ...args);
    shapes[['provider key', ...args.filter((word) => word !== 'fal')].join(' ')] = describeShape(value);
  };
  await providerKey('a-key-of-fal', 'set', 'fal', '--no-check');
  await providerKey('', 'list');
  await providerKey('', 'remove', 'fal');
  Object.assign(shapes, await runBackup(api));
  const migrated = await runCommand({ env: { DATABASE_URL: api.test.url } }, 'migrate');
  shapes.migrate = describeShape(migrated.value);
  const refused = await runCommand({ db: api.test.db }, 'account', 'show', 'acc_none');
  shapes['(an error)'] = describeShape(refused.value);
  const missing = (await listCommandNames()).filter(
    (name) => !Object.keys(shapes).some((line) => line.startsWith(name)),
  );
  if (missing.length > 0) {
    throw new Error(`not run: ${missing.join(', ')}`);
  }
  return shapes;
}

/** Takes a backup with a dump from elsewhere, and looks at the database itself as what was restored from it. */
async function runBackup(api: TestApi): Promise<Record<string, unknown>> {
  const bucket = testBucket();
  const store = createObjectStore(bucket);
  await store.ensureBucket();
  const { rows } = await api.test.pool.query<{ key: string; bytes: number }>(
    'SELECT key, bytes FROM task_outputs',
  );
  for (const { key, bytes } of rows) {
    await store.put(key, Buffer.alloc(bytes), { contentType: 'image/png' });
  }
  store.close();
  const env = {
    DATABASE_URL: api.test.url,
    S3_ENDPOINT: bucket.endpoint,
    S3_BUCKET: bucket.bucket,
    S3_ACCESS_KEY: bucket.accessKey,
    S3_SECRET_KEY: bucket.secretKey,
  };
  const folder = await mkdtemp(join(tmpdir(), 'backup-'));
  const [dump, target] = [join(folder, 'dump'), join(folder, 'new')];
  await writeFile(dump, 'PGDMP');
  const backup = await runCommand({ env }, 'backup', target, '--dump', dump);
  const check = await runCommand({ env }, 'restore', target, '--check', '--database', api.test.url, '--read');
  await rm(folder, { recursive: true });
  return {
    'backup --dump': describeShape(backup.value),
    'restore --check --database --read': describeShape(check.value),
  };
}

async function completedTask(api: TestApi, account: Awaited<ReturnType<TestApi['account']>>) {
  const request = { webhook_url: 'https://hooks.example/x', image_urls: ['https://images.example/a.png'] };
  const task = await finishTask(api, account, { request, settle: false });
  await api.test.pool.query(
    `INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, state, cost_micros, finished_at)
     VALUES ($1, $2, 1, 'sandbox', 'sandbox', 1, '{0}', 'succeeded', 1, now())`,
    [newId('call'), task.id],
  );
  await api.test.pool.query('SELECT recount()');
  await api.test.pool.query('UPDATE tasks SET call_count = 1 WHERE id = $1', [task.id]);
  const settlement = { taskId: task.id, attempt: 1, reason: 'r' };
  await settleTask({ db: api.test.db, newId, fileUrl: 'http://gateway.test/files' }, settlement);
  return task;
}
