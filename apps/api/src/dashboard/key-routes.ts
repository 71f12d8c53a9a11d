import { KEY_GRACE_HOURS, KEY_SCOPES, type KeyLimitsBody } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import { parseDollars } from '@image-gateway/shared/money';
import { boundedText, parseInstant } from '@image-gateway/shared/validation';
import Joi from 'joi';
import { createApiKey } from '../operations/key/create-api-key.js';
import { type KeyLimits, parseValueCap } from '../operations/key/key-limits.js';
import { listApiKeys } from '../operations/key/list-api-keys.js';
import { revokeApiKey } from '../operations/key/revoke-api-key.js';
import { rotateApiKey } from '../operations/key/rotate-api-key.js';
import { updateApiKey } from '../operations/key/update-api-key.js';
import type { DashboardDeps } from './deps.js';
import { limitChanges } from './limit-changes.js';
import { type DashboardRoute, owner } from './route.js';

/** Keys on a page; the newest are shown. */
export const MAX_KEYS = 500;
const MAX_ENTRIES = 100;
const list = (message: string) =>
  Joi.array().items(Joi.string().max(100)).max(MAX_ENTRIES).messages({ '*': message });
const cap = () =>
  Joi.string().max(20).allow(null).messages({ '*': 'A cap is an amount of dollars such as 5.00, or empty.' });

const keyLimitsBody: Joi.ObjectSchema<KeyLimitsBody> = Joi.object({
  models: list(`The models of a key are at most ${MAX_ENTRIES} ids.`),
  scopes: Joi.array()
    .items(Joi.string().valid(...KEY_SCOPES))
    .messages({ '*': `The scopes of a key are some of ${KEY_SCOPES.join(', ')}.` }),
  allowed_cidrs: list(`The networks of a key are at most ${MAX_ENTRIES} addresses or networks.`),
  cap_day: cap(),
  cap_month: cap(),
  cap_total: cap(),
  cap_day_per: Joi.string()
    .max(100)
    .allow(null)
    .messages({ '*': 'A daily cap by value is such as user=0.50, or empty.' }),
  join_equal: Joi.boolean().strict().messages({ '*': 'Sharing of equal requests is on or off.' }),
});

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
  limits: keyLimitsBody.default({}),
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
      run: async ({ accountId, user, input: { name, expires_at: expiresAt, limits: given } }) => {
        const limits = toKeyLimits(given);
        const wanted = { accountId, name: name.trim(), expiresAt, limits, actor: user.email };
        const { id, prefix, key } = await createApiKey({ db }, wanted);
        return { id, prefix, key };
      },
    }),
    owner('post /keys/:id/limits', {
      admit,
      body: keyLimitsBody.required(),
      run: async ({ accountId, user, input, params: { id = '' } }) => {
        const limits = toKeyLimits(input);
        await updateApiKey({ db }, { keyId: id, accountId, limits, actor: user.email });
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

/** Turns the body of a form into limits; throws AppError `VALIDATION_ERROR` for a cap that is no amount. */
function toKeyLimits(body: KeyLimitsBody): KeyLimits {
  return {
    models: body.models,
    scopes: body.scopes,
    allowedCidrs: body.allowed_cidrs,
    capDayMicros: readCap('day', body.cap_day),
    capMonthMicros: readCap('month', body.cap_month),
    capTotalMicros: readCap('total', body.cap_total),
    capDayPer: body.cap_day_per == null ? body.cap_day_per : parseValueCap(body.cap_day_per),
    joinEqual: body.join_equal,
  };
}

function readCap(window: string, text: string | null | undefined): bigint | null | undefined {
  if (text === undefined || text === null) {
    return text;
  }
  try {
    return parseDollars(text.trim());
  } catch (cause) {
    const reason = cause instanceof RangeError ? cause.message : 'this is not an amount';
    throw new AppError('VALIDATION_ERROR', { publicMessage: `Cap (${window}): ${reason}.`, cause });
  }
}
