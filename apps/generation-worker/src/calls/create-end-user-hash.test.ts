import type { Database } from '@image-gateway/shared/db';
import { expect, test } from '@jest/globals';
import { createEndUserHash } from './create-end-user-hash.js';

const over = (key: string) => {
  const db = { asked: 0, run: () => Promise.resolve([{ endUserKey: key }].filter(() => (db.asked += 1))) };
  return { db, hash: createEndUserHash(db as unknown as Pick<Database, 'run'>) };
};

test('an end user is told apart by account, metadata.user and installation, and by nothing else', async () => {
  const { db, hash } = over('a key');
  const ids = await Promise.all(
    [
      { accountId: 'acc_1', metadata: null },
      { accountId: 'acc_1', metadata: { user: 'ann@example.com' } },
      { accountId: 'acc_1', metadata: { user: 'ben' } },
      { accountId: 'acc_2', metadata: { user: 'ben' } },
    ].map((task) => hash(task)),
  );
  expect(new Set([...ids, await over('another key').hash({ accountId: 'acc_1', metadata: null })]).size).toBe(
    5,
  );
  expect(ids.every((id) => /^gw-[0-9a-f]{40}$/.test(id))).toBe(true);
  expect(await hash({ accountId: 'acc_1', metadata: { user: 'ben', tag: 'x' } })).toBe(ids[2]);
  const asked = db.asked;
  await hash({ accountId: 'acc_9', metadata: null });
  expect(db.asked).toBe(asked);
});
