import {
  accountDetail,
  accountItem,
  accountLimitsBody,
  accountsQuery,
  adjustBody,
  bookedView,
  createAccountBody,
  creditRequestItem,
  creditRequestsQuery,
  moneyBody,
  movementItem,
  movementsQuery,
  ownAccount,
} from '@image-gateway/shared/account/schema';
import { adjustAccount, creditAccount } from '@image-gateway/shared/billing';
import { KEY_SCOPES, ok } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import {
  createKeyBody,
  keyItem,
  keyLimitsBody,
  newKeyView,
  revokedView,
  rotateKeyBody,
} from '@image-gateway/shared/key/schema';
import {
  formatDollars,
  parseDollars,
  parseDollarsOrZero,
  parseSignedDollars,
} from '@image-gateway/shared/money';
import {
  boolean,
  list,
  nothing,
  nullable,
  object,
  part,
  reasonBody,
  text,
} from '@image-gateway/shared/schema';
import { credentialsBody, userEmailBody } from '@image-gateway/shared/user/schema';
import type { DashboardDeps } from '../dashboard-deps.js';
import { type ApiRoute, defineApiRoute, defineRoute, operators } from '../http/define-route.js';
import { csvReply } from '../http/file-reply.js';
import { examples } from '../http/openapi/examples.js';
import { readAmount } from '../http/session/form-fields.js';
import { createKeyOfForm } from '../key/create-api-key.js';
import { accountLimits, keyLimits } from '../key/create-limits.js';
import { listApiKeys } from '../key/list-api-keys.js';
import { revokeApiKey } from '../key/revoke-api-key.js';
import { rotateApiKey } from '../key/rotate-api-key.js';
import { MAX_KEYS } from '../key/routes.js';
import { changeEmail } from '../user/change-email.js';
import { newPassword, resetOwnerPassword, setAccountPassword } from '../user/passwords.js';
import { createAccount } from './create-account.js';
import { listCreditRequests } from './credit-requests.js';
import { findAccountDetail } from './find-account-detail.js';
import { findOwnAccount } from './find-own-account.js';
import {
  exportMovements,
  listMovements,
  MOVEMENT_COLUMNS,
  presentMovement,
  toMovementFilter,
} from './list-movements.js';
import { searchAccounts } from './search-accounts.js';
import { setAccountStatus } from './set-account-status.js';
import { showAccount } from './show-account.js';

