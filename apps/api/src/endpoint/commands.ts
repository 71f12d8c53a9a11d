import { loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { ACCOUNT_EVENTS, OPERATOR_EVENTS } from '@image-gateway/shared/contract';
import { parseDollars } from '@image-gateway/shared/money';
import { checkLiteralHost } from '@image-gateway/shared/net';
import { defineCommand, fields, flag, needed, option } from '../cli/define-command.js';
import { readAmount, refused } from '../cli/read-values.js';
import { renderTable } from '../cli/render.js';
import { createEndpoint, deleteEndpoint } from './change-endpoints.js';
import { listEndpoints } from './list-endpoints.js';
import { sendTestEvent } from './send-test-event.js';

/** Commands `endpoint …`. */
export const commands = {
  create: defineCommand({
    about: 'Send events of an account, or of all as an operator, to a URL',
    options: {
      account: option('<id>', `account; types: ${ACCOUNT_EVENTS.join(', ')}`),
      operator: flag(`events for operators; types: ${OPERATOR_EVENTS.join(', ')}`),
      url: needed('<url>', 'receiver, signed to as webhooks are, or mailto: with the address of a log-in'),
      types: needed('<names>', 'types of events, comma-separated'),
      threshold: option(
        '<dollars>',
        'balance below which account.balance_low tells',
        readAmount('threshold', parseDollars),
      ),
    },
    example: '--account acc_… --url https://example.com/events --types account.balance_low --threshold 5.00',
    run: async ({ db, env }, { url, types, threshold: thresholdMicros = null, ...owner }) => {
      const { OUTBOUND_ALLOW, SMTP_URL } = sharedSettings;
      const settings = loadSettings({ OUTBOUND_ALLOW, SMTP_URL }, env);
      const allow = new Set(settings.OUTBOUND_ALLOW);
      const sendsMail = settings.SMTP_URL !== undefined;
      const value = await createEndpoint(
        { db: db(), isAllowedUrl: (text) => checkLiteralHost(text, allow) === 'ok', sendsMail },
        {
          accountId: readOwner(owner),
          url,
          types: types.split(',').flatMap((type) => type.trim() || []),
          thresholdMicros,
          actor: 'cli',
        },
      );
      return fields(value);
    },
  }),
  list: defineCommand({
    about: 'List endpoints with what waits for them, was dropped, and since when they fail',
    options: { account: option('<id>', 'of this account'), operator: flag('of operators') },
    example: '--account acc_…',
    run: async ({ db }, owner) => {
      const value = await listEndpoints(db(), readOwner(owner));
      const rows = value.map(({ types, ...endpoint }) => ({ ...endpoint, types: types.join(',') }));
      return { value, text: renderTable(rows, 'There are no endpoints.') };
    },
  }),
  test: defineCommand({
    about: 'Send a test event to an endpoint; endpoint list shows when one was delivered last',
    args: { id: 'endpoint' },
    example: 'ept_…',
    run: async ({ db }, { id }) => {
      await sendTestEvent(db(), { id, actor: 'cli' });
      return fields({ id });
    },
  }),
  delete: defineCommand({
    about: 'Delete an endpoint with the events that wait for it',
    args: { id: 'endpoint' },
    example: 'ept_…',
    run: async ({ db }, { id }) => {
      await deleteEndpoint({ db: db() }, { id, actor: 'cli' });
      return fields({ id });
    },
  }),
};

/** Options that say whose endpoints are meant. */
interface OwnerValues {
  readonly account: string | undefined;
  readonly operator: boolean;
}

/**
 * Returns the account whose endpoints are meant, null for those of operators. Throws AppError `VALIDATION_ERROR` unless exactly
 * one is named.
 */
function readOwner({ account, operator }: OwnerValues): string | null {
  if ((account === undefined) !== operator) {
    throw refused('Give either --account ID or --operator.');
  }
  return account ?? null;
}
