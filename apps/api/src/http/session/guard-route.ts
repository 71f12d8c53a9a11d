import { isIP } from 'node:net';
import type { Rate } from '@image-gateway/shared/config';
import type { Database } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { isAnyId } from '@image-gateway/shared/ids';
import type { RateLimiter } from '@image-gateway/shared/limits';
import type { Auth } from '../../user/auth/create-auth.js';
import { getSessionClient } from '../../user/auth/get-session-client.js';
import { findSessionUser, type SessionUser } from '../../user/find-session-user.js';
import { getAddressLimits } from '../address-limits.js';
import type { DashboardRoute, OwnerCall } from '../define-route.js';
import type { Call, Reply, Route } from '../framework/call.js';

/** Route as the guard sees it; its path is the whole one. */
type GuardedRoute = Pick<DashboardRoute, 'method' | 'path' | 'roles' | 'reads' | 'response' | 'handle'>;

/** Dependencies of the guard; a rate of null switches the limit off. */
export interface GuardDeps {
  readonly auth: Pick<Auth, 'find'>;
  readonly db: Pick<Database, 'run'>;
  readonly limiter: RateLimiter;
  readonly ipRate: Rate | null;
  readonly baseUrl: string;
}

/** Largest body of a request without a session. */
const MAX_UNKNOWN_BYTES = 4 * 1024;
/** Largest body with a document of 1 MiB, whose quotes and line breaks take two bytes each. */
const MAX_DOCUMENT_BODY_BYTES = 2 * 1024 * 1024 + 4 * 1024;

/**
 * Guards a route of the dashboard: limit of the address, origin of the request, session, role, and for a change an active account. Only
 * then is a body read. API keys are not accepted. Throws AppError `RATE_LIMITED`, `FORBIDDEN`, `UNAUTHORIZED`.
 */
export function guardRoute(
  deps: GuardDeps,
  route: GuardedRoute,
): Extract<Route, { readonly access: 'open' }> {
  const { method, path, roles, response } = route;
  const handle = async (call: Call): Promise<Reply> => {
    await limit(deps, call);
    if (method === 'post') {
      checkOrigin(call, deps.baseUrl);
    }
    if (roles.length === 0) {
      return route.handle((await withBody(route, call)) as OwnerCall);
    }
    const { cookies, session } = await deps.auth.find(getSessionClient(call));
    const user = session && (await findSessionUser(deps.db, session));
    if (!user) {
      throw new AppError('UNAUTHORIZED', { publicMessage: 'Log in to continue.' });
    }
    return withCookies(await handleAs(route, call, user), cookies);
  };
  return { method, path, access: 'open', ...(response && { response }), handle };
}

async function limit({ limiter, ipRate }: GuardDeps, { ip }: Call): Promise<void> {
  if (!ipRate) {
    return;
  }
  const decision = await limiter.consume(getAddressLimits('dashboard', ip, ipRate));
  if (!decision.allowed) {
    throw new AppError('RATE_LIMITED', { retryAfterSeconds: Math.ceil(decision.retryAfterMs / 1000) });
  }
}

async function handleAs(route: GuardedRoute, call: Call, user: SessionUser): Promise<Reply> {
  const { account, role } = user;
  // Its owner may look at everything and change nothing.
  if (account?.status === 'suspended' && route.method === 'post') {
    throw new AppError('FORBIDDEN', { publicMessage: 'This account is suspended: nothing can be changed.' });
  }
  if (!route.roles.includes(role) || (role === 'owner' && !account)) {
    throw new AppError('FORBIDDEN', { publicMessage: 'You are not allowed to do this.' });
  }
  checkIds(call);
  return route.handle({ ...(await withBody(route, call)), user, accountId: account?.id ?? '' });
}

/** Returns the call with the body of a route that reads one. Unknown clients send an address and a password. */
async function withBody({ reads, roles }: GuardedRoute, call: Call): Promise<Call> {
  if (reads === undefined) {
    return call;
  }
  const isKnown = roles.length > 0;
  const body = await call.readJson({
    isKnown,
    ...(!isKnown && { maxBytes: MAX_UNKNOWN_BYTES }),
    ...(reads === 'document' && { maxBytes: MAX_DOCUMENT_BODY_BYTES }),
  });
  return { ...call, body };
}

/** Throws AppError `NOT_FOUND` for a path with a text that can be no id, so that none reaches the database. */
function checkIds({ params }: Pick<Call, 'params'>): void {
  if (!Object.values(params).every(isAnyId)) {
    throw new AppError('NOT_FOUND', { publicMessage: 'There is nothing with this id.' });
  }
}

/** Adds renewed cookies, and forbids caching unless the handler allows it. */
function withCookies(reply: Reply, cookies: readonly string[]): Reply {
  const headers = { 'Cache-Control': 'no-store', ...reply.headers };
  return { ...reply, headers: cookies.length > 0 ? { 'Set-Cookie': cookies, ...headers } : headers };
}

/**
 * Throws AppError `FORBIDDEN` unless a request that changes something comes from a page of this gateway. Every browser names the source of
 * such a request in `Origin`. It must be that of `BASE_URL` or of a trusted proxy. The request's own `Host` proves nothing,
 * since a stranger's name can lead here. It counts where it is an IP address or a loopback name.
 */
function checkOrigin(
  { header, forwardedOrigin }: Pick<Call, 'header' | 'forwardedOrigin'>,
  baseUrl: string,
): void {
  const [origin = '', ...more] = header('origin');
  const [host = ''] = header('host');
  const ours = new URL(baseUrl).origin;
  const isOurs = origin === ours || origin === forwardedOrigin || isOwnAddress(origin, host);
  if (!isOurs || more.length > 0) {
    throw new AppError('FORBIDDEN', {
      publicMessage:
        `Changes are accepted from pages of this dashboard only: those at ${ours} (BASE_URL), at an IP address, ` +
        'or at localhost.',
    });
  }
}

/** Returns true for the origin of a host that no name service can lead elsewhere. */
function isOwnAddress(origin: string, host: string): boolean {
  if (!/^https?:\/\//.test(origin) || !URL.canParse(origin)) {
    return false;
  }
  const { host: named, hostname } = new URL(origin);
  const isFixed = isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0 || /^(.+\.)?localhost$/.test(hostname);
  return isFixed && named === host.toLowerCase();
}
