import { Command } from '@commander-js/extra-typings';
import { loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { ACCOUNT_EVENTS, OPERATOR_EVENTS } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import { parseDollars } from '@image-gateway/shared/money';
import { checkLiteralHost } from '@image-gateway/shared/net';
import type { CliRun } from '../cli/cli-context.js';
import { createAmountParser } from '../cli/create-amount-parser.js';
import { formatExample } from '../cli/help.js';
import { renderFields } from '../cli/render-fields.js';
import { renderTable } from '../cli/render-table.js';
import { createEndpoint, deleteEndpoint } from './change-endpoints.js';
import { listEndpoints } from './list-endpoints.js';

/** Builds `endpoint create`, which registers an address for events. */
export function buildEndpointCreate({ db, env, show }: CliRun) {
  return new Command('create')
    .description('Send events of an account, or of all as an operator, to a URL')
    .option('--account <id>', `account; types: ${ACCOUNT_EVENTS.join(', ')}`)
    .option('--operator', `events for operators; types: ${OPERATOR_EVENTS.join(', ')}`)
    .requiredOption(
      '--url <url>',
      'receiver, signed to as webhooks are, or mailto: with the address of a log-in',
    )
    .requiredOption('--types <names>', 'types of events, comma-separated')
    .option(
      '--threshold <dollars>',
      'balance below which account.balance_low tells',
      createAmountParser('threshold', parseDollars),
    )
    .addHelpText(
      'after',
      formatExample(
        'endpoint create --account acc_… --url https://example.com/events --types account.balance_low --threshold 5.00',
      ),
    )
    .action(async ({ account, operator, url, types, threshold = null }) => {
      const { OUTBOUND_ALLOW, SMTP_URL } = sharedSettings;
      const settings = loadSettings({ OUTBOUND_ALLOW, SMTP_URL }, env);
      const allow = new Set(settings.OUTBOUND_ALLOW);
      const sendsMail = settings.SMTP_URL !== undefined;
      const value = await createEndpoint(
        { db: db(), isAllowedUrl: (text) => checkLiteralHost(text, allow) === 'ok', sendsMail },
        {
          accountId: readOwner({ account, operator }),
          url,
          types: types.split(',').flatMap((type) => type.trim() || []),
          thresholdMicros: threshold,
          actor: 'cli',
        },
      );
      show({ value, text: renderFields(value) });
    });
}

/** Builds `endpoint list`. */
export function buildEndpointList({ db, show }: CliRun) {
  return new Command('list')
    .description('List endpoints with what waits for them, was dropped, and since when they fail')
    .option('--account <id>', 'of this account')
    .option('--operator', 'of operators')
    .addHelpText('after', formatExample('endpoint list --account acc_…'))
    .action(async ({ account, operator }) => {
      const value = await listEndpoints(db(), readOwner({ account, operator }));
      const rows = value.map(({ types, ...endpoint }) => ({ ...endpoint, types: types.join(',') }));
      show({ value, text: renderTable(rows, 'There are no endpoints.') });
    });
}

/** Builds `endpoint delete`. */
export function buildEndpointDelete({ db, show }: CliRun) {
  return new Command('delete')
    .description('Delete an endpoint with the events that wait for it')
    .argument('<id>', 'endpoint')
    .addHelpText('after', formatExample('endpoint delete ept_…'))
    .action(async (id) => {
      await deleteEndpoint({ db: db() }, { id, actor: 'cli' });
      const value = { id };
      show({ value, text: renderFields(value) });
    });
}

/** Options that say whose endpoints are meant. */
interface OwnerValues {
  readonly account?: string | undefined;
  readonly operator?: true | undefined;
}

/**
 * Returns the account whose endpoints are meant, null for those of operators. Throws AppError `VALIDATION_ERROR` unless exactly
 * one is named.
 */
function readOwner({ account, operator = undefined }: OwnerValues): string | null {
  if ((account === undefined) === (operator === undefined)) {
    throw new AppError('VALIDATION_ERROR', { publicMessage: 'Give either --account ID or --operator.' });
  }
  return account ?? null;
}
