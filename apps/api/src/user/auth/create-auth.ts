import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { newId } from '@image-gateway/shared/ids';
import type { Logger } from '@image-gateway/shared/logging';
import { prismaAdapter } from 'better-auth/adapters/prisma';
import { hashPassword, verifyPassword } from 'better-auth/crypto';
import { betterAuth } from 'better-auth/minimal';
import { findPasswordUser } from '../find-password-user.js';
import { resetPassword } from '../passwords.js';
import { endSession, noteSignIn } from '../sessions.js';
import { observeClient } from './observe-client.js';
import { sessionOpener } from './open-session.js';
import { renewSignatures } from './renew-signatures.js';

/** Browser of a session, as its request describes it. */
export interface SessionClient {
  /** The `Cookie` header, empty when there is none. */
  readonly cookie: string;
  readonly ip: string;
  readonly userAgent: string;
}

/** A change of cookies for the browser, as `Set-Cookie` values. */
interface Cookies {
  readonly cookies: readonly string[];
}

/**
 * Passwords and sessions, on better-auth. Each method throws for internal errors only, and AppError `SERVICE_UNAVAILABLE` when
 * the database is overloaded.
 */
export interface Auth {
  /** Opens a session; null for an unknown address or a wrong password. */
  readonly signIn: (browser: SessionClient, email: string, password: string) => Promise<Cookies | null>;
  /** Returns the valid session of a browser; its expiry moves on while it is used. */
  readonly find: (
    browser: SessionClient,
  ) => Promise<Cookies & { readonly session: { id: string; userId: string } | null }>;
  /** Returns true for the password of a user. */
  readonly isPassword: (email: string, password: string) => Promise<boolean>;
  readonly signOut: (browser: SessionClient) => Promise<Cookies>;
  /** Changes the password of a user, ends all sessions and opens a new one; null when the current password is wrong. */
  readonly changePassword: (
    browser: SessionClient,
    user: { readonly userId: string; readonly email: string },
    passwords: { readonly current: string; readonly next: string },
  ) => Promise<Cookies | null>;
}

/** Options of the authentication. */
export interface AuthOptions {
  readonly db: Pick<PrismaDatabase, 'prisma' | 'run'>;
  /** At least 32 characters each; the first signs the cookies, each is recognised. */
  readonly secrets: readonly [string, ...string[]];
  readonly baseUrl: string;
  readonly logger: Logger;
}

/** Carries the canonical address of the client to the library. */
const ADDRESS_HEADER = 'x-client-address';
const DAY_SECONDS = 24 * 60 * 60;

/** Creates the authentication. The cookie is sent to `/dashboard` only, never by another site, and no script can read it. */
export function createAuth({ db, secrets, baseUrl, logger }: AuthOptions): Auth {
  const { client, rethrowDatabaseErrors } = observeClient(db.prisma);
  const { api } = betterAuth({
    database: prismaAdapter(client, { provider: 'postgresql' }),
    secret: secrets[0],
    baseURL: baseUrl,
    basePath: '/dashboard/api/auth',
    plugins: [sessionOpener],
    user: { modelName: 'authUser' },
    session: { modelName: 'authSession', expiresIn: 7 * DAY_SECONDS, updateAge: DAY_SECONDS },
    account: { modelName: 'authAccount' },
    verification: { modelName: 'authVerification' },
    emailAndPassword: { enabled: true, minPasswordLength: 8, maxPasswordLength: 128, disableSignUp: true },
    databaseHooks: {
      // The library would write another form of the address, and only the network of an IPv6 address.
      session: {
        create: {
          before: async (_session, call) => ({
            data: { ipAddress: call?.headers?.get(ADDRESS_HEADER) ?? '' },
          }),
        },
      },
    },
    // Its own limits live in memory or the database; ours are shared by all processes.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { log: (_level, message) => logger.debug(`authentication: ${message}`) },
    advanced: {
      cookiePrefix: 'image-gateway',
      useSecureCookies: baseUrl.startsWith('https:'),
      defaultCookieAttributes: { path: '/dashboard', sameSite: 'strict', httpOnly: true },
      database: { generateId: () => newId('usr') },
    },
  });
  const toHeaders = ({ cookie, ip, userAgent }: SessionClient): Headers =>
    new Headers({
      cookie: renewSignatures(cookie, secrets),
      [ADDRESS_HEADER]: ip,
      'user-agent': userAgent.slice(0, 300),
    });
  const openSession = async (browser: SessionClient, userId: string): Promise<Cookies> => {
    const request = { body: { userId }, headers: toHeaders(browser), returnHeaders: true } as const;
    const { headers } = await rethrowDatabaseErrors(() => api.openSession(request));
    return { cookies: headers.getSetCookie() };
  };
  const isPassword: Auth['isPassword'] = async (email, password) => {
    const user = await findPasswordUser(db, email);
    return user !== null && (await verifyPassword({ hash: user.password, password }));
  };
  return {
    signIn: async (browser, email, password) => {
      const user = await findPasswordUser(db, email);
      if (!user) {
        // As much work as a wrong password, so that the time tells nothing.
        await hashPassword(password);
        return null;
      }
      if (!(await verifyPassword({ hash: user.password, password }))) {
        return null;
      }
      const opened = await openSession(browser, user.id);
      await noteSignIn(db, { userId: user.id, ip: browser.ip });
      return opened;
    },
    isPassword,
    find: async (browser) => {
      const request = { headers: toHeaders(browser), returnHeaders: true } as const;
      const { headers, response } = await rethrowDatabaseErrors(() => api.getSession(request));
      const session = response && { id: response.session.id, userId: response.user.id };
      return { cookies: headers.getSetCookie(), session };
    },
    signOut: async (browser) => {
      const request = { headers: toHeaders(browser), returnHeaders: true } as const;
      const found = await rethrowDatabaseErrors(() => api.getSession({ headers: request.headers }));
      if (found) {
        const { id: sessionId, userId } = found.session;
        await endSession(db, { userId, sessionId, ip: browser.ip });
      }
      const { headers } = await rethrowDatabaseErrors(() => api.signOut(request));
      return { cookies: headers.getSetCookie() };
    },
    changePassword: async (browser, { userId, email }, { current, next }) => {
      if (!(await isPassword(email, current))) {
        return null;
      }
      await resetPassword({ db }, { userId, password: next, actor: email, ip: browser.ip });
      return openSession(browser, userId);
    },
  };
}
