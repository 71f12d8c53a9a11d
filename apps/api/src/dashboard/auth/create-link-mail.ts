import { createHash } from 'node:crypto';
import { AppError } from '@image-gateway/shared/errors';
import type { RateLimiter } from '@image-gateway/shared/limits';
import type { Logger } from '@image-gateway/shared/logging';
import { type MailContent, type Mailer, renderMail } from '@image-gateway/shared/mail';
import { getAddressLimits } from '../../http/address-limits.js';
import { listEmailForms } from '../../operations/user/check-email.js';

/** Mails with links, which strangers can ask for. */
export interface LinkMail {
  /** Counts a request of a client; throws AppError `RATE_LIMITED` beyond 20 an hour. */
  readonly admit: (ip: string) => Promise<void>;
  /**
   * Writes and sends a mail after the response, which so tells nothing about the address. An address gets at most three an hour.
   * `compose` gives null for no mail.
   */
  readonly sendLater: (
    email: string,
    compose: () => Promise<(MailContent & { readonly to: string }) | null>,
  ) => void;
}

const HOUR = { windowSeconds: 3_600 };

/** Creates the mails of links. */
export function createLinkMail({
  mailer,
  limiter,
  logger,
}: {
  readonly mailer: Mailer;
  readonly limiter: RateLimiter;
  readonly logger: Logger;
}): LinkMail {
  const send: LinkMail['sendLater'] = (email, compose) => {
    const work = async (): Promise<void> => {
      const key = createHash('sha256')
        .update(listEmailForms(email)[0] ?? '')
        .digest('base64url');
      const decision = await limiter.consume([{ policy: 'mail-to', key, limit: 3, ...HOUR }]);
      const content = decision.allowed ? await compose() : null;
      if (content) {
        await mailer.send({ to: content.to, ...renderMail(content) });
      }
    };
    work().catch((error: unknown) => logger.error('a mail could not be sent', { error }));
  };
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
    sendLater: send,
  };
}
