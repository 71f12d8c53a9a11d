import { presentEndpointEvent, type StoredEvent } from '@image-gateway/shared/presenters';
import type { TestDatabase } from '../create-test-database.js';

/** Body of an event of an endpoint. */
export interface EventBody {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Reads the events of all endpoints or of one, the oldest first, also those that wait for their first attempt. */
export async function readEvents(
  { pool }: Pick<TestDatabase, 'pool'>,
  endpointId: string | null = null,
): Promise<EventBody[]> {
  const { rows } = await pool.query<StoredEvent & { readonly body: string | null }>(
    `SELECT type, data, body, created_at AS "createdAt" FROM endpoint_deliveries
      WHERE $1::text IS NULL OR endpoint_id = $1 ORDER BY created_at, id`,
    [endpointId],
  );
  return rows.map(({ body, ...event }) => JSON.parse(body ?? presentEndpointEvent(event)) as EventBody);
}

/** Returns the types and data of the events since the last call, and deletes them. */
export async function takeEvents(test: Pick<TestDatabase, 'pool'>): Promise<Omit<EventBody, 'timestamp'>[]> {
  const events = await readEvents(test);
  await test.pool.query('DELETE FROM endpoint_deliveries');
  return events.map(({ timestamp: _, ...event }) => event);
}
