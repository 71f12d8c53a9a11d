import { USAGE_GROUPS, type UsageGroup } from '@image-gateway/shared/contract';
import {
  type AccountReads,
  MAX_USAGE_GROUPS,
  sumUsage,
  type UsageSumInput,
  type UsageSumRow,
} from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';

/** Longest span of a sum by hours, in days. Hours are read from single records, days from a roll-up. */
const MAX_HOURS_DAYS = 7;
const DAY_MS = 86_400_000;

/** Fields that usage is grouped by. */
export type UsageGrouping = Pick<UsageSumInput, 'groups' | 'metadataKey'>;

const BY_METADATA = 'metadata:';

/** Reads comma-separated names of groups that a schema has checked. */
export function parseGroups(text: string): UsageGrouping {
  const names = text.split(',');
  const groups: UsageGroup[] = USAGE_GROUPS.filter((group) => names.includes(group));
  const ofMetadata = names.find((name) => name.startsWith(BY_METADATA));
  return { groups, ...(ofMetadata !== undefined && { metadataKey: ofMetadata.slice(BY_METADATA.length) }) };
}

/** Sums up usage by groups. Throws AppError `BAD_REQUEST` for hours of more than seven days, and for too many groups. */
export async function groupUsage(
  db: AccountReads,
  accountId: string,
  input: UsageSumInput,
): Promise<readonly UsageSumRow[]> {
  const { from, to, groups } = input;
  const spanMs = from ? (to?.getTime() ?? Date.now()) - from.getTime() : Number.POSITIVE_INFINITY;
  if (groups.includes('hour') && spanMs > MAX_HOURS_DAYS * DAY_MS) {
    throw new AppError('BAD_REQUEST', {
      publicMessage: `Usage by hour is for at most ${MAX_HOURS_DAYS} days: choose from and to.`,
    });
  }
  const sums = await sumUsage(db, accountId, input);
  if (sums.length > MAX_USAGE_GROUPS) {
    throw new AppError('BAD_REQUEST', {
      publicMessage: `These are more than ${MAX_USAGE_GROUPS} groups. Ask for less with from and to, or with fewer fields in group_by.`,
    });
  }
  return sums;
}
