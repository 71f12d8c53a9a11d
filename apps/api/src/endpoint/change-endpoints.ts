import { ACCOUNT_EVENTS, LIMITS, MAX_ENDPOINTS, OPERATOR_EVENTS } from '@image-gateway/shared/contract';
import { type Database, isUniqueViolation, type Statement } from '@image-gateway/shared/db/database';
import { AppError, notFound } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import { formatDollars } from '@image-gateway/shared/money';
import { getHostPort } from '@image-gateway/shared/net';
import { urlRule } from '@image-gateway/shared/validation';
import { newWebhookSecret } from '@image-gateway/shared/webhooks';
import { normalizeEmail } from '../user/check-email.js';

/** Endpoint to create. */
export interface NewEndpoint {
  /** Null: one of operators. */
  readonly accountId: string | null;
  readonly url: string;
  readonly types: readonly string[];
  /** Of `account.balance_low`, in micro-dollars. */
  readonly thresholdMicros: bigint | null;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

/** Dependencies of creating endpoints. */
export interface EndpointDeps {
  readonly db: Pick<Database, 'run'>;
  /** Returns true for a well-formed URL that may be called. */
  readonly isAllowedUrl: (url: string) => boolean;
  /** True where SMTP_URL is set: an endpoint may be a mailbox. */
  readonly sendsMail: boolean;
}

// A unique index holds each slot once. An insert that loses a race for a slot takes another one in the next round.
const CREATE_ENDPOINT: Statement = {
  name: 'create-endpoint',
  text: `
WITH owner AS (
  SELECT $2::text AS id WHERE $2::text IS NULL OR EXISTS (SELECT FROM accounts WHERE id = $2)),
mailbox AS (
  SELECT WHERE $10::text IS NULL OR EXISTS (
    SELECT FROM auth_users u LEFT JOIN account_users o ON o.user_id = u.id
     WHERE u.email = $10 AND (o.account_id = $2 OR $2::text IS NULL AND u.role = 'operator'))),
endpoint AS (
  INSERT INTO endpoints (id, account_id, slot, url, host_port, types, threshold_micros, secret)
  SELECT $1, owner.id, free.slot, $3, $4, $5::text[], $6::int8, $7
    FROM owner CROSS JOIN mailbox CROSS JOIN (
      SELECT s AS slot FROM generate_series(1, ${MAX_ENDPOINTS}) s
       WHERE NOT EXISTS (SELECT FROM endpoints e WHERE e.account_id IS NOT DISTINCT FROM $2 AND e.slot = s) ORDER BY s LIMIT 1) free
  RETURNING id),
audit AS (INSERT INTO audit_entries (id, action, subject, detail) SELECT $8, 'endpoint.create', id, $9::jsonb FROM endpoint)
SELECT (SELECT count(*) FROM owner)::int AS owners, (SELECT count(*) FROM mailbox)::int AS mailboxes, (SELECT id FROM endpoint) AS id`,
};
const MAX_ROUNDS = MAX_ENDPOINTS + 1;

/** Creates an endpoint with a secret of its own. Throws AppError `VALIDATION_ERROR`, `NOT_FOUND`, and `BAD_REQUEST` beyond ten. */
export async function createEndpoint(
  deps: EndpointDeps,
  { accountId, url, types, thresholdMicros, actor }: NewEndpoint,
): Promise<{ readonly id: string; readonly secret: string }> {
  checkEndpoint(deps, { accountId, url, types, thresholdMicros });
  const id = newId('ept');
  const secret = newWebhookSecret();
  const threshold = thresholdMicros === null ? undefined : formatDollars(thresholdMicros);
  const mailbox = readMailbox(url);
  const host = mailbox === null ? getHostPort(new URL(url)) : MAIL_HOST;
  const detail = JSON.stringify({ actor, accountId, host, types, threshold });
  for (let round = 1; ; round++) {
    try {
      const values = [
        id,
        accountId,
        url,
        host,
        types,
        thresholdMicros,
        secret,
        newId('aud'),
        detail,
        mailbox,
      ];
      const [row] = await deps.db.run<{
        readonly owners: number;
        readonly mailboxes: number;
        readonly id: string | null;
      }>(CREATE_ENDPOINT, values);
      if (accountId !== null && row?.owners === 0) {
        throw notFound('account', accountId);
      }
      if (row?.mailboxes === 0) {
        throw fault(
          `Mail goes to the address of a ${accountId === null ? 'log-in of operators' : 'log-in of the account'} only.`,
        );
      }
      if (!row?.id) {
        throw new AppError('BAD_REQUEST', {
          publicMessage: `There are ${MAX_ENDPOINTS} endpoints already. Delete one first.`,
        });
      }
      return { id, secret };
    } catch (error) {
      if (round === MAX_ROUNDS || !isUniqueViolation(error, 'endpoints_slot_taken')) {
        throw error;
      }
    }
  }
}

/** Stands for the host of mailboxes, so that they share the places of one receiver. */
const MAIL_HOST = 'mail:25';

/** Returns the address of an endpoint that is a mailbox; null for any other. */
function readMailbox(url: string): string | null {
  const address = /^mailto:(.+)$/.exec(url)?.[1];
  return address === undefined ? null : normalizeEmail(address);
}

function checkEndpoint(
  { isAllowedUrl, sendsMail }: Omit<EndpointDeps, 'db'>,
  { accountId, url, types, thresholdMicros }: Omit<NewEndpoint, 'actor'>,
): void {
  const mailbox = readMailbox(url);
  if (mailbox !== null && !sendsMail) {
    throw fault('This gateway sends no mail: SMTP_URL is not set.');
  }
  if (mailbox === null && !urlRule({ max: LIMITS.webhookUrlCharacters, isAllowed: isAllowedUrl }).test(url)) {
    throw fault(
      `The URL of an endpoint is an http or https URL of at most ${LIMITS.webhookUrlCharacters} characters that leads to the ` +
        'public Internet, or to a host:port that OUTBOUND_ALLOW names.',
    );
  }
  const known: readonly string[] = accountId === null ? OPERATOR_EVENTS : ACCOUNT_EVENTS;
  if (
    types.length === 0 ||
    new Set(types).size < types.length ||
    !types.every((type) => known.includes(type))
  ) {
    throw fault(`The types of an endpoint are some of ${known.join(', ')}.`);
  }
  if (types.includes('account.balance_low') !== (thresholdMicros !== null)) {
    throw fault('account.balance_low needs a threshold in dollars, and no other type takes one.');
  }
}

function fault(publicMessage: string): AppError {
  return new AppError('VALIDATION_ERROR', { publicMessage });
}

const DELETE_ENDPOINT: Statement = {
  name: 'delete-endpoint',
  text: `
WITH endpoint AS (DELETE FROM endpoints WHERE id = $1 AND ($2::text IS NULL OR account_id = $2) RETURNING id, account_id, host_port)
INSERT INTO audit_entries (id, action, subject, detail)
SELECT $3, 'endpoint.delete', id, jsonb_build_object('actor', $4::text, 'accountId', account_id, 'host', host_port) FROM endpoint
  RETURNING subject`,
};

/** Deletes an endpoint with the events that wait for it and its log. Throws AppError `NOT_FOUND`. */
export async function deleteEndpoint(
  { db }: { readonly db: Pick<Database, 'run'> },
  {
    id,
    accountId,
    actor,
  }: {
    readonly id: string;
    /** Restricts the search to the endpoints of this account. */
    readonly accountId?: string;
    readonly actor: string;
  },
): Promise<void> {
  const rows = await db.run(DELETE_ENDPOINT, [id, accountId ?? null, newId('aud'), actor]);
  if (rows.length === 0) {
    throw notFound('endpoint', id);
  }
}
