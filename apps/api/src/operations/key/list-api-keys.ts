import { KEY_SCOPES, type KeyItem, type KeyScope } from '@image-gateway/shared/contract';
import { type KeySpend, listCaps, type Statement } from '@image-gateway/shared/db';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { formatDollars } from '@image-gateway/shared/money';

/** Keys to list. */
export interface KeyList {
  readonly accountId: string;
  /** `newest`: by time alone; `revoked-last`: working keys before revoked ones, each newest first. */
  readonly order: 'newest' | 'revoked-last';
  /** Maximum number of keys; without it all of them. */
  readonly limit?: number;
}

const LIST_KEY_SPEND: Statement = {
  name: 'list-key-spend',
  text: `
SELECT k.id, k.cap_day_micros AS "capDayMicros", k.cap_month_micros AS "capMonthMicros", k.cap_total_micros AS "capTotalMicros",
       s.day_micros AS "dayMicros", s.month_micros AS "monthMicros", s.total_micros AS "totalMicros",
       k.cap_per_key AS "capPerKey", k.cap_per_micros AS "capPerMicros", NULL AS "perMicros"
  FROM api_keys k CROSS JOIN LATERAL sum_key_spend(k.account_id, k.id, k.cap_total_micros IS NOT NULL) s
 WHERE k.id = ANY ($1::text[]) AND COALESCE(k.cap_day_micros, k.cap_month_micros, k.cap_total_micros, k.cap_per_micros) IS NOT NULL`,
};

/** Lists the API keys of an account; only the prefix of a key is known. */
export async function listApiKeys(
  { prisma, run }: Pick<PrismaDatabase, 'prisma' | 'run'>,
  { accountId, order, limit }: KeyList,
): Promise<KeyItem[]> {
  const revokedLast =
    order === 'revoked-last' ? [{ revokedAt: { sort: 'desc', nulls: 'first' } } as const] : [];
  const keys = await prisma.apiKey.findMany({
    where: { accountId },
    orderBy: [...revokedLast, { createdAt: 'desc' }, { id: 'desc' }],
    ...(limit !== undefined && { take: limit }),
  });
  const spends = await run<KeySpend & { readonly id: string }>(LIST_KEY_SPEND, [keys.map(({ id }) => id)]);
  const caps = new Map(spends.map((spend) => [spend.id, presentCaps(spend)]));
  const findSuccessor = ({ family, createdAt }: (typeof keys)[number]): string | null => {
    const later = keys.filter((one) => family !== null && one.family === family && one.createdAt > createdAt);
    return later.sort((a, b) => Number(a.createdAt) - Number(b.createdAt))[0]?.id ?? null;
  };
  return keys.map((key) => ({
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    replaced_by: findSuccessor(key),
    models: key.models,
    scopes: key.scopes.filter(isKeyScope),
    allowed_cidrs: key.allowedCidrs,
    caps: caps.get(key.id) ?? {},
    join_equal: key.joinEqual,
  }));
}

/** Presents the caps of a key and how much of each is used. */
export function presentCaps(spend: KeySpend): KeyItem['caps'] {
  const caps = listCaps(spend).map(({ window, limitMicros, usedMicros }) => [
    window,
    { limit: formatDollars(limitMicros), used: formatDollars(usedMicros) },
  ]);
  const { capPerKey: key, capPerMicros } = spend;
  return {
    ...Object.fromEntries(caps),
    ...(key !== null && capPerMicros !== null && { day_per: { key, limit: formatDollars(capPerMicros) } }),
  };
}

function isKeyScope(text: string): text is KeyScope {
  return KEY_SCOPES.some((scope) => scope === text);
}
