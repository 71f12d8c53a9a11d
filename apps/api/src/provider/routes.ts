import { AppError } from '@image-gateway/shared/errors';
import { parseDollarsOrZero } from '@image-gateway/shared/money';
import {
  ceilingBody,
  checkBody,
  managedProvidersView,
  pauseBody,
  providerCheckView,
  providerKeyBody,
} from '@image-gateway/shared/provider/schema';
import { boolean, nothing, nullable, object, text } from '@image-gateway/shared/schema';
import { ownPasswordBody } from '@image-gateway/shared/user/schema';
import type { DashboardDeps } from '../dashboard-deps.js';
import { defineRoute, operators, type UserCall } from '../http/define-route.js';
import { readAmount } from '../http/session/form-fields.js';
import { requirePassword } from '../http/session/require-password.js';
import { findProviderCheck } from './add-provider-check.js';
import { keepProviderKeys } from './keep-provider-keys.js';
import { askForCheck, listManagedProviders, requireProvider } from './list-managed-providers.js';
import { removeProviderKeys } from './provider-keys.js';
import { pauseProvider, resumeProvider, setProviderCeiling } from './provider-limits.js';

const SECONDS = 3_600;
/** Checks call a vendor, and keys are tried: one operator needs few. */
const RATE = { limit: 60, windowSeconds: 60 };

/** Routes with which operators set keys of providers, try them, and bound what they cost. No key is ever shown. */
export function managedProviderRoutes(deps: DashboardDeps) {
  const { db, limiter, encryptionKeys, upstreams } = deps;
  const settings = { encryptionKeys, upstreams };
  const admit = async ({ user }: UserCall): Promise<void> => {
    const decision = await limiter.consume([{ policy: 'provider-changes', key: user.userId, ...RATE }]);
    if (!decision.allowed) {
      throw new AppError('RATE_LIMITED', { retryAfterSeconds: Math.ceil(decision.retryAfterMs / 1000) });
    }
  };
  return [
    defineRoute({
      ...operators,
      method: 'get',
      path: '/operator/models/providers',
      summary: 'List the providers',
      response: managedProvidersView,

      run: () => listManagedProviders(deps.operatorReads, settings),
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/models/providers/:name/key',
      summary: 'Set the keys of a provider',
      response: object({ tested: boolean(), reason: nullable(text()) }),

      admit,
      body: providerKeyBody,
      run: async (call) => {
        const { keys: text, password: given } = call.input;
        await requirePassword(deps, call, given);
        const { name = '' } = call.params;
        return keepProviderKeys({ db, ...settings }, { name, text, actor: call.user.email });
      },
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/models/providers/:name/key/remove',
      summary: 'Remove the keys of a provider',
      response: nothing,

      admit,
      body: ownPasswordBody,
      run: async (call) => {
        await requirePassword(deps, call, call.input.password);
        await removeProviderKeys(db, { name: call.params.name ?? '', actor: call.user.email });
      },
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/models/providers/:name/check',
      summary: 'Try a provider',
      response: providerCheckView,

      admit,
      body: checkBody,
      run: ({ user, params: { name = '' }, input: { cost = null } }) =>
        askForCheck(db, { name, cost, actor: user.email }),
    }),
    defineRoute({
      ...operators,
      method: 'get',
      path: '/operator/models/provider-checks/:id',
      summary: 'Read a trial of a provider',
      response: providerCheckView,

      run: ({ params: { id = '' } }) => findProviderCheck(db, id),
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/models/providers/:name/limit',
      summary: 'Set the daily ceiling of a provider',
      response: nothing,

      body: ceilingBody,
      run: async ({ user, params: { name = '' }, input: { cost_day: costDay } }) => {
        await requireProvider(db, name);
        const costDayMicros = costDay === null ? null : readAmount(costDay, parseDollarsOrZero);
        await setProviderCeiling(db, { name, costDayMicros, actor: user.email });
      },
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/models/providers/:name/pause',
      summary: 'Pause a provider',
      response: nothing,

      body: pauseBody,
      run: async ({ user, params: { name = '' }, input: { hours } }) => {
        await requireProvider(db, name);
        const forSeconds = hours === null ? null : hours * SECONDS;
        await pauseProvider(db, { name, forSeconds, actor: user.email });
      },
    }),
    defineRoute({
      ...operators,
      method: 'post',
      path: '/operator/models/providers/:name/resume',
      summary: 'Resume a provider',
      response: nothing,

      run: ({ user, params: { name = '' } }) => resumeProvider(db, { name, actor: user.email }),
    }),
  ];
}
