import { createSemaphore } from '@image-gateway/shared/concurrency';
import type { Rate } from '@image-gateway/shared/config';
import { isConnectionError } from '@image-gateway/shared/db';
import { AppError, toAppError } from '@image-gateway/shared/errors';
import type { LimitCheck, RateDecision, RateLimiter } from '@image-gateway/shared/limits';
import type { Request, RequestHandler, Response } from 'express';
import { getAddressLimits, toAddressKey } from './address-limits.js';
import { noteKnown } from './connections/connection.js';
import type { Caller } from './framework/call.js';
import { headerValues } from './framework/create-call.js';
import { getState } from './framework/request-state.js';
import type { Authenticator } from './keys/authenticate.js';
import { type CallerRates, getAccountLimits, rateLimitError, writeRateHeaders } from './rate-limits.js';

/** Dependencies of the guard; null switches a limit off. */
export interface AdmissionDeps extends Authenticator, CallerRates {
  readonly limiter: RateLimiter;
  readonly ipRate: Rate | null;
  /** Failed authentications of one address. */
  readonly authRate: Rate | null;
  /** Paths that need no key. */
  readonly openPaths: ReadonlySet<string>;
}

type Outcome = { readonly caller?: Caller; readonly error?: AppError };

/** Concurrent lookups of keys that are not cached; addresses take turns. */
const MAX_CONCURRENT_LOOKUPS = 2;
const LOOKUP_TIMEOUT_MS = 4_000;

/**
 * Guards everything under `/v1`. It checks the key first, whatever the path. Then it checks the limits of the key, its account
 * and the address in one round trip. A refused request counts too: against the limit of its address, and without a valid key
 * against that of failed authentications. A key that is not cached reaches the database only while its address has some of both
 * left.
 */
export function admission(deps: AdmissionDeps): RequestHandler {
  const lookups = createSemaphore({
    permits: MAX_CONCURRENT_LOOKUPS,
    timeout: {
      ms: LOOKUP_TIMEOUT_MS,
      createError: () =>
        new AppError('SERVICE_UNAVAILABLE', { message: 'too many unknown keys wait', retryAfterSeconds: 1 }),
    },
  });
  const consume = async (response: Response, checks: readonly LimitCheck[]): Promise<void> => {
    const decision: RateDecision = await deps.limiter.consume(checks);
    writeRateHeaders(response, decision);
    if (!decision.allowed) {
      throw rateLimitError(decision);
    }
  };
  const admit = async (request: Request, response: Response): Promise<void> => {
    const { caller, error } = await resolveCaller(deps, request);
    await consume(response, getChecks(deps, request, { ...(caller && { caller }), ...(error && { error }) }));
    if (error) {
      throw error;
    }
    if (caller) {
      getState(request).caller = caller;
      noteKnown(request);
    }
  };
  const admitUnknown = async (request: Request, response: Response): Promise<void> => {
    const { address } = getState(request);
    const left = [
      ...addressChecks('ip', address, deps.ipRate),
      ...addressChecks('auth', address, deps.authRate),
    ];
    await consume(
      response,
      left.map((check) => ({ ...check, cost: 0 })),
    );
    await admit(request, response);
  };
  const admitInTurn = async (request: Request, response: Response): Promise<void> => {
    if (!needsLookup(deps, request)) {
      return admit(request, response);
    }
    const isAdmitted = await lookups.run(
      async () => {
        // Another request with the same key may have filled the cache meanwhile.
        if (!needsLookup(deps, request)) {
          return false;
        }
        await admitUnknown(request, response).catch((error: unknown) => {
          if (isConnectionError(error)) {
            lookups.refuseWaiting(error);
          }
          throw error;
        });
        return true;
      },
      { key: toAddressKey(getState(request).address) },
    );
    if (!isAdmitted) {
      await admit(request, response);
    }
  };
  return (request, response, next) => {
    admitInTurn(request, response).then(() => next(), next);
  };
}

function needsLookup(deps: AdmissionDeps, request: Request): boolean {
  const [authorization] = headerValues(request, 'authorization');
  const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  return token !== undefined && deps.isUnknown(token);
}

async function resolveCaller({ authenticate, openPaths }: AdmissionDeps, request: Request): Promise<Outcome> {
  if (!isDecodable(request.path)) {
    return { error: new AppError('BAD_REQUEST', { publicMessage: 'The URL is malformed.' }) };
  }
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead && openPaths.has(request.baseUrl + request.path)) {
    return {};
  }
  try {
    const token = parseBearer(headerValues(request, 'authorization'));
    return { caller: await authenticate(token, getState(request).address) };
  } catch (thrown) {
    return { error: toAppError(thrown) };
  }
}

function getChecks(deps: AdmissionDeps, request: Request, { caller, error }: Outcome): readonly LimitCheck[] {
  const { address } = getState(request);
  return [
    ...(caller ? getAccountLimits(deps, caller) : []),
    ...addressChecks('ip', address, deps.ipRate),
    ...(error?.code === 'UNAUTHORIZED' ? addressChecks('auth', address, deps.authRate) : []),
  ];
}

function addressChecks(policy: string, address: string, rate: Rate | null): readonly LimitCheck[] {
  return rate ? getAddressLimits(policy, address, rate) : [];
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** Returns the token of the `Authorization` headers; throws AppError `UNAUTHORIZED` with the contract's messages. */
function parseBearer(headers: readonly string[]): string {
  const [header, ...more] = headers;
  if (header === undefined) {
    throw new AppError('UNAUTHORIZED', { publicMessage: 'Missing Authorization header' });
  }
  const token = /^bearer +([^\s]+)$/i.exec(header)?.[1];
  if (token === undefined || more.length > 0) {
    throw new AppError('UNAUTHORIZED', {
      publicMessage: 'Invalid Authorization header: the expected format is Bearer <token>',
    });
  }
  return token;
}
