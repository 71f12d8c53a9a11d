import type { Database } from '@image-gateway/shared/db';
import { createEndpoint } from '../../src/endpoint/change-endpoints.js';

/** Registers an endpoint for these types of events, one of operators unless an account is given, and returns its id. */
export async function subscribe(
  { db }: { readonly db: Pick<Database, 'run'> },
  types: readonly string[],
  {
    accountId = null,
    thresholdMicros = null,
  }: { accountId?: string | null; thresholdMicros?: bigint | null } = {},
): Promise<string> {
  const { id } = await createEndpoint(
    { db, isAllowedUrl: () => true, sendsMail: false },
    { accountId, url: 'https://example.com/events', types, thresholdMicros, actor: 'test' },
  );
  return id;
}
