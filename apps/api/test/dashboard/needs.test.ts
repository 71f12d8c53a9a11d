import { createTestTask } from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkRefusals } from '../../src/cli/doctor/check-refusals.js';
import { startApi, type TestApi } from '../support/start-api.js';
import { newOperator, newOwner, type Owner, type Person } from './support/people.js';

let api: TestApi;
let operator: Person;
let owner: Owner;
beforeAll(async () => {
  api = await startApi({ AUTH_SECRET: 'x'.repeat(32) });
  operator = await newOperator(api);
  owner = await newOwner(api);
});
afterAll(async () => {
  await api.test.checkInvariants('live');
  await api.stop();
});

/** Makes calls of the owner that failed in this way. */
async function makeCalls(detail: string, times: number): Promise<void> {
  const account = { id: owner.accountId, apiKeyId: 'key_t', apiKey: '', webhookSecret: '' };
  const { id } = await createTestTask(api.test.db, account);
  await api.test.pool.query(
    `INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, state, cost_micros, key_fingerprint)
     SELECT $1 || i, $1, 1, 'gemini', 'image-1', 1, '{0}', 'started', 0, 'f1' FROM generate_series(1, $2::int) i`,
    [id, times],
  );
  await api.test.pool.query(
    "UPDATE provider_calls SET state = 'refused', detail = $2, finished_at = now() WHERE task_id = $1",
    [id, detail],
  );
}

test('pages of operators and the doctor say the same of a refused key, and name accounts that moderation refuses', async () => {
  expect((await operator.get('/operator/needs')).data).toEqual({ providers: [], moderated: [] });
  await makeCalls('auth', 1);
  await makeCalls('moderation', 20);
  const reason = 'the vendor refuses key f1. Set a valid key.';
  const need = { provider: 'gemini', model: null, reason, since: expect.any(String) };
  expect((await operator.get('/operator/needs')).data).toEqual({ providers: [need], moderated: [] });
  expect(await checkRefusals(api.test.db)).toEqual([
    {
      part: 'gemini',
      level: 'warning',
      observed: expect.stringMatching(/^the vendor refuses key f1, since 20/),
      remediation: 'Set a valid key.',
    },
  ]);
  const row = { account_id: owner.accountId, email: owner.email, provider: 'gemini' };
  const times = { since: expect.any(String), last_at: expect.any(String) };
  const { data } = await operator.get('/operator/providers?hours=1');
  expect(data).toMatchObject({ moderated: [{ ...row, ...times, refused: 20 }] });
  await makeCalls('moderation', 1);
  expect((await operator.get('/operator/needs')).data).toEqual({
    providers: [need],
    moderated: [{ ...row, ...times, refused: 21 }],
  });
});
