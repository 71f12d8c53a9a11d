import { createHash } from 'node:crypto';
import { findApiKey } from '@image-gateway/shared/db';
import { createTestAccount, createTestDatabase } from '@image-gateway/testing';
import { expect, jest, test } from '@jest/globals';

test('what is left of a key is measured by the clock of the database, however wrong that of the process is', async () => {
  const database = await createTestDatabase();
  const { apiKey, apiKeyId } = await createTestAccount(database);
  const hash = createHash('sha256').update(apiKey).digest();
  expect(await findApiKey(database.db, hash)).toMatchObject({ expiresAt: null });
  await database.pool.query("UPDATE api_keys SET expires_at = now() + interval '30 minutes' WHERE id = $1", [
    apiKeyId,
  ]);
  const wrong = Date.now() + 3_600_000;
  const clock = jest.spyOn(Date, 'now').mockReturnValue(wrong);
  try {
    const row = await findApiKey(database.db, hash);
    const leftMinutes = ((row?.expiresAt?.getTime() ?? 0) - wrong) / 60_000;
    expect(Math.round(leftMinutes)).toBe(30);
  } finally {
    clock.mockRestore();
    await database.close();
  }
});
