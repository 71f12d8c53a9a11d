import { adjustAccount, creditAccount } from '@image-gateway/shared/billing';
import { newId } from '@image-gateway/shared/ids';
import { formatDollars, parseDollars, parseSignedDollars } from '@image-gateway/shared/money';
import Joi from 'joi';
import type { DashboardDeps } from '../dashboard-deps.js';
import type { ListCursor } from '../http/list-cursor.js';
import {
  credentialsBody,
  cursorField,
  pageFields,
  readAmount,
  reasonField,
  referenceField,
} from '../http/session/form-fields.js';
import { type DashboardRoute, operator } from '../http/session/route.js';
import { accountLimits } from '../key/create-limits.js';
import { listApiKeys } from '../key/list-api-keys.js';
import { revokeApiKey } from '../key/revoke-api-key.js';
import { rotateApiKey } from '../key/rotate-api-key.js';
import { MAX_KEYS, rotateBody } from '../key/routes.js';
import { resetOwnerPassword, setAccountPassword } from '../user/passwords.js';
import { listCreditRequests } from './credit-requests.js';
import { findAccountDetail } from './find-account-detail.js';
import { searchAccounts } from './search-accounts.js';
import { setAccountStatus } from './set-account-status.js';
import { showAccount } from './show-account.js';

interface Query {
  readonly per_page: number;
  readonly before?: ListCursor;
  readonly q: string;
}

const accountsQuery: Joi.ObjectSchema<Query> = Joi.object({
  per_page: pageFields.per_page,
  before: cursorField,
  q: Joi.string().allow('').trim().max(254).default('').messages({ '*': 'q must be a short text.' }),
});

interface MoneyInput {
  readonly amount: string;
  readonly reason: string;
  readonly reference?: string;
}

const moneyBody = (example: string): Joi.ObjectSchema<MoneyInput> =>
  Joi.object({
    amount: Joi.string()
      .max(40)
      .required()
      .messages({ '*': `Enter an amount in dollars such as ${example}.` }),
    reason: reasonField,
    reference: referenceField,
  }).required();

/** Requests for credit on a page; the newest are shown. */
const MAX_REQUESTS = 50;
const creditQuery: Joi.ObjectSchema<{ account_id?: string }> = Joi.object({
  account_id: Joi.string()
    .pattern(/^acc_[0-9A-Za-z]{1,64}$/)
    .messages({ '*': 'account_id must be the id of an account (acc_…).' }),
});
const suspendBody: Joi.ObjectSchema<{ reason: string }> = Joi.object({ reason: reasonField }).required();

/** Routes with which operators look after accounts; no secret, no prompt is shown. */
export function accountRoutes({
  db,
  operatorReads,
}: Pick<DashboardDeps, 'db' | 'operatorReads'>): readonly DashboardRoute[] {
  const money = { db, newId };
  const findBalance = async (id: string, amount: string) => {
    const { balance } = await showAccount(db, id);
    return { amount, balance };
  };
  return [
    operator('get /operator/accounts', {
      query: accountsQuery,
      run: ({ input: { q: text, before: after, per_page } }) =>
        searchAccounts(operatorReads, { text, after, limit: per_page }),
    }),
    operator('get /operator/credit-requests', {
      query: creditQuery,
      run: ({ input: { account_id: accountId = null } }) =>
        listCreditRequests(operatorReads, { accountId, limit: MAX_REQUESTS }),
    }),
    operator('get /operator/accounts/:id', {
      run: ({ params: { id = '' } }) => findAccountDetail(operatorReads, id),
    }),
    operator('post /operator/accounts/:id/credit', {
      body: moneyBody('5.00'),
      run: async ({ user, input: { amount, reason, reference = null }, params: { id = '' } }) => {
        const amountMicros = readAmount(amount, parseDollars);
        const payment = { accountId: id, amountMicros, reason, reference, actor: user.email };
        const booked = await creditAccount(money, payment);
        return { ...booked, ...(await findBalance(id, formatDollars(amountMicros))) };
      },
    }),
    operator('post /operator/accounts/:id/adjust', {
      body: moneyBody('-1.00'),
      run: async ({ user, input: { amount, reason, reference = null }, params: { id = '' } }) => {
        const deltaMicros = readAmount(amount, parseSignedDollars);
        const change = { accountId: id, deltaMicros, reason, reference, actor: user.email };
        const booked = await adjustAccount(money, change);
        return { ...booked, ...(await findBalance(id, formatDollars(deltaMicros))) };
      },
    }),
    operator('post /operator/accounts/:id/suspend', {
      body: suspendBody,
      run: async ({ user, input: { reason }, params: { id = '' } }) => {
        await setAccountStatus({ db }, { accountId: id, status: 'suspended', reason, actor: user.email });
      },
    }),
    operator('post /operator/accounts/:id/resume', {
      run: async ({ user, params: { id = '' } }) => {
        await setAccountStatus({ db }, { accountId: id, status: 'active', actor: user.email });
      },
    }),
    operator('get /operator/accounts/:id/keys', {
      run: async ({ params: { id = '' } }) => {
        const { id: accountId } = await showAccount(operatorReads, id);
        return listApiKeys(operatorReads, { accountId, order: 'revoked-last', limit: MAX_KEYS });
      },
    }),
    operator('post /operator/accounts/:id/keys/:key/revoke', {
      run: async ({ user, params: { id = '', key = '' } }) => {
        const revoked = await revokeApiKey({ db }, { keyId: key, accountId: id, actor: user.email });
        return { revoked_at: revoked.revokedAt.toISOString() };
      },
    }),
    // The new key is shown to the operator this once.
    operator('post /operator/accounts/:id/keys/:key/rotate', {
      body: rotateBody,
      run: ({ user, input: { grace_hours: graceHours }, params: { id = '', key = '' } }) =>
        rotateApiKey({ db }, { accountId: id, keyId: key, graceHours, actor: user.email }),
    }),
    operator('post /operator/accounts/:id/limits', {
      body: accountLimits.body.required(),
      run: async ({ user, input: limits, params: { id = '' } }) => {
        await accountLimits.change(db, { id, limits, actor: user.email });
      },
    }),
    // The new password of an owner who forgot theirs is shown to the operator this once.
    operator('post /operator/accounts/:id/users/:user/reset-password', {
      run: ({ user, params: { id = '', user: userId = '' } }) =>
        resetOwnerPassword({ db }, { accountId: id, userId, actor: user.email }),
    }),
    operator('post /operator/accounts/:id/set-password', {
      body: credentialsBody,
      run: async ({ user, input, params: { id = '' } }) => {
        const { email } = await setAccountPassword({ db }, { ...input, accountId: id, actor: user.email });
        return { email };
      },
    }),
  ];
}
