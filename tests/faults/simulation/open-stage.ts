import { createDatabase } from '@image-gateway/shared/db';
import { createTestDatabase } from '@image-gateway/testing';
import { openClock } from './open-clock.js';
import type { Stage } from './run-history.js';

/** Opens a stage on a database of its own. */
export async function openStage(): Promise<Stage & { readonly close: () => Promise<void> }> {
  const database = await createTestDatabase();
  const clock = await openClock(database);
  const db = createDatabase({ url: database.url, applicationName: 'simulation' });
  return {
    database,
    clock,
    db,
    close: async () => {
      await db.close();
      await database.close();
    },
  };
}
