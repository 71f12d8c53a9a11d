import { EVENTS, type EventType } from '@image-gateway/shared/contract';
import type { ClaimedDelivery } from '@image-gateway/shared/db';
import { type Mailer, renderMail } from '@image-gateway/shared/mail';
import type { PostOutcome } from './post-webhook.js';

const SCHEME = 'mailto:';
/** Reply of SMTP to a mail that it has taken. */
const TAKEN = 250;

/** Returns true for an event whose endpoint is a mailbox. */
export function isMail({ url }: Pick<ClaimedDelivery, 'url'>): boolean {
  return url.startsWith(SCHEME);
}

/** Mails an event once. Each failure of the server becomes a value. */
export async function mailEvent(
  mailer: Mailer | null,
  { url, body }: Pick<ClaimedDelivery, 'url' | 'body'>,
): Promise<PostOutcome> {
  if (!mailer) {
    return { kind: 'no-response', error: 'this gateway sends no mail', final: false };
  }
  const { type, timestamp, data } = JSON.parse(body) as {
    readonly type: EventType;
    readonly timestamp: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
  const mail = renderMail({
    subject: EVENTS[type].subject,
    paragraphs: [`The gateway reports ${type}.`],
    facts: [
      ...Object.entries(data).map(
        ([name, value]) => [name.replaceAll('_', ' '), [value].flat().join(', ')] as const,
      ),
      ['time', timestamp] as const,
    ],
    footer: 'You get this mail because your address is registered as an endpoint for such events.',
  });
  try {
    await mailer.send({ to: url.slice(SCHEME.length), ...mail });
    return { kind: 'response', status: TAKEN, retryAfterSeconds: null };
  } catch {
    // The words of a server may name hosts and users.
    return { kind: 'no-response', error: 'mail not accepted', final: false };
  }
}
