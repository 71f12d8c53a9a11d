import type { Database, Statement } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import type { EmailChange } from './mail-tokens.js';

type Runner = Pick<Database, 'run'>;

/** Mail with a link that somebody asked for. */
export type LinkMailOrder =
  | { readonly kind: 'reset'; readonly address: string }
  | { readonly kind: 'sign-up'; readonly address: string; readonly passwordHash: string }
  | ({ readonly kind: 'email'; readonly address: string } & Omit<EmailChange, 'email'>);

/** Mail with a link, or one that tells an address that it was replaced, which is added with that change. */
export type LinkMailContent = LinkMailOrder | { readonly kind: 'email-changed'; readonly address: string };

/** Mail that is to be sent now. */
export type ClaimedLinkMail = LinkMailContent & {
  readonly id: string;
  /** Try that begins, from 1. */
  readonly attempt: number;
  /** True for one that was asked for more than an hour ago: nobody waits for it any more. */
  readonly isOld: boolean;
};

const ADD_LINK_MAIL: Statement = {
  name: 'add-link-mail',
  text: 'INSERT INTO link_mails (id, kind, address, password_hash, user_id) VALUES ($1, $2, $3, $4, $5)',
};

/** Adds a mail to those that are to be sent. */
export async function addLinkMail(db: Runner, order: LinkMailOrder): Promise<void> {
  const { kind, address, passwordHash, userId }: Partial<EmailChange> & LinkMailOrder = order;
  await db.run(ADD_LINK_MAIL, [newId('msg'), kind, address, passwordHash ?? null, userId ?? null]);
}

// Longer than a server may take for its answers; afterwards the process that sent it counts as ended.
const CLAIM_LINK_MAILS: Statement = {
  name: 'claim-link-mails',
  text: `
WITH due AS (SELECT id FROM link_mails WHERE next_attempt_at <= now() ORDER BY next_attempt_at LIMIT $1::int FOR UPDATE SKIP LOCKED)
UPDATE link_mails m SET attempt = m.attempt + 1, next_attempt_at = now() + interval '4 minutes' FROM due d WHERE m.id = d.id
RETURNING m.id, m.kind, m.address, m.password_hash AS "passwordHash", m.user_id AS "userId",
  m.attempt, m.created_at < now() - interval '1 hour' AS "isOld"`,
};

/** Claims up to `limit` mails that are due; no other process sends them meanwhile. */
export function claimLinkMails(db: Runner, limit: number): Promise<ClaimedLinkMail[]> {
  return db.run<ClaimedLinkMail>(CLAIM_LINK_MAILS, [limit]);
}

const DELETE_LINK_MAIL: Statement = {
  name: 'delete-link-mail',
  text: 'DELETE FROM link_mails WHERE id = $1 AND attempt = $2::int',
};

const POSTPONE_LINK_MAIL: Statement = {
  name: 'postpone-link-mail',
  text: 'UPDATE link_mails SET next_attempt_at = now() + make_interval(secs => $3::float8) WHERE id = $1 AND attempt = $2::int',
};

/** Ends a try: the mail is tried again after some seconds, or with null is over. A try that was overtaken changes nothing. */
export async function endLinkMailTry(
  db: Runner,
  { id, attempt }: Pick<ClaimedLinkMail, 'id' | 'attempt'>,
  retrySeconds: number | null,
): Promise<void> {
  await (retrySeconds === null
    ? db.run(DELETE_LINK_MAIL, [id, attempt])
    : db.run(POSTPONE_LINK_MAIL, [id, attempt, retrySeconds]));
}
