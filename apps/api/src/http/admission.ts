import type { Rate } from '@image-gateway/shared/config';
import { AppError, toAppError } from '@image-gateway/shared/errors';
import type { LimitCheck, RateDecision, RateLimiter } from '@image-gateway/shared/limits';
import type { Request, RequestHandler, Response } from 'express';
import type { Caller } from './call.js';
import { limitSubject } from './limit-subject.js';
import { parseBearer } from './parse-bearer.js';
import { stateOf } from './state-of.js';
import { headerValues } from './to-call.js';

/** What the guard needs; null switches a limit off. */
export interface AdmissionDeps {
  readonly authenticate: (token: string) => Promise<Caller>;
  readonly limiter: RateLimiter;
  readonly keyRate: Rate | null;
  readonly ipRate: Rate | null;
  /** Paths that need no key. */
  readonly openPaths: ReadonlySet<string>;
}

/** Failed log-ins from one address. */
const FAILURES: Rate = { limit: 20, windowSeconds: 60 };

type Verdict = { readonly caller?: Caller; readonly error?: AppError };

/**
 * The guard of everything under `/v1`: a good key first, whatever the path, then the limits of the key and of the address in
 * one round trip. A refused request counts too: against the limit of its address, and if it has no good key against that of
 * failed log-ins.
 */
export function admission(deps: AdmissionDeps): RequestHandler {
  const admit = async (request: Request, response: Response): Promise<void> => {
    const { caller, error } = await judge(deps, request);
    const decision = await deps.limiter.consume(
      checksFor(deps, request, { ...(caller && { caller }), ...(error && { error }) }),
    );
    writeHeaders(response, decision);
    if (!decision.allowed)
      throw new AppError('RATE_LIMITED', { retryAfterSeconds: Math.ceil(decision.retryAfterMs / 1000) });
    if (error) throw error;
    if (caller) stateOf(request).caller = caller;
  };
  return (request, response, next) => {
    admit(request, response).then(() => next(), next);
  };
}

async function judge({ authenticate, openPaths }: AdmissionDeps, request: Request): Promise<Verdict> {
  if (!isDecodable(request.path))
    return { error: new AppError('BAD_REQUEST', { publicMessage: 'The URL is malformed.' }) };
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead && openPaths.has(request.baseUrl + request.path)) return {};
  try {
    return { caller: await authenticate(parseBearer(headerValues(request, 'authorization'))) };
  } catch (thrown) {
    return { error: toAppError(thrown) };
  }
}

function checksFor(deps: AdmissionDeps, request: Request, { caller, error }: Verdict): readonly LimitCheck[] {
  const address = limitSubject(request.ip ?? '');
  const own = caller?.requestsPerMinute;
  const keyRate = own === undefined ? deps.keyRate : { limit: own, windowSeconds: 60 };
  return [
    ...(caller && keyRate ? [{ policy: 'key', key: caller.apiKeyId, ...keyRate }] : []),
    ...(deps.ipRate ? [{ policy: 'ip', key: address, ...deps.ipRate }] : []),
    ...(error?.code === 'UNAUTHORIZED' ? [{ policy: 'auth', key: address, ...FAILURES }] : []),
  ];
}

function writeHeaders(response: Response, { policies }: RateDecision): void {
  const shown = policies.filter(({ policy }) => policy !== 'auth');
  if (shown.length === 0) return;
  const quota = shown.map(({ policy, limit, windowSeconds }) => `"${policy}";q=${limit};w=${windowSeconds}`);
  const left = shown.map(
    ({ policy, remaining, resetSeconds }) => `"${policy}";r=${remaining};t=${resetSeconds}`,
  );
  response.setHeader('RateLimit-Policy', quota.join(', '));
  response.setHeader('RateLimit', left.join(', '));
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
