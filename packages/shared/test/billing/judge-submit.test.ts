import {
  type AcceptDeps,
  type AcceptInput,
  acceptGeneration,
  creditAccount,
  findRefusal,
  settleTask,
} from '@image-gateway/shared/billing';
import { REASONS } from '@image-gateway/shared/contract';
import { newId, newRequestId } from '@image-gateway/shared/ids';
import {
  type AcceptLimits,
  createAcceptDeps,
  createTestAccount,
  createTestDatabase,
  createTestTask,
  eventually,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.checkInvariants());
afterAll(() => database.close());

/** A request of three cents with a webhook and a value that its key may have a cap for. */
const toInput = (account: TestAccount, scopes: AcceptInput['scopes'] = ['generate']): AcceptInput => ({
  accountId: account.id,
  apiKeyId: account.apiKeyId,
  capPerKey: 'user',
  scopes,
  requestId: newRequestId(),
  request: {
    model: 'nanobanana',
    prompt: 'x',
    aspect_ratio: '16:9',
    resolution: '1k',
    num_outputs: 3,
    webhook_url: 'https://second.example/',
    metadata: { user: 'ann' },
  },
});
/** A process with some limits, and the newest version of the catalog that it knows. */
const createProcess = (limits: AcceptLimits, newestVersion: number): AcceptDeps => {
  const accept = createAcceptDeps(database.db, {
    maxOpenTasks: 1,
    maxFailedTasks: { limit: 2, windowSeconds: 3600 },
    ...limits,
  });
  return { ...accept, getPrice: (request) => ({ ...accept.getPrice(request), newestVersion }) };
};
/** Returns the refusal of a request, which must be the same before its submit and by it; null where it is accepted. */
const tell = async (accept: AcceptDeps, input: AcceptInput) => {
  const pick = (error: unknown) => {
    const { code, publicMessage, retryAfterSeconds } = error as Readonly<Record<string, unknown>>;
    return { code, publicMessage, retryAfterSeconds };
  };
  const before = await findRefusal(accept, input);
  const submitted = await acceptGeneration(accept, input).then(() => null, pick);
  expect(submitted).toEqual(before && { ...pick(before), retryAfterSeconds: submitted?.retryAfterSeconds });
  // A second may begin between the two.
  const [told, late] = [before?.retryAfterSeconds, submitted?.retryAfterSeconds];
  expect(told === late || told === Number(late) + 1).toBe(true);
  return submitted;
};
const end = (taskId: string, reason: (typeof REASONS)[keyof typeof REASONS]): Promise<unknown> =>
  settleTask({ db: database.db, newId, fileUrl: 'http://x/files' }, { taskId, attempt: 0, reason });
const update = (table: 'accounts' | 'api_keys', id: string, columns: string): Promise<unknown> =>
  database.pool.query(`UPDATE ${table} SET ${columns} WHERE id = $1`, [id]);

const CAPS = {
  cap_day:
    'This key has spent or reserved $0.0200 of its daily cap of $0.0400 (cap_day). This request costs $0.0300.',
  cap_month:
    'This key has spent or reserved $0.0200 of its monthly cap of $0.0400 (cap_month). This request costs $0.0300.',
  cap_total:
    'This key has spent or reserved $0.0200 of its total cap of $0.0400 (cap_total). This request costs $0.0300.',
  cap_per:
    'Requests with this metadata.user have spent or reserved $0.0200 of their daily cap of $0.0400 with this key (cap_day_per). This request costs $0.0300.',
} as const;

test('whether an account may submit is told before a submit as by it, for each limit, in one order', async () => {
  const account = await createTestAccount(database, { balanceMicros: 40_000n });
  const request = { webhook_url: 'https://first.example/' };
  const ended = await createTestTask(database.db, account, { request });
  await end(ended.id, REASONS.internal);
  for (let failed = 0; failed < 2; failed++) {
    await end((await createTestTask(database.db, account)).id, REASONS.moderation);
  }
  const held = { num_outputs: 2, metadata: { user: 'ann' } };
  await createTestTask(database.db, account, { capPerKey: 'user', request: held });
  await update(
    'api_keys',
    account.apiKeyId,
    "cap_day_micros = 40000, cap_month_micros = 40000, cap_total_micros = 40000, cap_per_micros = 40000, cap_per_key = 'user'",
  );
  await update('accounts', account.id, "status = 'suspended'");
  await eventually(async () => {
    const { rows } = await database.pool.query(
      "SELECT FROM catalog_versions WHERE id = 1 AND created_at < now() - interval '4 seconds'",
    );
    expect(rows).toHaveLength(1);
  });

  const input = toInput(account);
  const strict = createProcess({ maxPendingDeliveries: 1, maxPendingHosts: 1 }, 0);
  expect(await tell(strict, { ...input, accountId: 'acc_x' })).toMatchObject({ code: 'UNAUTHORIZED' });
  expect(await tell(strict, input)).toMatchObject({ code: 'FORBIDDEN' });
  await update('accounts', account.id, "status = 'active'");
  expect(await tell(strict, input)).toEqual({
    code: 'RATE_LIMITED',
    publicMessage: 'This account has 1 open tasks, the most it may have is 1. Wait for some to finish.',
    retryAfterSeconds: 5,
  });
  await update('accounts', account.id, 'max_open_tasks = 2');
  expect(await tell(strict, input)).toMatchObject({
    code: 'RATE_LIMITED',
    publicMessage: expect.stringMatching(
      /^2 tasks .* the last 3600 seconds, the most it may have is 2 \(MAX_FAILED_TASKS\)/,
    ),
  });
  await update('accounts', account.id, 'max_failed_tasks = 3, failed_tasks_seconds = 3600');
  expect(await tell(strict, input)).toMatchObject({
    code: 'RATE_LIMITED',
    publicMessage: expect.stringMatching(/^This account has 1 webhooks .* is 1 \(MAX_PENDING_DELIVERIES\)/),
    retryAfterSeconds: 60,
  });
  const oneHost = createProcess({ maxPendingHosts: 1 }, 0);
  expect(await tell(oneHost, input)).toMatchObject({
    code: 'RATE_LIMITED',
    publicMessage: expect.stringMatching(
      /^Webhooks of this account wait for 1 hosts, .* is 1 \(MAX_PENDING_HOSTS\)/,
    ),
    retryAfterSeconds: 60,
  });
  const stale = createProcess({}, 0);
  for (const [column, publicMessage] of Object.entries(CAPS)) {
    expect(await tell(stale, input)).toMatchObject({ code: 'INSUFFICIENT_BALANCE', publicMessage });
    await update('api_keys', account.apiKeyId, `${column}_micros = 50000`);
  }
  expect(await tell(stale, input)).toMatchObject({
    code: 'INSUFFICIENT_BALANCE',
    publicMessage:
      'The balance does not cover this request, which costs $0.0300. Ask the operator of this gateway for credit, or ask for fewer images.',
  });
  expect(await tell(stale, toInput(account, ['generate', 'read']))).toMatchObject({
    publicMessage: expect.stringContaining('which costs $0.0300: $0.0200 is available. Ask'),
  });
  await creditAccount({ db: database.db, newId }, { accountId: account.id, amountMicros: 10_000n });
  expect(await tell(stale, input)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 });
  expect(await tell(createProcess({}, 1_000_000), input)).toBeNull();
});
