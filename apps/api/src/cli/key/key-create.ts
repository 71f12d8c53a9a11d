import { AppError } from '@image-gateway/shared/errors';
import { createApiKey } from '../../operations/key/create-api-key.js';
import type { CliCommand } from '../cli-command.js';
import { renderFields } from '../render-fields.js';

const ISO_8601 = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** `key create`: makes an API key and shows it, this once. */
export const keyCreate: CliCommand = {
  name: 'key create',
  summary: 'Create an API key; it is shown this once',
  options: {
    account: { value: 'ID', help: 'the account that pays', required: true },
    name: { value: 'N', help: 'a name to know it by' },
    expires: { value: 'ISO', help: 'when it stops working, such as 2030-01-31T00:00:00Z' },
  },
  example: 'key create --account acc_… --name production',
  run: async (context, input) => {
    const expires = input.optional('expires');
    const key = await createApiKey(
      { db: context.db() },
      {
        accountId: input.option('account'),
        name: input.optional('name') ?? '',
        expiresAt: expires === undefined ? null : parseTime(expires),
        actor: 'cli',
      },
    );
    const value = { id: key.id, key: key.key, prefix: key.prefix };
    return { value, text: `${renderFields(value)}\n\nThis is the only time the key is shown.` };
  },
};

function parseTime(text: string): Date {
  const time = new Date(text);
  if (!ISO_8601.test(text) || Number.isNaN(time.getTime()))
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: `--expires: "${text}" is not a time in ISO 8601, such as 2030-01-31T00:00:00Z`,
    });
  return time;
}
