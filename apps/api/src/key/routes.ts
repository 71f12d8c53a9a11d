import { KEY_GRACE_HOURS, type KeyLimitsBody } from '@image-gateway/shared/contract';
import { boundedText, parseInstant } from '@image-gateway/shared/validation';
import Joi from 'joi';
import type { DashboardDeps } from '../dashboard-deps.js';
import { limitChanges } from '../http/session/limit-changes.js';
import { type DashboardRoute, owner } from '../http/session/route.js';
import { createApiKey } from './create-api-key.js';
import { keyLimits } from './create-limits.js';
import { listApiKeys } from './list-api-keys.js';
import { revokeApiKey } from './revoke-api-key.js';
import { rotateApiKey } from './rotate-api-key.js';

/** Keys on a page; the newest are shown. */
export const MAX_KEYS = 500;

interface CreateBody {
  readonly name: string;
  readonly expires_at: Date | null;
  readonly limits: KeyLimitsBody;
}

const createBody: Joi.ObjectSchema<CreateBody> = Joi.object({
  name: boundedText(200)
    .default('')
    .messages({ '*': 'A name has at most 200 characters, without NUL characters and unpaired surrogates.' }),
  expires_at: Joi.string()
    .custom((text: string, helpers) => parseInstant(text) ?? helpers.error('any.invalid'))
    .allow(null)
    .default(null)
    .messages({
      '*': 'The end of a key is a date, or a date and time such as 2030-01-31T00:00:00Z, of the years 0001 to 9999.',
    }),
  limits: keyLimits.body.default({}),
}).required();

/** Body that replaces a key. */
export const rotateBody: Joi.ObjectSchema<{ grace_hours: number }> = Joi.object({
  grace_hours: Joi.number()
    .valid(...KEY_GRACE_HOURS)
    .required()
    .messages({ '*': `The grace time is one of ${KEY_GRACE_HOURS.join(', ')} hours.` }),
}).required();

/** Routes of the API keys of an account. A key is shown once; changes apply within five seconds. */
export function keyRoutes({ db, limiter }: Pick<DashboardDeps, 'db' | 'limiter'>): readonly DashboardRoute[] {
  const admit = limitChanges(limiter, 'access');
  return [
    owner('get /keys', {
      run: ({ accountId }) => listApiKeys(db, { accountId, order: 'revoked-last', limit: MAX_KEYS }),
    }),
    owner('post /keys', {
      admit,
      body: createBody,
      run: async ({ accountId, user, input: { name, expires_at: expiresAt, limits } }) => {
        const wanted = { accountId, name: name.trim(), expiresAt, limits, actor: user.email };
        const { id, prefix, key } = await createApiKey({ db }, wanted);
        return { id, prefix, key };
      },
    }),
    owner('post /keys/:id/limits', {
      admit,
      body: keyLimits.body.required(),
      run: async ({ accountId, user, input: limits, params: { id = '' } }) => {
        await keyLimits.change(db, { id, accountId, limits, actor: user.email });
      },
    }),
    owner('post /keys/:id/revoke', {
      admit,
      run: async ({ accountId, user, params: { id = '' } }) => {
        const { revokedAt } = await revokeApiKey({ db }, { keyId: id, accountId, actor: user.email });
        return { revoked_at: revokedAt.toISOString() };
      },
    }),
    owner('post /keys/:id/rotate', {
      admit,
      body: rotateBody,
      run: ({ accountId, user, input: { grace_hours: graceHours }, params: { id = '' } }) =>
        rotateApiKey({ db }, { accountId, keyId: id, graceHours, actor: user.email }),
    }),
  ];
}
