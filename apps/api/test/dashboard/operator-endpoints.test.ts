import type { EndpointItem, EventItem } from '@image-gateway/shared/endpoint/schema';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { TestApi } from '../support/start-api.js';
import { type Owner, type Person, startWithPeople, stopChecked } from './support/people.js';

let api: TestApi;
let operator: Person;
let owner: Owner;
beforeAll(async () => {
  ({ api, operator, owner } = await startWithPeople());
});
afterAll(() => stopChecked(api));

const URL_OF_OPERATORS = 'https://ops.example/events';
const list = async () =>
  (await operator.get('/operator/endpoints')).data as unknown as readonly EndpointItem[];
const listEvents = async () =>
  (await operator.get('/operator/events')).data as unknown as readonly EventItem[];

test('an operator registers an endpoint, sees its events, sends one again and deletes it; owners see none of it', async () => {
  const types = ['account.balance_low', 'account.moderated'];
  const created = await operator.post('/operator/endpoints', {
    url: URL_OF_OPERATORS,
    types,
    threshold: '$5.00',
  });
  expect(created.data).toEqual({
    id: expect.stringMatching(/^ept_/),
    secret: expect.stringMatching(/^whsec_/),
  });
  const id = String(created.data.id);
  expect(await list()).toEqual([
    expect.objectContaining({
      id,
      url: URL_OF_OPERATORS,
      types,
      threshold: '$5.0000',
      waiting: 0,
      disabled_at: null,
    }),
  ]);
  const fall = { amount: '-6.00', reason: 'a test' };
  expect((await operator.post(`/operator/accounts/${owner.accountId}/adjust`, fall)).status).toBe(200);
  const [event, ...more] = await listEvents();
  expect([event, more]).toEqual([
    expect.objectContaining({ endpoint_id: id, type: 'account.balance_low', state: 'pending', attempt: 0 }),
    [],
  ]);
  const eventId = event?.id ?? '';
  await api.test.pool.query(
    "UPDATE endpoint_deliveries SET state = 'delivered', delivered_at = now(), next_attempt_at = NULL WHERE id = $1",
    [eventId],
  );
  expect((await owner.post(`/webhooks/${eventId}/resend`, {})).status).toBe(404);
  expect((await operator.post(`/operator/events/${eventId}/resend`, {})).status).toBe(200);
  expect(await listEvents()).toEqual([expect.objectContaining({ id: eventId, state: 'pending' })]);
  expect(await list()).toMatchObject([{ id, last_delivered_at: null }]);
  await api.test.pool.query(
    "UPDATE endpoint_deliveries SET state = 'delivered', delivered_at = now(), next_attempt_at = NULL",
  );
  expect(await list()).toMatchObject([{ id, last_delivered_at: expect.stringMatching(/Z$/) }]);
  expect((await owner.post(`/endpoints/${id}/test`, {})).status).toBe(404);
  expect((await operator.post(`/operator/endpoints/${id}/test`, {})).status).toBe(200);
  expect(await listEvents()).toMatchObject([
    { endpoint_id: id, type: 'endpoint.test', state: 'pending' },
    { id: eventId },
  ]);
  await api.test.pool.query('UPDATE endpoints SET disabled_at = now()');
  expect((await operator.post(`/operator/endpoints/${id}/test`, {})).status).toBe(400);
  expect((await owner.get('/endpoints')).data).toEqual([]);
  expect((await owner.get('/endpoints/events')).data).toEqual([]);
  expect((await owner.post(`/endpoints/${id}/delete`, {})).status).toBe(404);
  expect((await operator.post(`/operator/endpoints/${id}/delete`, {})).status).toBe(200);
  expect([await list(), await listEvents()]).toEqual([[], []]);
  const { rows } = await api.test.pool.query(
    "SELECT action, detail ->> 'actor' AS actor FROM audit_entries WHERE subject = ANY ($1) ORDER BY created_at",
    [[id, eventId]],
  );
  expect(rows).toEqual(
    ['endpoint.create', 'webhook.resend', 'endpoint.test', 'endpoint.delete'].map((action) => ({
      action,
      actor: operator.email,
    })),
  );
});

test.each([
  ['a type of accounts', { url: URL_OF_OPERATORS, types: ['key.cap_reached'] }, /types of an endpoint/],
  ['no type', { url: URL_OF_OPERATORS, types: [] }, /types of an endpoint/],
  [
    'a threshold that nothing needs',
    { url: URL_OF_OPERATORS, types: ['account.moderated'], threshold: '1' },
    /threshold/,
  ],
  [
    'a balance without a threshold',
    { url: URL_OF_OPERATORS, types: ['account.balance_low'] },
    /needs a threshold/,
  ],
  [
    'a threshold that is no money',
    { url: URL_OF_OPERATORS, types: ['account.balance_low'], threshold: 'much' },
    /amount/,
  ],
  [
    'an address of the own network',
    { url: 'http://10.0.0.1/', types: ['account.moderated'] },
    /URL of an endpoint/,
  ],
  [
    'a mailbox where no mail is sent',
    { url: 'mailto:ann@example.com', types: ['account.moderated'] },
    /no mail/,
  ],
])('an operator cannot register an endpoint with %s', async (_what, body, words) => {
  const { status, error } = await operator.post('/operator/endpoints', body);
  expect({ status, code: error?.code, message: error?.message }).toEqual({
    status: 400,
    code: 'VALIDATION_ERROR',
    message: expect.stringMatching(words),
  });
  expect(await list()).toEqual([]);
});
