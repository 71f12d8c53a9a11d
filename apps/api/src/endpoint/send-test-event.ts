import type { Database, Statement } from '@image-gateway/shared/db';
import { AppError, notFound } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';

const SEND_TEST_EVENT: Statement = {
  name: 'send-test-event',
  text: `
WITH endpoint AS (
  SELECT id, disabled_at FROM endpoints WHERE id = $1 AND ($2 OR account_id IS NOT DISTINCT FROM $3)),
audit AS (
  INSERT INTO audit_entries (id, action, subject, detail)
  SELECT $4, 'endpoint.test', id, jsonb_build_object('actor', $5::text) FROM endpoint WHERE disabled_at IS NULL),
sent AS (
  SELECT add_event(id, 'endpoint.test', jsonb_build_object('endpoint_id', id), NULL) FROM endpoint WHERE disabled_at IS NULL)
SELECT e.disabled_at IS NOT NULL AS "isDisabled", (SELECT count(*) FROM sent)::int AS sent FROM endpoint e`,
};

/**
 * Sends an event `endpoint.test` to an endpoint, signed, tried and logged as any other. Throws AppError `NOT_FOUND`, and `BAD_REQUEST`
 * for one that was switched off.
 */
export async function sendTestEvent(
  db: Pick<Database, 'run'>,
  {
    id,
    of,
    actor,
  }: {
    readonly id: string;
    /** Account of the endpoint, null for one of operators; absent: any. */
    readonly of?: string | null;
    readonly actor: string;
  },
): Promise<void> {
  const values = [id, of === undefined, of ?? null, newId('aud'), actor];
  const [row] = await db.run<{ readonly isDisabled: boolean }>(SEND_TEST_EVENT, values);
  if (row === undefined) {
    throw notFound('endpoint', id);
  }
  if (row.isDisabled) {
    throw new AppError('BAD_REQUEST', {
      publicMessage:
        'The endpoint was switched off because it failed for three days. Delete it and register it again.',
    });
  }
}
