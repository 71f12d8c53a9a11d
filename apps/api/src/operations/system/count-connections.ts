import type { Database, Statement } from '@image-gateway/shared/db';

/** Connections of PostgreSQL and the kinds of processes that hold some. */
export interface ConnectionCounts {
  readonly max: number;
  readonly open: number;
  readonly hasApi: boolean;
  readonly hasWebhooks: boolean;
}

const COUNT_CONNECTIONS: Statement = {
  name: 'doctor-connections',
  text: `
SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS max,
       count(*)::int AS open,
       bool_or(split_part(application_name, '/', 1) = 'image-gateway-api') AS "hasApi",
       bool_or(application_name = 'webhook-worker') AS "hasWebhooks"
  FROM pg_stat_activity WHERE backend_type = 'client backend'`,
};

/** Counts the open connections; `max` excludes those that are reserved for superusers. */
export async function countConnections(db: Pick<Database, 'run'>): Promise<ConnectionCounts> {
  const [connections] = await db.run<ConnectionCounts>(COUNT_CONNECTIONS, []);
  if (!connections) {
    throw new Error('a statement that always has a row had none');
  }
  return connections;
}
