import type { SeededAccount } from '../stage/rows/seed-accounts.js';
import { postRequest } from './requests.js';

/** The task that most scenes submit. */
export const BODY = { model: 'nanobanana', prompt: 'sandbox:fixed a red fox in the snow, at dawn' };

/** One submission of each account in turn. */
export function submissions(
  accounts: readonly Pick<SeededAccount, 'apiKey'>[],
  body: Readonly<Record<string, unknown>> = BODY,
): string[] {
  return accounts.map(({ apiKey }) =>
    postRequest('/v1/generate', body, { Authorization: `Bearer ${apiKey}` }),
  );
}
