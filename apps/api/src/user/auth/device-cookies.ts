import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Database } from '@image-gateway/shared/db';
import { findPasswordUser, type PasswordUser } from '../find-password-user.js';

/** Browser in which a user has logged in since the password was set. */
export interface Device {
  readonly userId: string;
  readonly id: string;
}

/** Cookies that mark browsers in which a user has logged in before. */
export interface DeviceCookies {
  /**
   * Returns the device that a `Cookie` header shows for the user of an e-mail address. Returns null for none, a forged one, and
   * one from before the password was changed.
   */
  readonly find: (cookieHeader: string, email: string) => Promise<Device | null>;
  /** Returns the `Set-Cookie` values that mark a browser as a device of the user of that e-mail address. */
  readonly issue: (email: string) => Promise<readonly string[]>;
}

/** Dependencies of the device cookies. */
export interface DeviceCookieDeps {
  readonly db: Pick<Database, 'run'>;
  /** Secrets of the sessions; the keys of these cookies are derived from them. The first signs, each is recognised. */
  readonly secrets: readonly [string, ...string[]];
  readonly baseUrl: string;
}

const PREFIX = 'image-gateway.device.';
// Browsers keep no cookie for longer than 400 days.
const MAX_AGE_SECONDS = 400 * 24 * 60 * 60;
// Users of one browser; more cookies than that are an attempt to make work.
const MAX_COOKIES = 20;

/**
 * Creates the device cookies: one for each user of a browser, `<device>.<password tag>.<signature>`. The tag follows from the
 * stored password hash, so that a new password ends all devices of the old one. A cookie opens no session.
 */
export function createDeviceCookies({ db, secrets, baseUrl }: DeviceCookieDeps): DeviceCookies {
  const [sign, ...former] = secrets.map(createMac) as [Mac, ...Mac[]];
  const getPasswordTag = (mac: Mac, { id, password }: PasswordUser): string => mac('password', id, password);
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';

  return {
    find: async (cookieHeader, email) => {
      const shown = parseDeviceCookies(cookieHeader).flatMap(({ userId, device, tag, signature }) => {
        const mac = [sign, ...former].find((one) => isEqual(signature, one('device', userId, device, tag)));
        return mac ? [{ userId, device, tag, mac }] : [];
      });
      // A request without a valid cookie costs no statement.
      if (shown.length === 0) {
        return null;
      }
      const user = await findPasswordUser(db, email);
      const own =
        user &&
        shown.find(({ userId, tag, mac }) => userId === user.id && isEqual(tag, getPasswordTag(mac, user)));
      return own ? { userId: own.userId, id: own.device } : null;
    },
    issue: async (email) => {
      const user = await findPasswordUser(db, email);
      if (!user) {
        return [];
      }
      const device = randomBytes(16).toString('base64url');
      const tag = getPasswordTag(sign, user);
      const value = [device, tag, sign('device', user.id, device, tag)].join('.');
      const attributes = `Max-Age=${MAX_AGE_SECONDS}; Path=/dashboard; HttpOnly; SameSite=Strict${secure}`;
      return [`${PREFIX}${user.id}=${value}; ${attributes}`];
    },
  };
}

type Mac = (...parts: readonly string[]) => string;

function createMac(secret: string): Mac {
  const key = createHmac('sha256', secret).update('device cookies').digest();
  return (...parts) => createHmac('sha256', key).update(parts.join('.')).digest('base64url');
}

function parseDeviceCookies(header: string) {
  return header
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(PREFIX))
    .slice(0, MAX_COOKIES)
    .map((part) => {
      const [userId = '', value = ''] = part.slice(PREFIX.length).split('=');
      const [device = '', tag = '', signature = ''] = value.split('.');
      return { userId, device, tag, signature };
    });
}

function isEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
