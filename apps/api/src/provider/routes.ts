import { AppError } from '@image-gateway/shared/errors';
import { parseDollarsOrZero } from '@image-gateway/shared/money';
import Joi from 'joi';
import type { DashboardDeps } from '../dashboard-deps.js';
import { readAmount } from '../http/session/form-fields.js';
import { type DashboardRoute, operator, type UserCall } from '../http/session/route.js';
import { findProviderCheck } from './add-provider-check.js';
import { keepProviderKeys } from './keep-provider-keys.js';
import { askForCheck, listManagedProviders, requireProvider } from './list-managed-providers.js';
import { removeProviderKeys } from './provider-keys.js';
import { pauseProvider, resumeProvider, setProviderCeiling } from './provider-limits.js';

const MAX_KEYS = 20_000;
const MAX_HOURS = 24 * 365;
const SECONDS = 3_600;
/** Checks call a vendor, and keys are tried: one operator needs few. */
const RATE = { limit: 60, windowSeconds: 60 };

const password = Joi.string().max(1000).required().messages({ '*': 'Enter your password.' });

const keyBody: Joi.ObjectSchema<{ keys: string; password: string }> = Joi.object({
  keys: Joi.string().max(MAX_KEYS).required().messages({ '*': 'Enter a key.' }),
  password,
}).required();
const removeBody: Joi.ObjectSchema<{ password: string }> = Joi.object({ password }).required();
const checkBody: Joi.ObjectSchema<{ cost?: string | null }> = Joi.object({
  cost: Joi.string().max(20).allow(null).messages({ '*': 'cost must be what the page says of the image.' }),
}).required();
const limitBody: Joi.ObjectSchema<{ cost_day: string | null }> = Joi.object({
  cost_day: Joi.string()
    .max(20)
    .allow(null)
    .required()
    .messages({ '*': 'cost_day must be an amount of dollars such as 50.00, or null.' }),
}).required();
const pauseBody: Joi.ObjectSchema<{ hours: number | null }> = Joi.object({
  hours: Joi.number()
    .positive()
    .max(MAX_HOURS)
    .allow(null)
    .required()
    .messages({ '*': `hours must be a number up to ${MAX_HOURS}, or null.` }),
}).required();

/** Routes with which operators set keys of providers, try them, and bound what they cost. No key is ever shown. */
export function managedProviderRoutes(deps: DashboardDeps): readonly DashboardRoute[] {
  const { db, auth, limits, limiter, encryptionKeys, upstreams } = deps;
  const settings = { encryptionKeys, upstreams };

  /** Asks for the password again: a browser that was left open changes no key. */
  const requirePassword = async ({ user, ip }: UserCall, given: string): Promise<void> => {
    const attempt = { ip, email: user.email, device: { userId: user.userId, id: user.sessionId } };
    await limits.admit(attempt);
    if (!(await auth.isPassword(user.email, given))) {
      await limits.countFailure(attempt);
      throw new AppError('VALIDATION_ERROR', { publicMessage: 'The password is wrong.' });
    }
  };
  const admit = async ({ user }: UserCall): Promise<void> => {
    const decision = await limiter.consume([{ policy: 'provider-changes', key: user.userId, ...RATE }]);
    if (!decision.allowed) {
      throw new AppError('RATE_LIMITED', { retryAfterSeconds: Math.ceil(decision.retryAfterMs / 1000) });
    }
  };
  return [
    operator('get /operator/models/providers', {
      run: () => listManagedProviders(deps.operatorReads, settings),
    }),
    operator('post /operator/models/providers/:name/key', {
      admit,
      body: keyBody,
      run: async (call) => {
        const { keys: text, password: given } = call.input;
        await requirePassword(call, given);
        const { name = '' } = call.params;
        return keepProviderKeys({ db, ...settings }, { name, text, actor: call.user.email });
      },
    }),
    operator('post /operator/models/providers/:name/key/remove', {
      admit,
      body: removeBody,
      run: async (call) => {
        await requirePassword(call, call.input.password);
        await removeProviderKeys(db, { name: call.params.name ?? '', actor: call.user.email });
      },
    }),
    operator('post /operator/models/providers/:name/check', {
      admit,
      body: checkBody,
      run: ({ user, params: { name = '' }, input: { cost = null } }) =>
        askForCheck(db, { name, cost, actor: user.email }),
    }),
    operator('get /operator/models/provider-checks/:id', {
      run: ({ params: { id = '' } }) => findProviderCheck(db, id),
    }),
    operator('post /operator/models/providers/:name/limit', {
      body: limitBody,
      run: async ({ user, params: { name = '' }, input: { cost_day: costDay } }) => {
        await requireProvider(db, name);
        const costDayMicros = costDay === null ? null : readAmount(costDay, parseDollarsOrZero);
        await setProviderCeiling(db, { name, costDayMicros, actor: user.email });
      },
    }),
    operator('post /operator/models/providers/:name/pause', {
      body: pauseBody,
      run: async ({ user, params: { name = '' }, input: { hours } }) => {
        await requireProvider(db, name);
        const forSeconds = hours === null ? null : hours * SECONDS;
        await pauseProvider(db, { name, forSeconds, actor: user.email });
      },
    }),
    operator('post /operator/models/providers/:name/resume', {
      run: ({ user, params: { name = '' } }) => resumeProvider(db, { name, actor: user.email }),
    }),
  ];
}
