import {
  type Account,
  type ApiKey,
  type Database,
  listKeySpend,
  type Statement,
} from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { formatDollars } from '@image-gateway/shared/money';
import { keyLimits, type LimitsRow } from '../key/create-limits.js';
import { presentOwnLimits } from '../key/present-key-limits.js';

type OwnAccount = Readonly<Pick<Account, 'balanceMicros' | 'heldMicros'>> &
  Readonly<Pick<ApiKey, 'name' | 'prefix'>> &
  LimitsRow;

const FIND_OWN_ACCOUNT: Statement = {
  name: 'find-own-account',
  text: `
SELECT a.balance_micros AS "balanceMicros", a.held_micros AS "heldMicros", k.name, k.prefix, ${keyLimits.columns}
  FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.id = $1 AND a.id = $2`,
};

/** Finds the account of a key, and the limits of the key with what is used of its caps. Money is only for the scope `read`. */
export async function findOwnAccount(
  db: Pick<Database, 'run'>,
  { accountId, apiKeyId }: { readonly accountId: string; readonly apiKeyId: string },
) {
  const [[account], spends] = await Promise.all([
    db.run<OwnAccount>(FIND_OWN_ACCOUNT, [apiKeyId, accountId]),
    listKeySpend(db, [apiKeyId]),
  ]);
  if (!account) {
    throw new AppError('UNAUTHORIZED');
  }
  const { balanceMicros, heldMicros, name, prefix } = account;
  const limits = presentOwnLimits(account, spends.get(apiKeyId) ?? null);
  return {
    id: accountId,
    ...(limits.scopes.includes('read') && {
      balance: formatDollars(balanceMicros),
      held: formatDollars(heldMicros),
      available: formatDollars(balanceMicros - heldMicros),
    }),
    key: { id: apiKeyId, name, prefix, ...limits },
  };
}
