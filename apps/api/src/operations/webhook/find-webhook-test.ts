import type { WebhookTestView } from '@image-gateway/shared/contract';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { AppError } from '@image-gateway/shared/errors';

/** Returns a test event of an account and its outcome as far as there is one; throws AppError `NOT_FOUND`. */
export async function findWebhookTest(
  { db }: { readonly db: PrismaDatabase },
  { id, accountId }: { readonly id: string; readonly accountId: string },
): Promise<WebhookTestView> {
  const test = await db.prisma.webhookTest.findFirst({ where: { id, accountId } });
  if (!test) {
    throw new AppError('NOT_FOUND', { publicMessage: 'There is no such test event.' });
  }
  const { state, status, error, startedAt, endedAt } = test;
  return {
    id,
    state: state as WebhookTestView['state'],
    status,
    error,
    ms: startedAt && endedAt ? endedAt.getTime() - startedAt.getTime() : null,
  };
}
