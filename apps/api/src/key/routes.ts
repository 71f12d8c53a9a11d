import {
  createKeyBody,
  keyItem,
  keyLimitsBody,
  newKeyView,
  revokedView,
  rotateKeyBody,
} from '@image-gateway/shared/key/schema';
import { list, nothing } from '@image-gateway/shared/schema';
import type { DashboardDeps } from '../dashboard-deps.js';
import { defineRoute, owners } from '../http/define-route.js';
import { limitChanges } from '../http/session/limit-changes.js';
import { createKeyOfForm } from './create-api-key.js';
import { keyLimits } from './create-limits.js';
import { listApiKeys } from './list-api-keys.js';
import { revokeApiKey } from './revoke-api-key.js';
import { rotateApiKey } from './rotate-api-key.js';

/** Keys on a page; the newest are shown. */
export const MAX_KEYS = 500;

/** Routes of the API keys of an account. A key is shown once; changes apply within five seconds. */
export function keyRoutes({ db, limiter }: Pick<DashboardDeps, 'db' | 'limiter'>) {
  const admit = limitChanges(limiter, 'access');
  return [
    defineRoute({
      ...owners,
      method: 'get',
      path: '/keys',
      summary: 'List the API keys',
      response: list(keyItem),

      run: ({ accountId }) => listApiKeys(db, { accountId, order: 'revoked-last', limit: MAX_KEYS }),
    }),
    defineRoute({
      ...owners,
      method: 'post',
      path: '/keys',
      summary: 'Create an API key',
      response: newKeyView,

      admit,
      body: createKeyBody,
      run: ({ accountId, user, input }) => createKeyOfForm({ db }, { accountId, input, actor: user.email }),
    }),
    defineRoute({
      ...owners,
      method: 'post',
      path: '/keys/:id/limits',
      summary: 'Change the limits of an API key',
      response: nothing,

      admit,
      body: keyLimitsBody,
      run: async ({ accountId, user, input: limits, params: { id = '' } }) => {
        await keyLimits.change(db, { id, accountId, limits, actor: user.email });
      },
    }),
    defineRoute({
      ...owners,
      method: 'post',
      path: '/keys/:id/revoke',
      summary: 'Revoke an API key',
      response: revokedView,

      admit,
      run: async ({ accountId, user, params: { id = '' } }) => {
        const { revokedAt } = await revokeApiKey({ db }, { keyId: id, accountId, actor: user.email });
        return { revoked_at: revokedAt.toISOString() };
      },
    }),
    defineRoute({
      ...owners,
      method: 'post',
      path: '/keys/:id/rotate',
      summary: 'Replace an API key',
      response: newKeyView,

      admit,
      body: rotateKeyBody,
      run: ({ accountId, user, input: { grace_hours: graceHours }, params: { id = '' } }) =>
        rotateApiKey({ db }, { accountId, keyId: id, graceHours, actor: user.email }),
    }),
  ];
}
