import type { Database, Statement } from '@image-gateway/shared/db';

const HAS_WAITING_REQUESTS: Statement = {
  name: 'has-waiting-facade-requests',
  text: 'SELECT FROM facade_requests WHERE api_key_id = $1 LIMIT 1',
};

/** Returns true if a key has requests whose answers a repetition may get without buying anything. */
export async function hasWaitingRequests(db: Pick<Database, 'run'>, apiKeyId: string): Promise<boolean> {
  return (await db.run(HAS_WAITING_REQUESTS, [apiKeyId])).length > 0;
}
