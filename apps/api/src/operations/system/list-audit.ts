import type { AuditItem } from '@image-gateway/shared/contract';
import type { Slice } from '@image-gateway/shared/db';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';

/** Lists the audit log, newest first, of all subjects or of one. */
export async function listAudit(
  { prisma }: Pick<PrismaDatabase, 'prisma'>,
  subject: string | null,
  page: { readonly limit: number; readonly offset: bigint },
): Promise<Slice<AuditItem>> {
  const where = subject === null ? {} : { subject };
  const [total, rows] = await Promise.all([
    prisma.auditEntry.count({ where }),
    prisma.auditEntry.findMany({
      where,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      skip: Number(page.offset),
      take: page.limit,
    }),
  ]);
  const items = rows.map(({ id, action, subject, detail, createdAt }) => {
    const { actor = 'unknown', ...rest } = detail as Record<string, unknown>;
    return { id, action, subject, actor: String(actor), detail: rest, created_at: createdAt.toISOString() };
  });
  return { rows: items, total };
}
