import { eventually } from '@image-gateway/testing';
import { expect, test } from '@jest/globals';
import { deliver, routerOver, scriptedProvider } from './support/scripted-provider.js';
import { useWorld } from './support/use-world.js';

const world = useWorld();
const ids = async (table: string): Promise<string[]> =>
  (await world.sql(`SELECT id FROM ${table} WHERE id LIKE 'old-%' ORDER BY id`, [])).map(({ id }) =>
    String(id),
  );

test('expired sessions and verifications go, and after the retention keys that ended without a task and changes by owners; changes by operators and keys of tasks stay', async () => {
  world.start(routerOver(scriptedProvider(deliver)));
  const task = await world.submit({});
  await world.ended(task);
  const [{ account_id: accountId }] = (await world.sql('SELECT account_id FROM tasks WHERE id = $1', [
    task,
  ])) as [{ account_id: string }];
  await world.sql(
    `INSERT INTO auth_users (id, name, email, role) VALUES ('old-user', 'x', 'old@example.com', 'owner')`,
    [],
  );
  await world.sql(`INSERT INTO account_users (account_id, user_id) VALUES ($1, 'old-user')`, [accountId]);
  await world.sql(
    `INSERT INTO auth_sessions (id, token, user_id, expires_at)
     VALUES ('old-session-1', '1', 'old-user', now() - interval '1 second'), ('old-session-2', '2', 'old-user', now() + interval '1 hour')`,
    [],
  );
  await world.sql(
    `INSERT INTO auth_verifications (id, identifier, value, expires_at)
     VALUES ('old-verification-1', 'x', 'x', now() - interval '1 second'), ('old-verification-2', 'x', 'x', now() + interval '1 hour')`,
    [],
  );
  await world.sql(
    `INSERT INTO audit_entries (id, action, subject, detail, created_at)
     SELECT 'old-' || actor || '-' || days, 'key.update', 'key_x', jsonb_build_object('actor', actor), now() - make_interval(days => days)
       FROM unnest(ARRAY['old@example.com', 'cli', 'operator@example.com']) actor, unnest(ARRAY[89, 91]) days`,
    [],
  );
  await world.sql(
    `INSERT INTO api_keys (id, account_id, prefix, hash, revoked_at, expires_at)
     SELECT 'old-key-' || name, $1, 'x', convert_to(name, 'UTF8'), revoked, expires FROM (VALUES
       ('active', NULL::timestamptz, NULL::timestamptz),
       ('ends-later', NULL, now() + interval '1 day'),
       ('revoked-89', now() - interval '89 days', NULL),
       ('revoked-91', now() - interval '91 days', NULL),
       ('expired-91', NULL, now() - interval '91 days'),
       ('with-task', now() - interval '91 days', NULL)) k(name, revoked, expires)`,
    [accountId],
  );
  await world.sql(
    `INSERT INTO key_spend (account_id, api_key_id, day) VALUES ($1, 'old-key-with-task', current_date - 100)`,
    [accountId],
  );
  await world.sql(`DELETE FROM sweep_turns WHERE name = 'delete-old-details'`);
  // Verifications go last.
  await eventually(async () => expect(await ids('auth_verifications')).toEqual(['old-verification-2']), {
    timeoutMs: 15_000,
  });
  expect(await ids('auth_sessions')).toEqual(['old-session-2']);
  expect(await ids('audit_entries')).toEqual([
    'old-cli-89',
    'old-cli-91',
    'old-old@example.com-89',
    'old-operator@example.com-89',
    'old-operator@example.com-91',
  ]);
  expect(await ids('api_keys')).toEqual([
    'old-key-active',
    'old-key-ends-later',
    'old-key-revoked-89',
    'old-key-with-task',
  ]);
  await world.sql(`DELETE FROM key_spend WHERE api_key_id = 'old-key-with-task'`);
});
