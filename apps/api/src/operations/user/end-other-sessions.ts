import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';

/** Ends all sessions of a user except one, and returns their number. */
export async function endOtherSessions(
  { prisma }: Pick<PrismaDatabase, 'prisma'>,
  { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
): Promise<{ readonly ended: number }> {
  const { count } = await prisma.authSession.deleteMany({ where: { userId, id: { not: sessionId } } });
  return { ended: count };
}
