import { createHash, randomBytes } from 'node:crypto';
import { creditAccount } from '@image-gateway/shared/billing';
import { newApiKey, newId } from '@image-gateway/shared/ids';
import type { TestDatabase } from '../create-test-database.js';

/** An account with one API key. */
export interface TestAccount {
  readonly id: string;
  readonly apiKeyId: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
}

/** Makes an active account with a key and some money (ten dollars unless said otherwise), through the ledger. */
export async function createTestAccount(
  test: TestDatabase,
  options: { balanceMicros?: bigint } = {},
): Promise<TestAccount> {
  const id = newId('acc');
  const apiKeyId = newId('key');
  const { key, prefix } = newApiKey();
  const webhookSecret = `whsec_${randomBytes(32).toString('base64')}`;
  await test.db.prisma.account.create({ data: { id, email: `${id}@example.com`, webhookSecret } });
  const hash = createHash('sha256').update(key).digest();
  await test.db.prisma.apiKey.create({ data: { id: apiKeyId, accountId: id, prefix, hash, name: 'test' } });
  const amountMicros = options.balanceMicros ?? 10_000_000n;
  if (amountMicros > 0n) {
    await creditAccount({ db: test.db, newId }, { accountId: id, amountMicros });
  }
  return { id, apiKeyId, apiKey: key, webhookSecret };
}
