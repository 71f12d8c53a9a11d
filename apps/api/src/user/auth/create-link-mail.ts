import { createHash } from 'node:crypto';
import type { Database } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { pause } from '@image-gateway/shared/lifecycle';
import type { RateLimiter } from '@image-gateway/shared/limits';
import type { Logger } from '@image-gateway/shared/logging';
import { type MailContent, type Mailer, renderMail } from '@image-gateway/shared/mail';
import { isStorable } from '@image-gateway/shared/validation';
import { getAddressLimits } from '../../http/address-limits.js';
import { toMailbox } from '../check-email.js';
import {
  addLinkMail,
  type ClaimedLinkMail,
  claimLinkMails,
  endLinkMailTry,
  type LinkMailContent,
  type LinkMailOrder,
} from '../link-mails.js';
import { addEmailToken, addResetToken, addSignUpToken, findUserToMail } from '../mail-tokens.js';

/** Mails with links, which strangers can ask for. */
export interface LinkMail {
  /** Counts a request of a client; throws AppError `RATE_LIMITED` beyond 20 an hour. */
  readonly admit: (ip: string) => Promise<void>;
  /**
   * Keeps a mail, which is sent after the response and tried again for an hour. The account of the address is looked up then, so that the
   * response tells nothing. A mailbox gets at most three an hour; a further one is dropped.
   */
  readonly add: (order: LinkMailOrder) => Promise<void>;
  /** Ends when the mails that are being sent have an outcome. */
  readonly stop: () => Promise<void>;
}

/** Dependencies of the mails of links. */
export interface LinkMailDeps {
  readonly db: Pick<Database, 'run'>;
  readonly mailer: Pick<Mailer, 'send'>;
  readonly limiter: RateLimiter;
  readonly logger: Logger;
  readonly baseUrl: string;
}

const HOUR = { windowSeconds: 3_600 };
/** Seconds before the second, third, … try: the last one is within the hour in which somebody may wait for the mail. */
const RETRY_SECONDS = [10, 60, 300, 900, 1_800];
/** Mails that are sent at a time: as many as the mailer has connections. */
const BATCH = 2;
/** Time after which a process looks for mails that others left. */
const EVERY_MS = 5_000;
const FOOTER = 'You get this mail because somebody entered your address at the dashboard of this gateway.';

/** Creates the mails of links, and begins to send those that are due; several processes share them. */
export function createLinkMail(deps: LinkMailDeps): LinkMail {
  const { db, limiter, logger } = deps;
  const ending = new AbortController();
  let idle = new AbortController();
  const work = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      idle = new AbortController();
      let sent = 0;
      try {
        const mails = await claimLinkMails(db, BATCH);
        await Promise.all(mails.map((mail) => sendOnce(deps, mail)));
        sent = mails.length;
      } catch (error) {
        logger.warn('mails could not be looked for', { error });
      }
      if (sent === 0) {
        await pause(EVERY_MS, AbortSignal.any([ending.signal, idle.signal]));
      }
    }
  };
  const ended = work();
  return {
    admit: async (ip) => {
      const decision = await limiter.consume([
        ...getAddressLimits('mail-client', ip, { limit: 20, ...HOUR }),
      ]);
      if (!decision.allowed) {
        throw new AppError('RATE_LIMITED', {
          publicMessage: 'Too many mails were asked for. Try again later.',
          retryAfterSeconds: Math.ceil(decision.retryAfterMs / 1000),
        });
      }
    },
    add: async (order) => {
      const key = createHash('sha256').update(toMailbox(order.address)).digest('base64url');
      const decision = await limiter.consume([{ policy: 'mail-to', key, limit: 3, ...HOUR }]);
      if (decision.allowed && isStorable(order.address)) {
        await addLinkMail(db, order);
        idle.abort();
      }
    },
    stop: () => {
      ending.abort();
      return ended;
    },
  };
}

/** Sends a mail once. One that the server does not take is tried again; the last time it is given up. */
async function sendOnce({ db, mailer, logger, baseUrl }: LinkMailDeps, mail: ClaimedLinkMail): Promise<void> {
  const { id, attempt, kind, isOld } = mail;
  if (isOld) {
    logger.error('a mail is given up: it was asked for more than an hour ago', { mailId: id, kind, attempt });
  }
  try {
    const content = isOld ? null : await compose({ db, baseUrl }, mail);
    if (content) {
      await mailer.send({ to: content.to, ...renderMail(content) });
    }
    await endLinkMailTry(db, mail, null);
  } catch (error) {
    const retrySeconds = RETRY_SECONDS[attempt - 1] ?? null;
    logger.error('a mail could not be sent', { error, mailId: id, kind, attempt, retrySeconds });
    await endLinkMailTry(db, mail, retrySeconds);
  }
}

/** Writes a mail, with a new token where it has a link that needs one; null where the address has nobody to mail. */
async function compose(
  { db, baseUrl }: Pick<LinkMailDeps, 'db' | 'baseUrl'>,
  mail: LinkMailContent,
): Promise<(MailContent & { readonly to: string }) | null> {
  if (mail.kind === 'email-changed') {
    return {
      to: mail.address,
      subject: 'The address of your log-in was changed',
      paragraphs: [
        'You log in with another address from now on, and mails go there. All sessions have ended.',
        'If it was not you, tell the operator of this gateway at once.',
      ],
      footer:
        'You get this mail because this was the address of your log-in at the dashboard of this gateway.',
    };
  }
  const user = await findUserToMail(db, mail.address);
  if (mail.kind === 'reset') {
    return (
      user && {
        to: user.email,
        subject: 'Set a new password',
        paragraphs: [
          'A new password was asked for. The link below is good for an hour, once; it ends all sessions.',
          'If it was not you, ignore this mail: your password stays.',
        ],
        link: {
          label: 'Set a new password',
          url: `${baseUrl}/dashboard/reset#${await addResetToken(db, user.id)}`,
        },
        footer: FOOTER,
      }
    );
  }
  const { address: email, passwordHash } = mail;
  if (user) {
    return {
      to: email,
      subject: 'You have an account already',
      paragraphs: [
        `Somebody ${mail.kind === 'email' ? 'wants to log in' : 'signed up'} with your address, which has an account. Nothing was changed.`,
        'If you forgot your password, ask for a new one.',
      ],
      link: { label: 'Ask for a new password', url: `${baseUrl}/dashboard/forgot` },
      footer: FOOTER,
    };
  }
  if (mail.kind === 'email') {
    return {
      to: email,
      subject: 'Confirm your new address',
      paragraphs: [
        'Somebody asked to log in with this address from now on. Confirm it with the password of that log-in.',
        'The link below is good for an hour, once; it ends all sessions.',
        'If it was not you, ignore this mail: nothing changes.',
      ],
      link: {
        label: 'Confirm the new address',
        url: `${baseUrl}/dashboard/email#${await addEmailToken(db, { userId: mail.userId, email, passwordHash })}`,
      },
      footer: FOOTER,
    };
  }
  return {
    to: email,
    subject: 'Confirm your address',
    paragraphs: [
      'Your account is created when you confirm this address with the password of your sign-up. The link below is good for an hour, once.',
      'If you did not sign up, ignore this mail: there will be no account.',
    ],
    link: {
      label: 'Confirm the address',
      url: `${baseUrl}/dashboard/confirm#${await addSignUpToken(db, { email, passwordHash })}`,
    },
    footer: FOOTER,
  };
}
