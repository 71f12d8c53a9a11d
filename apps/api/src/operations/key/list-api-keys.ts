import type { KeyItem } from '@image-gateway/shared/contract';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';

/** Keys to list. */
export interface KeyList {
  readonly accountId: string;
  /** `newest`: by time alone; `revoked-last`: working keys before revoked ones, each newest first. */
  readonly order: 'newest' | 'revoked-last';
  /** Maximum number of keys; without it all of them. */
  readonly limit?: number;
}

/** Lists the API keys of an account; only the prefix of a key is known. */
export async function listApiKeys(
  { prisma }: Pick<PrismaDatabase, 'prisma'>,
  { accountId, order, limit }: KeyList,
): Promise<KeyItem[]> {
  const revokedLast =
    order === 'revoked-last' ? [{ revokedAt: { sort: 'desc', nulls: 'first' } } as const] : [];
  const keys = await prisma.apiKey.findMany({
    where: { accountId },
    orderBy: [...revokedLast, { createdAt: 'desc' }, { id: 'desc' }],
    ...(limit !== undefined && { take: limit }),
  });
  return keys.map((key) => ({
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  }));
}
