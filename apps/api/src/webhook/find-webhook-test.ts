import type { WebhookTest } from '@image-gateway/shared/db';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { AppError } from '@image-gateway/shared/errors';
import type { WebhookTestView } from '@image-gateway/shared/webhook/schema';

/** Test events in the list of deliveries. */
const SHOWN = 10;

/** Returns a test event of an account and its outcome as far as there is one; throws AppError `NOT_FOUND`. */
export async function findWebhookTest(
  { db }: { readonly db: PrismaDatabase },
  { id, accountId }: { readonly id: string; readonly accountId: string },
): Promise<WebhookTestView> {
  const test = await db.prisma.webhookTest.findFirst({ where: { id, accountId } });
  if (!test) {
    throw new AppError('NOT_FOUND', { publicMessage: 'There is no such test event.' });
  }
  return presentWebhookTest(test);
}

/** Lists the last test events of an account, newest first; they are deleted after a day. */
export async function listWebhookTests(
  { db }: { readonly db: PrismaDatabase },
  accountId: string,
): Promise<readonly WebhookTestView[]> {
  const tests = await db.prisma.webhookTest.findMany({
    where: { accountId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: SHOWN,
  });
  return tests.map(presentWebhookTest);
}

function presentWebhookTest(test: WebhookTest): WebhookTestView {
  const { id, url, state, status, error, createdAt, startedAt, endedAt } = test;
  return {
    id,
    url,
    created_at: createdAt.toISOString(),
    state: state as WebhookTestView['state'],
    status,
    error,
    ms: startedAt && endedAt ? endedAt.getTime() - startedAt.getTime() : null,
  };
}
