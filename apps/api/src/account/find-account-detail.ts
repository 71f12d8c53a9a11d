import type { AccountDetail } from '@image-gateway/shared/account/schema';
import type { Rate } from '@image-gateway/shared/config';
import { ACCOUNT_LIMITS, type AccountLimitName, listLimits } from '@image-gateway/shared/contract';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { notFound } from '@image-gateway/shared/errors';
import { accountLimits } from '../key/create-limits.js';
import { presentAccount } from './show-account.js';

type SettingName = (typeof ACCOUNT_LIMITS)[AccountLimitName]['setting'];

/** Settings that hold where an account has no limit of its own; null and undefined: no limit. */
export type LimitSettings = Readonly<Record<SettingName, Rate | number | null | undefined>>;

/**
 * Returns an account with its users, its limits, and what the settings say in place of these; no secret, no prompt. Throws AppError
 * `NOT_FOUND`.
 */
export async function findAccountDetail(
  db: Pick<PrismaDatabase, 'prisma' | 'run'>,
  { id, settings }: { readonly id: string; readonly settings: LimitSettings },
): Promise<AccountDetail> {
  const account = await db.prisma.account.findUnique({
    where: { id },
    include: {
      users: { include: { user: { select: { id: true, email: true } } } },
    },
  });
  if (!account) {
    throw notFound('account', id);
  }
  const [active, total] = await Promise.all([
    db.prisma.apiKey.count({
      where: { accountId: id, revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] },
    }),
    db.prisma.apiKey.count({ where: { accountId: id } }),
  ]);
  return {
    ...presentAccount(account),
    limits: await accountLimits.find(db, id),
    settings: presentSettings(settings),
    users: account.users.map(({ user }) => user),
    keys: { active, total },
  };
}

/** Presents the settings by the limits that they stand for, written as those are. */
function presentSettings(settings: LimitSettings): AccountDetail['settings'] {
  const texts = listLimits(ACCOUNT_LIMITS).map(([name, { setting }]) => {
    const value = settings[setting as SettingName] ?? null;
    const text = typeof value === 'number' ? String(value) : value && `${value.limit}/${value.windowSeconds}`;
    return [name, text] as const;
  });
  return Object.fromEntries(texts) as AccountDetail['settings'];
}
