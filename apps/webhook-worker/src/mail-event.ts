import type { ClaimedDelivery } from '@image-gateway/shared/db';
import { type Mailer, renderMail } from '@image-gateway/shared/mail';
import type { PostOutcome } from './post-webhook.js';

const SCHEME = 'mailto:';
/** Reply of SMTP to a mail that it has taken. */
const TAKEN = 250;

const SUBJECTS: Readonly<Record<string, string>> = {
  'account.balance_low': 'The balance is low',
  'key.cap_reached': 'A cap of a key is nearly used or reached',
  'webhook.failing': 'An endpoint fails',
  'account.credit_requested': 'An account asks for credit',
  'account.moderated': 'Prompts of an account are refused by moderation',
  'files.unpaid_full': 'Accounts without a payment fill their share of the storage',
  'ledger.check_failed': 'The ledger has broken invariants',
  'provider.needs_operator': 'A provider needs an operator',
  'signup.credit_exhausted': 'The credit for sign-ups is used up for today',
};

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
    readonly type: string;
    readonly timestamp: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
  const mail = renderMail({
    subject: SUBJECTS[type] ?? type,
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