/** Requests for credit on a page; the newest are shown. */
const MAX_REQUESTS = 50;
/** Routes with which operators look after accounts; no secret, no prompt is shown. */
export function accountRoutes({
  db,
  operatorReads,
  limitSettings: settings,
  mail,
}: Pick<DashboardDeps, 'db' | 'operatorReads' | 'limitSettings' | 'mail'>) {
  const money = { db, newId };
  const findBalance = async (id: string, amount: string) => {
    const { balance } = await showAccount(db, id);
    return { amount, balance };
  };
  return [
    defineRoute({
      ...operators,
      method: 'get',
      path: '/operator/accounts',
      summary: 'Search accounts',
      response: part(accountItem),

      query: accountsQuery,
      run: ({ input: { q: text, before: after, per_page } }) =>
        searchAccounts(operatorReads, { text, after, limit: per_page }),
    }),
    // The password of the new log-in is shown to the operator this once.
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/accounts',
      summary: 'Create an account',
      response: object({ id: text(), email: text(), password: nullable(text()) }),

      body: createAccountBody,
      run: async ({ user, input: { email, balance, reason = null, log_in: hasLogIn } }) => {
        const openingMicros = balance.trim() === '' ? 0n : readAmount(balance, parseDollarsOrZero);
        if (openingMicros > 0n && reason === null) {
          throw new AppError('VALIDATION_ERROR', {
            publicMessage: 'Say why the account begins with a balance.',
          });
        }
        const password = hasLogIn ? newPassword() : undefined;
        const wanted = { email, password, openingMicros, reason, actor: user.email };
        const made = await createAccount({ db }, wanted);
        return { id: made.id, email: made.email, password: password ?? null };
      },
    }),
    defineRoute({
      ...operators,
      method: 'get',
      path: '/operator/credit-requests',
      summary: 'List requests for credit',
      response: list(creditRequestItem),

      query: creditRequestsQuery,
      run: ({ input: { account_id: accountId = null } }) =>
        listCreditRequests(operatorReads, { accountId, limit: MAX_REQUESTS }),
    }),
    defineRoute({
      ...operators,
      method: 'get',
      path: '/operator/accounts/:id',
      summary: 'Read an account',
      response: accountDetail,

      run: ({ params: { id = '' } }) => findAccountDetail(operatorReads, { id, settings }),
    }),
    defineRoute({
      ...operators,
      method: 'get',
      path: '/operator/accounts/:id/movements',
      summary: 'List the movements of money of an account',
      response: part(movementItem),

      query: movementsQuery,
      run: async ({ input: { before: after, per_page: limit, ...input }, params: { id = '' } }) => {
        const { id: accountId } = await showAccount(operatorReads, id);
        const { items, next } = await listMovements(operatorReads, {
          ...toMovementFilter(accountId, input),
          after,
          limit,
        });
        return { items: items.map(presentMovement), next };
      },
    }),
    defineRoute({
      ...operators,
      method: 'get',
      path: '/operator/accounts/:id/movements.csv',
      summary: 'Fetch the movements of money of an account as a file',
      query: movementsQuery,
      send: async ({ input, params: { id = '' } }) => {
        const { id: accountId } = await showAccount(operatorReads, id);
        const filter = toMovementFilter(accountId, input);
        const lines = exportMovements(operatorReads, filter, MOVEMENT_COLUMNS, presentMovement);
        return csvReply(`movements-${accountId}.csv`, lines);
      },
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/accounts/:id/credit',
      summary: 'Credit an account',
      response: object({ ...bookedView.fields, credited: boolean() }),

      body: moneyBody('5.00'),
      run: async ({ user, input: { amount, reason, reference = null }, params: { id = '' } }) => {
        const amountMicros = readAmount(amount, parseDollars);
        const payment = { accountId: id, amountMicros, reason, reference, actor: user.email };
        const booked = await creditAccount(money, payment);
        return { ...booked, ...(await findBalance(id, formatDollars(amountMicros))) };
      },
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/accounts/:id/adjust',
      summary: 'Adjust the balance of an account',
      response: object({ ...bookedView.fields, adjusted: boolean() }),

      body: adjustBody,
      run: async ({
        user,
        input: { amount, reason, reference = null, shown: isShown },
        params: { id = '' },
      }) => {
        const deltaMicros = readAmount(amount, parseSignedDollars);
        const change = { accountId: id, deltaMicros, reason, reference, isShown, actor: user.email };
        const booked = await adjustAccount(money, change);
        return { ...booked, ...(await findBalance(id, formatDollars(deltaMicros))) };
      },
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/accounts/:id/suspend',
      summary: 'Suspend an account',
      response: nothing,

      body: reasonBody,
      run: async ({ user, input: { reason }, params: { id = '' } }) => {
        await setAccountStatus({ db }, { accountId: id, status: 'suspended', reason, actor: user.email });
      },
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/accounts/:id/resume',
      summary: 'Resume an account',
      response: nothing,

      run: async ({ user, params: { id = '' } }) => {
        await setAccountStatus({ db }, { accountId: id, status: 'active', actor: user.email });
      },
    }),
    defineRoute({
      ...operators,
      method: 'get',
      path: '/operator/accounts/:id/keys',
      summary: 'List the API keys of an account',
      response: list(keyItem),

      run: async ({ params: { id = '' } }) => {
        const { id: accountId } = await showAccount(operatorReads, id);
        return listApiKeys(operatorReads, { accountId, order: 'revoked-last', limit: MAX_KEYS });
      },
    }),
    // The new key is shown to the operator this once.
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/accounts/:id/keys',
      summary: 'Create an API key of an account',
      response: newKeyView,

      body: createKeyBody,
      run: ({ user, input, params: { id: accountId = '' } }) =>
        createKeyOfForm({ db }, { accountId, input, actor: user.email }),
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/accounts/:id/keys/:key/limits',
      summary: 'Change the limits of an API key of an account',
      response: nothing,

      body: keyLimitsBody,
      run: async ({ user, input: limits, params: { id: accountId = '', key: id = '' } }) => {
        await keyLimits.change(db, { id, accountId, limits, actor: user.email });
      },
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/accounts/:id/keys/:key/revoke',
      summary: 'Revoke an API key of an account',
      response: revokedView,

      run: async ({ user, params: { id = '', key = '' } }) => {
        const revoked = await revokeApiKey({ db }, { keyId: key, accountId: id, actor: user.email });
        return { revoked_at: revoked.revokedAt.toISOString() };
      },
    }),
    // The new key is shown to the operator this once.
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/accounts/:id/keys/:key/rotate',
      summary: 'Replace an API key of an account',
      response: newKeyView,

      body: rotateKeyBody,
      run: ({ user, input: { grace_hours: graceHours }, params: { id = '', key = '' } }) =>
        rotateApiKey({ db }, { accountId: id, keyId: key, graceHours, actor: user.email }),
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/accounts/:id/limits',
      summary: 'Change the limits of an account',
      response: nothing,

      body: accountLimitsBody,
      run: async ({ user, input: limits, params: { id = '' } }) => {
        await accountLimits.change(db, { id, limits, actor: user.email });
      },
    }),
    // The new password of an owner who forgot theirs is shown to the operator this once.
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/accounts/:id/users/:user/reset-password',
      summary: 'Give an owner a new password',
      response: object({ password: text() }),

      run: ({ user, params: { id = '', user: userId = '' } }) =>
        resetOwnerPassword({ db }, { accountId: id, userId, actor: user.email }),
    }),
    // Operators know whose the address is: it needs no link.
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/accounts/:id/users/:user/email',
      summary: 'Give an owner another address',
      response: object({ email: text() }),

      body: userEmailBody,
      run: ({ user: { email: actor }, input: { email }, params: { id: accountId = '', user = '' } }) =>
        changeEmail(db, { accountId, user, email, sendsMail: mail !== null, actor }),
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/accounts/:id/set-password',
      summary: 'Set the log-in of an account',
      response: object({ email: text() }),

      body: credentialsBody,
      run: async ({ user, input, params: { id = '' } }) => {
        const { email } = await setAccountPassword({ db }, { ...input, accountId: id, actor: user.email });
        return { email };
      },
    }),
  ];
}

/** Route of `/v1` about the account of a key: its money with the scope `read`, and the limits of the key. */
export const accountApiRoute = ({
  accept: { db },
  fileUrl,
}: {
  readonly accept: { readonly db: Pick<Database, 'run'> };
  readonly fileUrl: string;
}): ApiRoute =>
  defineApiRoute({
    door: 'v1',
    method: 'get',
    path: '/v1/account',
    access: 'key',
    roles: KEY_SCOPES,
    id: 'getAccount',
    summary: 'Read the balance of the account and the limits of the key',
    response: ownAccount,
    answer: {
      description: 'The account and the key of the request.',
      examples: { account: examples(fileUrl).account },
    },
    run: async ({ caller: { accountId, apiKeyId } }) => ({
      status: 200,
      headers: { 'Cache-Control': 'no-store' },
      json: ok(await findOwnAccount(db, { accountId, apiKeyId })),
    }),
  });
