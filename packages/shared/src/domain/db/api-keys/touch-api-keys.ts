import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

const TOUCH_API_KEYS: Statement = {
  name: 'touch-api-keys',
  text: `
UPDATE api_keys SET last_used_at = now()
 WHERE id = ANY($1::text[]) AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
};

/** Notes that keys were used just now, at most once a minute each. */
export async function touchApiKeys(db: Pick<Database, 'run'>, ids: readonly string[]): Promise<void> {
  await db.run(TOUCH_API_KEYS, [ids]);
}
