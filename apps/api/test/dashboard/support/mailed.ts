import { eventually } from '@image-gateway/testing';
import { expect } from '@jest/globals';
import type { MailServer } from '../../../../../tests/mail/start-mail-server.js';
import type { TestApi } from '../../support/start-api.js';
import { openBrowser } from './browser.js';

/** Settings of an API that mails links by a server. */
export const mailSettings = ({ url }: MailServer): Record<string, string> => ({
  AUTH_SECRET: 'x'.repeat(32),
  ALLOW_SIGNUP: 'true',
  BASE_URL: 'https://gateway.example',
  SIGNUP_CREDIT: '0.50',
  SMTP_URL: url,
  MAIL_FROM: 'Gateway <no-reply@gateway.example>',
  TRUST_PROXY: 'loopback',
});

/** Origin of the pages of the gateway. */
export const origin = 'https://gateway.example';

let clients = 0;
/** Headers of a browser in a network of its own, on a page of the gateway's public address. */
export const newClient = () => {
  clients += 1;
  return { 'x-forwarded-for': `198.18.${clients}.1`, origin };
};

/** Posts without a session, from a network of its own. */
export const postAlone = (api: TestApi, path: string, body: object) =>
  openBrowser(api).post(path, body, newClient());

/** Returns the newest of so many mails, and the token of its link. */
export async function readNewest({ mails }: MailServer, count: number) {
  await eventually(() => expect(mails).toHaveLength(count));
  const newest = mails.at(-1);
  const [, page = '', token = ''] =
    /https:\/\/gateway\.example\/dashboard\/(\w+)#?([\w-]*)/.exec(newest?.text ?? '') ?? [];
  return { newest, page, token };
}
